/* option_table.c - the commands, the options that each takes with their
   defaults, and --help, which prints them.

   The settings of runs are options, too: config/settings.c has their table, and
   heart/config.h their defaults (USUAL). */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "driver/option_table.h"
#include "page/table.h"

enum { MANY = 1 << 30 }; /* any number of words */

/* clang-format off */
const Command commands[] = {
    /* name, arguments, purpose, two examples */
    {"list", "", "list variants and their equations, tasks, or published models", {"qkv list", "qkv list --models"}, .more_settings = "length"},
    {"train", "", "train one variant on one task, once", {"qkv train -t sort -v full-rank --heads 2", "qkv train --from qkv-out/RUN --steps 200"}, .setting_roles = OF_ANY},
    {"compare", "", "train variants on tasks, over seeds and a grid; draw figures", {"qkv compare        # seven variants, four tasks, five seeds", "qkv compare -t recall --d-k 1,2,4,8 --out width    # a grid"}, .setting_roles = OF_ANY, .list_roles = OF_ANY},
    {"plot", "[EXPERIMENT | RUN ...]", "redraw the figures of compare, or draw others", {"qkv plot rates --x lr --y test_loss,solved_at", "qkv plot rates --y loss,accuracy --format pdf"}, .most_words = MANY},
    {"table", "EXPERIMENT ...", "print a row for each run: settings that vary, results, times", {"qkv table width > runs.tsv", "qkv table width --verdicts"}, .least_words = 1, .most_words = MANY},
    {"judge", "FILE", "compare the methods in a CSV or TSV table: which is better?", {"qkv judge mine.csv --method name --seed seed --lower loss --baseline ours", "qkv judge mine.tsv --method name --unpaired --higher score --baseline ours"}, .least_words = 1, .most_words = 1},
    {"equiv", "[RUN]", "convert trained variants into one another: which are the same?", {"qkv equiv -v standard,fused,two-step", "qkv equiv qkv-out/RUN -v full-rank"}, .most_words = 1, .setting_roles = OF_ANY, .list_roles = OF_VARIANT},
    {"count", "[RUN]", "count parameters and cache of variants, at any shape or a run's", {"qkv count -v standard,gqa,mla --d-model 512 --length 128", "qkv count --real -v standard,two-step --d-model 16"}, .most_words = 1, .setting_roles = OF_VARIANT | OF_SHAPE, .list_roles = OF_VARIANT, .more_settings = "d-model layers length positions mask symbols mlp norm"},
    {"derive", "VARIANT [= VARIANT]", "derive M_i and N_i from a variant's code; with =, compare two", {"qkv derive two-step", "qkv derive two-step = standard"}, .least_words = 1, .most_words = 3},
    {"inspect", "RUN", "show the canonical form of a run's heads: rank, symmetry", {"qkv inspect qkv-out/RUN", "qkv inspect qkv-out/RUN --attention"}, .least_words = 1, .most_words = 1},
    {"trace", "TEXT [RUN]", "follow a text through attention: ids, q, k, v, scores, weights", {"qkv trace 'the cat sat on the mat' -v two-step", "qkv trace 'the cat' --d-model 4 --heads 1 --mask causal"}, .least_words = 1, .most_words = 2, .setting_roles = OF_VARIANT | OF_SEED | OF_MODEL | OF_SHAPE, .defaults = "d-model=8 heads=2"},
    {"generate", "RUN --prompt TEXT", "let a trained run continue a text or a sequence of its task", {"qkv generate qkv-out/RUN --prompt 'The license '", "qkv generate qkv-out/RUN -p '3 1 4 1 5 9 2 6 10' --temperature 0"}, .least_words = 1, .most_words = 1},
    {"export", "RUN DIR", "write a batch of a run, with logits and gradients, as .npy files", {"qkv export qkv-out/RUN batch", "python3 -c \"import numpy; print(numpy.load('batch/logits.npy'))\""}, .least_words = 2, .most_words = 2},
    {"check", "PLUGIN", "test a plugin: gradients, causality and more", {"qkv check ./mine.c", "qkv check standard"}, .least_words = 1, .most_words = 1},
    {"open", "DIR", "show how much of a checkpoint's attention is really there", {"qkv open all-MiniLM-L6-v2", "qkv open all-MiniLM-L6-v2 --slim OUT"}, .least_words = 1, .most_words = 1},

    /* Shell scripts that call the other commands, plots/commands/NAME.sh. These
       scripts print their own help. */
    {.name = "new", .arguments = "", .purpose = "start your own variant: write NAME.c"},
    {.name = "report", .arguments = "", .purpose = "write a report of verdicts, tables and figures"},
    {.name = "recipe", .arguments = "", .purpose = "run a recipe: the commands that answer a question"},
    {.name = "claim", .arguments = "", .purpose = "test a claim of a paper, and print the verdict"},
};
/* clang-format on */
const int commands_count = sizeof commands / sizeof *commands;

const Command *
command_named(const char *name)
{
    for (const Command *c = commands; c < commands + commands_count; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

/* Lists of commands that have the same options. */
#define TABLES   "list train compare inspect equiv count table open judge"
#define RUNS     "train compare equiv"
#define TRAINS   "train compare"
#define VERDICTS "compare plot table"

/* The options that are not settings of runs. A default is in brackets. */
/* clang-format off */
static const Option own_options[] = {
/* Each macro gives the kind of an option's value, which follows from the type of
   its field in Options, and the offset of that field. The words of a TEXT_AT may
   have any characters. */
#define KIND(field) _Generic(((Options *)0)->field, bool: SWITCH, int: INTEGER, double: NUMBER, const char *: WORD)
#define AT(field) KIND(field), offsetof(Options, field)
#define TEXT_AT(field) _Generic(((Options *)0)->field, const char *: TEXT), offsetof(Options, field)
#define WORK(field) AT(request.work.field)
#define DRAW(field) AT(draw.field)
    /* Option.value (name, no role, kind, offset, least, most, choices, help), then
       the name of the value in --help, and the commands */
    {{"seeds", 0, INTEGER, 0, 1, 1e6, NULL, "use seeds 1 to N, short for --seed 1..N (5)"}, "N", .commands = "compare", .common = true},
    {{"head-dim", 0, INTEGER, 0, 0, 1e6, NULL, "width of a head: sets both --d-k and --d-v"}, "N", .commands = "train count trace", .common = true},
    {{"out", 0, AT(out), 0, 0, NULL, "the directory of runs and figures (qkv-out)"}, "DIR", .commands = RUNS " plot inspect open", .letter = 'o', .common = true},
    {{"jobs", 0, WORK(jobs), 1, 1e6, NULL, "how many runs to train at once (cores / --threads)"}, "N", .commands = "compare equiv", .letter = 'j'},
    {{"threads", 0, WORK(threads), 1, MOST_THREADS, NULL, "threads of each run, for large models; results are the same (1)"}, "N", .commands = TRAINS},
    {{"from", 0, WORK(from), 0, 0, NULL, "start from this run's weights, model and data; weights are converted if the variant or the shape differs"}, "RUN", .commands = "train", .common = true},
    {{"plan", 0, AT(plan), 0, 0, NULL, "only print a `qkv train` line for each run"}, NULL, .commands = "compare", .common = true},
    {{"memory", 0, WORK(memory), 1, 1e6, NULL, "memory limit of a run, in MB (the machine's / --jobs)"}, "MB", .commands = RUNS},
    {{"no-figures", 0, AT(no_figures), 0, 0, NULL, "draw no figures, only train and print"}, NULL, .commands = "compare"},
    {{"no-weights", 0, WORK(no_weights), 0, 0, NULL, "do not keep the trained weights"}, NULL, .commands = TRAINS},
    {{"baseline", 0, AT(request.baseline), 0, 0, NULL, "the variant to compare the others with (standard)"}, "NAME", .commands = VERDICTS, .common = true},
    {{"judge", 0, AT(request.judge), 0, 0, NULL, "the result to compare and to choose learning rates by, a line of result.tsv (test_accuracy; solved_at if that is saturated; test_loss if a seed has no solved_at)"}, "WHAT", .commands = VERDICTS},
    {{"margin", 0, AT(request.margin), 0, 0, NULL, "differences too small to matter, in the result's unit or in per cent of the baseline's (test_accuracy=0.01,solved_at=10%,test_loss=0.01)"}, "WHAT=X,...", .commands = VERDICTS},
    {{"by", 0, AT(request.by), 0, 0, NULL, "the settings whose values are compared (variant)"}, "SETTING,...", .commands = VERDICTS, .common = true},
    {{"where", 0, AT(request.where), 0, 0, NULL, "use only runs with these values, as in lr=0.01, 'lr<=0.01' or seed=1..3, and runs that do not use the setting; give a setting twice to allow two values"}, "SETTING=VALUE,...", .commands = "table plot", .common = true},
    {{"method", 0, AT(question.method), 0, 0, NULL, "the column that names the method"}, "COLUMN", .commands = "judge", .common = true},
    {{"seed", 0, AT(question.seed), 0, 0, NULL, "the column by which rows of two methods are paired, such as the seed"}, "COLUMN", .commands = "judge", .common = true},
    {{"unpaired", 0, AT(question.unpaired), 0, 0, NULL, "use Welch's test for methods whose seeds differ from the baseline's (without --seed, for all)"}, NULL, .commands = "judge", .common = true},
    {{"lower", 0, AT(question.lower), 0, 0, NULL, "result columns in which lower is better"}, "NAME,...", .commands = "judge", .common = true},
    {{"higher", 0, AT(question.higher), 0, 0, NULL, "result columns in which higher is better"}, "NAME,...", .commands = "judge", .common = true},
    {{"solved-at", 0, AT(question.solved_at), 0, 0, NULL, "result columns with the steps to a threshold; NA: never reached"}, "NAME,...", .commands = "judge", .common = true},
    {{"baseline", 0, AT(question.baseline), 0, 0, NULL, "the method to compare the others with"}, "NAME", .commands = "judge", .common = true},
    {{"margin", 0, AT(question.margin), 0, 0, NULL, "differences too small to matter, in the result's unit or in per cent of the baseline's"}, "NAME=X,...", .commands = "judge", .common = true},
    {{"out", 0, AT(out), 0, 0, NULL, "also draw the differences, into DIR/figures"}, "DIR", .commands = "judge", .letter = 'o', .common = true},
    {{"verdicts", 0, AT(verdicts), 0, 0, NULL, "print what compare prints: means, intervals, verdicts"}, NULL, .commands = "table", .common = true},
    {{"x", 0, DRAW(x), 0, 0, NULL, "the x axis: a setting or a line of result.tsv (training steps)"}, "WHAT", .commands = "plot", .common = true},
    {{"y", 0, DRAW(y), 0, 0, NULL, "the y axis: columns of log.tsv or, with --x, lines of result.tsv (validation_loss,validation_accuracy)"}, "WHAT", .commands = "plot", .common = true},
    {{"map", 0, DRAW(map), 0, 0, NULL, "draw --y as coloured cells: --x across, --by down"}, NULL, .commands = "plot"},
    {{"log-y", 0, DRAW(log_y), 0, 0, NULL, "make y axes logarithmic; values of 0 or less are left out"}, NULL, .commands = "plot"},
    {{"gnuplot", 0, DRAW(gnuplot), 0, 0, NULL, "a line to add to the figure's script, such as \"xlabel = 'width'; ylim = '0 1'\""}, "CODE", .commands = "plot"},
    {{"size", 0, DRAW(size), 0, 0, NULL, "width of a figure: `column`, that of a column in a two-column article, or a number of points, as LaTeX's \\the\\columnwidth prints it (that of a page)"}, "WIDTH", .commands = "compare plot"},
    {{"format", 0, DRAW(format), 0, 0, FORMATS, "formats of figures, by default svg,png"}, "LIST", .commands = "compare plot inspect equiv open judge"},
    {{"preset", 0, AT(preset), 0, 0, NULL, "a published model, by its name in `qkv list --models`"}, "NAME", .commands = "count", .common = true},
    {{"config", 0, AT(config), 0, 0, NULL, "a model's config.json, as transformers saves it"}, "FILE", .commands = "count", .common = true},
    {{"part", 0, AT(part), 0, 0, NULL, "the part to count of a model that has several: encoder, decoder or cross (the attention between them), or an object of config.json, such as `vision` for vision_config"}, "NAME", .commands = "count"},
    {{"real", 0, AT(real), 0, 0, NULL, "count the parameters that are really there: measured or, above 6,000, by a formula fitted to small shapes"}, NULL, .commands = "count", .common = true},
    {{"whole", 0, AT(whole), 0, 0, NULL, "count the real parameters of a whole model: embedding, positions, norms, MLPs and all"}, NULL, .commands = "count", .common = true},
    {{"prompt", 0, TEXT_AT(generate.prompt), 0, 0, NULL, "the text to continue, or the start of a sequence: tokens separated by spaces"}, "TEXT", .commands = "generate", .letter = 'p', .common = true},
    {{"tokens", 0, AT(generate.tokens), 1, 1e6, NULL, "how many tokens to generate (up to the length trained on)"}, "N", .commands = "generate", .letter = 'n', .common = true},
    {{"temperature", 0, AT(generate.temperature), 0, 1000, NULL, "sample from softmax(logits / X); 0: always the likeliest (1)"}, "X", .commands = "generate", .common = true},
    {{"top-k", 0, AT(generate.top_k), 1, 1e6, NULL, "sample among the N likeliest tokens (all)"}, "N", .commands = "generate", .common = true},
    {{"samples", 0, AT(generate.samples), 1, 1e6, NULL, "write N continuations, with seeds S, S + 1, ... (1)"}, "N", .commands = "generate", .common = true},
    {{"seed", 0, AT(generate.seed), 1, 1e6, NULL, "seed of the sampling, S (1)"}, "N", .commands = "generate"},
    {{"attention", 0, AT(attention), 0, 0, NULL, "print and draw which tokens attend to which"}, NULL, .commands = "inspect", .common = true},
    {{"forms", 0, AT(forms), 0, 0, NULL, "print what each variant computes, derived from its code"}, NULL, .commands = "list", .common = true},
    {{"models", 0, AT(models), 0, 0, NULL, "list published models: the parameters of their attention, and its cache at --length"}, NULL, .commands = "list", .common = true},
    {{"names", 0, AT(names), 0, 0, NULL, "print only the names of the variants, without opening them"}, NULL, .commands = "list"},
    {{"heads", 0, AT(heads), 0, 0, NULL, "print a row for each head"}, NULL, .commands = "open", .common = true},
    {{"draw", 0, AT(draw_heads), 0, 0, NULL, "draw the singular values of all heads or, with --against, their distances, into figures/ of --out"}, NULL, .commands = "open", .common = true},
    {{"against", 0, AT(against), 0, 0, NULL, "compare all heads with another checkpoint's: M, N, and the matrices as stored"}, "DIR", .commands = "open", .common = true},
    {{"slim", 0, AT(slim), 0, 0, NULL, "write the model without its gauge to a new directory"}, "DIR", .commands = "open", .common = true},
    {{"kv-heads", 0, AT(kv_heads), 1, 1e6, NULL, "let all heads share N heads of keys and values; with --out, write that model to a new directory"}, "N", .commands = "open", .common = true},
    {{"npy", 0, AT(npy), 0, 0, NULL, "write W^Q, W^K, W^V and W^O of every head as NumPy arrays to a new directory"}, "DIR", .commands = "open"},
    {{"to", 0, AT(to), 0, 0, NULL, "write a layer as a run of this variant, for inspect, equiv and trace"}, "VARIANT", .commands = "open", .common = true},
    {{"layer", 0, AT(layer), 1, 1e6, NULL, "the layer for --to or --head, counted from 1 (1)"}, "N", .commands = "open", .common = true},
    {{"head", 0, AT(head), 1, 1e6, NULL, "draw M of this head of the layer, entry by entry"}, "N", .commands = "open", .common = true},
    {{"tasks", 0, AT(tasks), 0, 0, NULL, "list the tasks instead of the variants"}, NULL, .commands = "list", .common = true},
    {{"columns", 0, AT(columns), 0, 0, NULL, "print only these columns, in this order"}, "NAME,...", .commands = TABLES, .common = true},
    {{"tsv", 0, AT(tsv), 0, 0, NULL, "print cells separated by tabs, the default in a pipe"}, NULL, .commands = TABLES " check"},
    {{"json", 0, AT(json), 0, 0, NULL, "print a JSON array with an object for each row"}, NULL, .commands = TABLES},
    {{"markdown", 0, AT(markdown), 0, 0, NULL, "print the table in Markdown"}, NULL, .commands = TABLES},
    {{"latex", 0, AT(latex), 0, 0, NULL, "print the table or the formulas in LaTeX, for a paper"}, NULL, .commands = TABLES " derive"},
    {{"quiet", 0, AT(quiet), 0, 0, NULL, "print no progress and no notes"}, NULL, .commands = RUNS " plot inspect check export open", .letter = 'q'},
};
/* clang-format on */
enum { OWN_OPTIONS = sizeof own_options / sizeof *own_options };

/* The rules about options that would have no effect. In each of `commands`, an
   option of the list `options` conflicts with every other option of the list
   `conflicts`. If `needs` is not "", the option also needs one of its options.
   `needs` may be "--to or --head", because a message prints it. */
#define LAYOUTS "--tsv --json --markdown --latex"
#define LISTS   "--tasks --models --forms --names"
static const struct Rule {
    const char *commands, *options, *conflicts, *needs;
} rules[] = {
    {TABLES, LAYOUTS, LAYOUTS, ""},
    {"list", LISTS, LISTS, ""},
    {"list", "--length", "", "--models"},
    {"list", "--names", "--columns " LAYOUTS, ""},
    {"list", "--forms", "--columns", ""},
    {"compare", "--plan",
     "--jobs --threads --memory --format --size --columns " LAYOUTS, ""},
    {"compare", "--no-figures", "--format --size", ""},
    {"plot", "--map", "", "--x"},
    {"inspect", "--out --format", "", "--attention"},
    {"equiv", "--out --format --jobs --memory", "RUN", ""},
    {"count", "--preset --config", "--preset --config --real --variant RUN",
     ""},
    {"count", "--part", "", "--config"},
    {"count", "--real", "--length", ""},
    {"count", "--whole", "--preset --part --real RUN", ""},
    {"count", "--symbols --mlp --norm", "", "--whole"},
    {"open", "--to --head", "--heads --draw --slim --columns " LAYOUTS, ""},
    {"open", "--against", "--to --head --slim", ""},
    {"open", "--kv-heads", "--to --head --slim --against --heads --draw", ""},
    {"open", "--npy",
     "--to --head --slim --against --kv-heads --heads --draw "
     "--columns " LAYOUTS,
     ""},
    {"open", "--layer", "", "--to or --head"},
    {"open", "--out", "", "--to or --head or --draw or --kv-heads"},
    {"open", "--format", "", "--head or --draw"},
    {"judge", "--format", "", "--out"},
};

/* The name of a setting's value in --help: N for an integer, X for another
   number; "N,..." if the setting may have a list of values. */
static const char *
argument_of(const Setting *s, bool takes_list)
{
    const char *name = "WORD";
    if (s->kind == PLUGIN)
        name = "VARIANT";
    if (s->kind & NUMERIC)
        name = s->kind == INTEGER ? "N" : "X";
    return takes_list ? format_text("%s,...", name) : name;
}

/* The option of a command for a setting of runs. --help always shows the
   settings that the variant on the command line declares (OWN). */
static Option
option_for_setting(const Setting *s, const Command *c)
{
    static const char common[] = "variant task file d-model heads steps lr";
    bool has_letter = index_in("variant task", s->name) >= 0; /* -v, -t */
    return (Option){.value = *s,
                    .argument = argument_of(s, s->role & c->list_roles),
                    .letter = has_letter ? s->name[0] : 0,
                    .common = s->kind == OWN || index_in(common, s->name) >= 0};
}

int
options_of(const Command *c, Option list[MOST_OPTIONS])
{
    int count = 0;
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        bool taken = s->role & c->setting_roles;
        if (c->more_settings && index_in(c->more_settings, s->name) >= 0)
            taken = true;
        if (taken && s->help) /* users cannot set a setting that has no help */
            list[count++] = option_for_setting(s, c);
    }
    for (int i = 0; i < OWN_OPTIONS; i++)
        if (index_in(own_options[i].commands, c->name) >= 0)
            list[count++] = own_options[i];
    return count;
}

/* The first given option that is in the list `options` and is not `except`;
   NULL if there is none. */
static const char *
first_given(const Values *given, const char *options, const char *except)
{
    for (int i = 0; i < given->count; i++)
        if (index_in(options, given->text[i]) >= 0 &&
            strcmp(given->text[i], except) != 0)
            return given->text[i];
    return NULL;
}

void
check_together(const Command *c, const Values *given)
{
    enum { RULES = sizeof rules / sizeof *rules };
    for (const struct Rule *r = rules; r < rules + RULES; r++) {
        const char *option = first_given(given, r->options, "");
        if (!option || index_in(r->commands, c->name) < 0)
            continue; /* the rule is about other options or commands */
        const char *other = first_given(given, r->conflicts, option);
        if (other)
            usage("%s and %s do not go together: leave one of them out", option,
                  other);
        if (*r->needs && !first_given(given, r->needs, ""))
            usage("%s: it has no effect without %s; add that, or leave it out",
                  option, r->needs);
    }
}

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < commands_count; i++)
        printf("  qkv %-10s %s\n", commands[i].name, commands[i].purpose);
    printf("\n`qkv COMMAND --help` says more. A good place to start is `qkv "
           "compare`.\n");
}

/* The default of a setting of runs, which print_option adds to its help; "" if
   it is a word, or if s is an own option (role 0), whose help has the default.
 */
static const char *
default_shown(const Command *c, const Setting *s)
{
    Config defaults = config_start();
    if (c->defaults)
        config_apply(&defaults, c->defaults);
    return s->role && !(s->kind & WORDED) ? setting_text(s, &defaults) : "";
}

/* The column at which the help of an option begins, and where its lines end. */
enum { HELP_COLUMN = 28, HELP_WIDTH = 79 };

/* Prints an option in the left column and its help in the right one: what it
   does, its choices, and its default in brackets. */
static void
print_option(const Command *c, const Option *o)
{
    const Setting *s = &o->value;
    const char *letter = o->letter ? format_text("-%c,", o->letter) : "";
    const char *argument = o->argument ? format_text(" %s", o->argument) : "";
    const char *default_text = default_shown(c, s), *help = s->help;
    int column = printf("  %3s --%s%s", letter, s->name, argument);
    if (column >= HELP_COLUMN) { /* its help begins on the next line */
        printf("\n");
        column = 0;
    }
    if (s->choices)
        help = format_text("%s: %s", help, s->choices);
    if (*default_text)
        help = format_text("%s (%s)", help, default_text);
    print_wrapped(stdout, column, HELP_COLUMN, HELP_WIDTH, help);
}

void
print_help(const Command *c, bool all)
{
    Option list[MOST_OPTIONS];
    int count = options_of(c, list);
    printf("qkv %s [options]%s%s\n", c->name, *c->arguments ? " " : "",
           c->arguments);
    print_wrapped(stdout, 0, 0, HELP_WIDTH, c->purpose);
    printf("\n    %s\n    %s\n", c->examples[0], c->examples[1]);
    const char *blank_line = "\n"; /* before the first option, if any */
    for (int i = 0; i < count; i++)
        if (all || list[i].common) {
            printf("%s", blank_line);
            print_option(c, &list[i]);
            blank_line = "";
        }
    printf(
        "\nDefaults are in brackets; some tasks override them. An option that "
        "would have\nno effect with the others is refused. More: %s\n",
        all ? "lessons/reference.md" : "--help=all");
}
