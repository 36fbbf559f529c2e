/* option_table.c - the commands, and the options that each takes with their
   defaults. help.c prints these tables.

   The settings of runs are options, too: config/settings.c has their table, and
   heart/config.h their defaults (USUAL). */
#include <string.h>

#include "driver/option_table.h"

enum { MANY = 1 << 30 }; /* any number of words */

/* clang-format off */
const Command commands[] = {
    {"list", .arguments = "", .purpose = "list variants and their equations, tasks, or published models", .examples = {"qkv list", "qkv list --models"}, .more_settings = "length"},
    {"train", .arguments = "", .purpose = "train one variant on one task, once", .examples = {"qkv train -t sort -v full-rank --heads 2", "qkv train --from qkv-out/RUN --steps 200"}, .setting_roles = OF_ANY},
    {"compare", .arguments = "", .purpose = "train variants on tasks, over seeds and a grid; draw figures", .examples = {"qkv compare        # seven variants, four tasks, five seeds", "qkv compare -t recall --d-k 1,2,4,8 --out width    # a grid"}, .setting_roles = OF_ANY, .list_roles = OF_ANY},
    {"plot", .arguments = "[EXPERIMENT | RUN ...]", .purpose = "redraw the figures of compare, or draw others", .examples = {"qkv plot rates --x lr --y test_loss,solved_at", "qkv plot rates --y loss,accuracy --format pdf"}, .most_words = MANY},
    {"table", .arguments = "EXPERIMENT ...", .purpose = "print a row for each run: settings that vary, results, times", .examples = {"qkv table width > runs.tsv", "qkv table width --verdicts"}, .least_words = 1, .most_words = MANY},
    {"judge", .arguments = "FILE", .purpose = "compare the methods in a CSV or TSV table: which is better?", .examples = {"qkv judge mine.csv --method name --seed seed --lower loss --baseline ours", "qkv judge mine.tsv --method name --unpaired --higher score --baseline ours"}, .least_words = 1, .most_words = 1},
    {"equiv", .arguments = "[RUN]", .purpose = "convert trained variants into one another: which are the same?", .examples = {"qkv equiv -v standard,fused,two-step", "qkv equiv qkv-out/RUN -v full-rank"}, .most_words = 1, .setting_roles = OF_ANY, .list_roles = OF_VARIANT},
    {"count", .arguments = "[RUN]", .purpose = "count parameters and cache of variants, at any shape or a run's", .examples = {"qkv count -v standard,gqa,mla --d-model 512 --length 128", "qkv count --real -v standard,two-step --d-model 16"}, .most_words = 1, .setting_roles = OF_VARIANT | OF_SHAPE, .list_roles = OF_VARIANT, .more_settings = "d-model layers length positions mask symbols mlp norm"},
    {"derive", .arguments = "VARIANT [= VARIANT]", .purpose = "derive M_i and N_i from a variant's code; with =, compare two", .examples = {"qkv derive two-step", "qkv derive two-step = standard"}, .least_words = 1, .most_words = 3},
    {"inspect", .arguments = "RUN", .purpose = "show the canonical form of a run's heads: rank, symmetry", .examples = {"qkv inspect qkv-out/RUN", "qkv inspect qkv-out/RUN --attention"}, .least_words = 1, .most_words = 1},
    {"trace", .arguments = "TEXT [RUN]", .purpose = "follow a text through attention: ids, q, k, v, scores, weights", .examples = {"qkv trace 'the cat sat on the mat' -v two-step", "qkv trace 'the cat' --d-model 4 --heads 1 --mask causal"}, .least_words = 1, .most_words = 2, .setting_roles = OF_VARIANT | OF_SEED | OF_MODEL | OF_SHAPE, .defaults = "d-model=8 heads=2"},
    {"generate", .arguments = "RUN --prompt TEXT", .purpose = "let a trained run continue a text or a sequence of its task", .examples = {"qkv generate qkv-out/RUN --prompt 'The license '", "qkv generate qkv-out/RUN -p '3 1 4 1 5 9 2 6 10' --temperature 0"}, .least_words = 1, .most_words = 1},
    {"export", .arguments = "RUN DIR", .purpose = "write a batch of a run, with logits and gradients, as .npy files", .examples = {"qkv export qkv-out/RUN batch", "python3 -c \"import numpy; print(numpy.load('batch/logits.npy'))\""}, .least_words = 2, .most_words = 2},
    {"check", .arguments = "PLUGIN", .purpose = "test a plugin: gradients, causality and more", .examples = {"qkv check ./mine.c", "qkv check standard"}, .least_words = 1, .most_words = 1},
    {"open", .arguments = "DIR", .purpose = "show how much of a checkpoint's attention is really there", .examples = {"qkv open all-MiniLM-L6-v2", "qkv open all-MiniLM-L6-v2 --slim OUT"}, .least_words = 1, .most_words = 1},

    /* Shell scripts that call the other commands, plots/commands/NAME.sh. These
       scripts print their own help. */
    {"new", .purpose = "start your own variant: write NAME.c"},
    {"report", .purpose = "write a report of verdicts, tables and figures"},
    {"recipe", .purpose = "run a recipe: the commands that answer a question"},
    {"claim", .purpose = "test a claim of a paper, and print the verdict"},
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
    /* The inner braces hold a Setting: the option's name; its kind, with its
       field of Options and the least and greatest value; and its help. */
    {{"seeds", INTEGER_AT(Options, seeds, 1, MOST_SIZE), .help = "use seeds 1 to N, short for --seed 1..N (5)"}, .argument = "N", .commands = "compare", .common = true},
    {{"head-dim", INTEGER_AT(Options, head_dim, 0, MOST_SIZE), .help = "width of a head: sets both --d-k and --d-v"}, .argument = "N", .commands = "train count trace", .common = true},
    {{"out", WORD_AT(Options, out), .help = "the directory of runs and figures (qkv-out)"}, .argument = "DIR", .commands = RUNS " open", .letter = 'o', .common = true},
    {{"out", WORD_AT(Options, out), .help = "the directory in which figures/ is written (the first EXPERIMENT or RUN; without one, qkv-out)"}, .argument = "DIR", .commands = "plot inspect", .letter = 'o', .common = true},
    {{"jobs", INTEGER_AT(Options, request.work.jobs, 1, MOST_SIZE), .help = "how many runs to train at once (cores / --threads)"}, .argument = "N", .commands = "compare equiv", .letter = 'j'},
    {{"threads", INTEGER_AT(Options, request.work.threads, 1, MOST_THREADS), .help = "threads of each run, for large models; results are the same (1)"}, .argument = "N", .commands = TRAINS},
    {{"from", WORD_AT(Options, request.work.from), .help = "start from this run's weights, model and data; weights are converted if the variant or the shape differs"}, .argument = "RUN", .commands = "train", .common = true},
    {{"plan", SWITCH_AT(Options, plan), .help = "only print a `qkv train` line for each run"}, .commands = "compare", .common = true},
    {{"memory", INTEGER_AT(Options, request.work.memory, 1, MOST_SIZE), .help = "memory limit of a run, in MB (the machine's / --jobs)"}, .argument = "MB", .commands = RUNS},
    {{"no-figures", SWITCH_AT(Options, no_figures), .help = "draw no figures, only train and print"}, .commands = "compare"},
    {{"no-weights", SWITCH_AT(Options, request.work.no_weights), .help = "do not keep the trained weights"}, .commands = TRAINS},
    {{"baseline", WORD_AT(Options, request.baseline), .help = "the variant to compare the others with (standard)"}, .argument = "NAME", .commands = VERDICTS, .common = true},
    {{"judge", WORD_AT(Options, request.judge), .help = "the result to compare and to choose learning rates by, a line of result.tsv (test_accuracy; solved_at if that is saturated; test_loss if a seed has no solved_at)"}, .argument = "WHAT", .commands = VERDICTS},
    {{"margin", WORD_AT(Options, request.margin), .help = "differences too small to matter, in the result's unit or in per cent of the baseline's (test_accuracy=0.01,solved_at=10%,test_loss=0.01)"}, .argument = "WHAT=X,...", .commands = VERDICTS},
    {{"by", WORD_AT(Options, request.by), .help = "the settings whose values are compared (variant)"}, .argument = "SETTING,...", .commands = VERDICTS, .common = true},
    {{"where", WORD_AT(Options, request.where), .help = "use only runs with these values, as in lr=0.01, 'lr<=0.01' or seed=1..3, and runs that do not use the setting; give a setting twice to allow two values"}, .argument = "SETTING=VALUE,...", .commands = "table plot", .common = true},
    {{"method", WORD_AT(Options, question.method), .help = "the column that names the method"}, .argument = "COLUMN", .commands = "judge", .common = true},
    {{"seed", WORD_AT(Options, question.seed), .help = "the column by which rows of two methods are paired, such as the seed"}, .argument = "COLUMN", .commands = "judge", .common = true},
    {{"unpaired", SWITCH_AT(Options, question.unpaired), .help = "use Welch's test for methods whose seeds differ from the baseline's (without --seed, for all)"}, .commands = "judge", .common = true},
    {{"lower", WORD_AT(Options, question.lower), .help = "result columns in which lower is better"}, .argument = "NAME,...", .commands = "judge", .common = true},
    {{"higher", WORD_AT(Options, question.higher), .help = "result columns in which higher is better"}, .argument = "NAME,...", .commands = "judge", .common = true},
    {{"solved-at", WORD_AT(Options, question.solved_at), .help = "result columns with the steps to a threshold; NA: never reached"}, .argument = "NAME,...", .commands = "judge", .common = true},
    {{"baseline", WORD_AT(Options, question.baseline), .help = "the method to compare the others with"}, .argument = "NAME", .commands = "judge", .common = true},
    {{"margin", WORD_AT(Options, question.margin), .help = "differences too small to matter, in the result's unit or in per cent of the baseline's"}, .argument = "NAME=X,...", .commands = "judge", .common = true},
    {{"out", WORD_AT(Options, out), .help = "also draw the differences, into DIR/figures"}, .argument = "DIR", .commands = "judge", .letter = 'o', .common = true},
    {{"verdicts", SWITCH_AT(Options, verdicts), .help = "print what compare prints: means, intervals, verdicts"}, .commands = "table", .common = true},
    {{"x", WORD_AT(Options, draw.x), .help = "the x axis: a setting or a line of result.tsv (training steps)"}, .argument = "WHAT", .commands = "plot", .common = true},
    {{"y", WORD_AT(Options, draw.y), .help = "the y axis: columns of log.tsv or, with --x, lines of result.tsv (validation_loss,validation_accuracy)"}, .argument = "WHAT", .commands = "plot", .common = true},
    {{"map", SWITCH_AT(Options, draw.map), .help = "draw --y as coloured cells: --x across, --by down"}, .commands = "plot"},
    {{"log-y", SWITCH_AT(Options, draw.log_y), .help = "make y axes logarithmic; values of 0 or less are left out"}, .commands = "plot"},
    {{"gnuplot", WORD_AT(Options, draw.gnuplot), .help = "a line to add to the figure's script, such as \"xlabel = 'width'; ylim = '0 1'\""}, .argument = "CODE", .commands = "plot"},
    {{"size", WORD_AT(Options, draw.size), .help = "width of a figure: a number of points, as LaTeX's \\the\\columnwidth prints it, or `column`, as in a two-column article (a page's width)"}, .argument = "WIDTH", .commands = "compare plot"},
    {{"format", WORD_AT(Options, draw.format), .choices = FORMATS, .help = "formats of figures, by default svg,png"}, .argument = "LIST", .commands = "compare plot inspect equiv open judge"},
    {{"preset", WORD_AT(Options, preset), .help = "a published model, by its name in `qkv list --models`"}, .argument = "NAME", .commands = "count", .common = true},
    {{"config", WORD_AT(Options, config), .help = "a model's config.json, as transformers saves it"}, .argument = "FILE", .commands = "count", .common = true},
    {{"part", WORD_AT(Options, part), .help = "the part to count of a model that has several: encoder, decoder or cross (the attention between them), or an object of config.json, such as `vision` for vision_config"}, .argument = "NAME", .commands = "count"},
    {{"real", SWITCH_AT(Options, real), .help = "count the parameters that are really there: measured or, above 6,000, by a formula fitted to small shapes"}, .commands = "count", .common = true},
    {{"whole", SWITCH_AT(Options, whole), .help = "count the real parameters of a whole model: embedding, positions, norms, MLPs and all"}, .commands = "count", .common = true},
    {{"prompt", TEXT_AT(Options, generate.prompt), .help = "the text to continue, or the start of a sequence: tokens separated by spaces"}, .argument = "TEXT", .commands = "generate", .letter = 'p', .common = true},
    {{"tokens", INTEGER_AT(Options, generate.tokens, 1, MOST_SIZE), .help = "how many tokens to generate (to one past the length trained on)"}, .argument = "N", .commands = "generate", .letter = 'n', .common = true},
    {{"temperature", NUMBER_AT(Options, generate.temperature, 0, 1000), .help = "sample from softmax(logits / X); 0: always the likeliest (1)"}, .argument = "X", .commands = "generate", .common = true},
    {{"top-k", INTEGER_AT(Options, generate.top_k, 1, MOST_SIZE), .help = "sample among the N likeliest tokens (all)"}, .argument = "N", .commands = "generate", .common = true},
    {{"samples", INTEGER_AT(Options, generate.samples, 1, MOST_SIZE), .help = "write N continuations, with seeds S, S + 1, ... (1)"}, .argument = "N", .commands = "generate", .common = true},
    {{"seed", INTEGER_AT(Options, generate.seed, 1, MOST_SIZE), .help = "seed of the sampling, S (1)"}, .argument = "N", .commands = "generate"},
    {{"attention", SWITCH_AT(Options, attention), .help = "print and draw which tokens attend to which"}, .commands = "inspect", .common = true},
    {{"forms", SWITCH_AT(Options, forms), .help = "print what each variant computes, derived from its code"}, .commands = "list", .common = true},
    {{"models", SWITCH_AT(Options, models), .help = "list published models: the parameters of their attention, and its cache at --length"}, .commands = "list", .common = true},
    {{"names", SWITCH_AT(Options, names), .help = "print only the names of the variants, without opening them"}, .commands = "list"},
    {{"heads", SWITCH_AT(Options, heads), .help = "print a row for each head"}, .commands = "open", .common = true},
    {{"draw", SWITCH_AT(Options, draw_heads), .help = "draw the singular values of all heads or, with --against, their distances, into figures/ of --out"}, .commands = "open", .common = true},
    {{"against", WORD_AT(Options, against), .help = "compare all heads with another checkpoint's: M, N, and the matrices as stored"}, .argument = "DIR", .commands = "open", .common = true},
    {{"slim", WORD_AT(Options, slim), .help = "write the model without its gauge to a new directory"}, .argument = "DIR", .commands = "open", .common = true},
    {{"kv-heads", INTEGER_AT(Options, kv_heads, 1, MOST_SIZE), .help = "let all heads share N heads of keys and values; with --out, write that model to a new directory"}, .argument = "N", .commands = "open", .common = true},
    {{"npy", WORD_AT(Options, npy), .help = "write W^Q, W^K, W^V and W^O of every head as NumPy arrays to a new directory"}, .argument = "DIR", .commands = "open"},
    {{"to", WORD_AT(Options, to), .help = "write a layer as a run of this variant, for inspect, equiv and trace"}, .argument = "VARIANT", .commands = "open", .common = true},
    {{"layer", INTEGER_AT(Options, layer, 1, MOST_SIZE), .help = "the layer for --to or --head, counted from 1 (1)"}, .argument = "N", .commands = "open", .common = true},
    {{"head", INTEGER_AT(Options, head, 1, MOST_SIZE), .help = "draw M of this head of the layer, entry by entry"}, .argument = "N", .commands = "open", .common = true},
    {{"tasks", SWITCH_AT(Options, tasks), .help = "list the tasks instead of the variants"}, .commands = "list", .common = true},
    {{"columns", WORD_AT(Options, columns), .help = "print only these columns, in this order"}, .argument = "NAME,...", .commands = TABLES, .common = true},
    {{"tsv", SWITCH_AT(Options, tsv), .help = "print cells separated by tabs, the default in a pipe"}, .commands = TABLES " check"},
    {{"json", SWITCH_AT(Options, json), .help = "print a JSON array with an object for each row"}, .commands = TABLES},
    {{"markdown", SWITCH_AT(Options, markdown), .help = "print the table in Markdown"}, .commands = TABLES},
    {{"latex", SWITCH_AT(Options, latex), .help = "print the table or the formulas in LaTeX, for a paper"}, .commands = TABLES " derive"},
    {{"quiet", SWITCH_AT(Options, quiet), .help = "print no progress and no notes"}, .commands = RUNS " plot inspect check export open", .letter = 'q'},
};
/* clang-format on */
enum { OWN_OPTIONS = sizeof own_options / sizeof *own_options };

/* The rules about options that would have no effect. Each member is a list of
   words, or NULL. A rule holds for the commands in `commands`: an option in
   `options` cannot be given with any other option in `conflicts`, and needs one
   of the options in `needs`. A message prints `needs`, so that list may have an
   "or", as in "--to or --head". */
#define LAYOUTS "--tsv --json --markdown --latex"
#define LISTS   "--tasks --models --forms --names"
/* clang-format off */
static const struct Rule {
    const char *commands, *options, *conflicts, *needs;
} rules[] = {
    {TABLES, LAYOUTS, .conflicts = LAYOUTS},
    {"list", LISTS, .conflicts = LISTS},
    {"list", "--length", .needs = "--models"},
    {"list", "--names", .conflicts = "--columns " LAYOUTS},
    {"list", "--forms", .conflicts = "--columns"},
    {"compare", "--plan", .conflicts = "--jobs --threads --memory --format --size --columns " LAYOUTS},
    {"compare", "--no-figures", .conflicts = "--format --size"},
    {"plot", "--map", .needs = "--x"},
    {"inspect", "--out --format", .needs = "--attention"},
    {"equiv", "--out --format --jobs --memory", .conflicts = "RUN"},
    {"count", "--preset --config", .conflicts = "--preset --config --real --variant RUN"},
    {"count", "--part", .needs = "--config"},
    {"count", "--real", .conflicts = "--length"},
    {"count", "--whole", .conflicts = "--preset --part --real RUN"},
    {"count", "--symbols --mlp --norm", .needs = "--whole"},
    {"open", "--to --head", .conflicts = "--heads --draw --slim --columns " LAYOUTS},
    {"open", "--against", .conflicts = "--to --head --slim"},
    {"open", "--kv-heads", .conflicts = "--to --head --slim --against --heads --draw"},
    {"open", "--npy", .conflicts = "--to --head --slim --against --kv-heads --heads --draw --columns " LAYOUTS},
    {"open", "--layer", .needs = "--to or --head"},
    {"open", "--out", .needs = "--to or --head or --draw or --kv-heads"},
    {"open", "--format", .needs = "--head or --draw"},
    {"judge", "--format", .needs = "--out"},
};
/* clang-format on */

/* What --help calls the value of a setting: VARIANT, N for an integer, X for
   another number, or WORD; "N,..." if the option takes a list of integers. */
static const char *
argument_of(const Setting *s, bool takes_list)
{
    const char *name = "WORD";
    if (s->kind == PLUGIN)
        name = "VARIANT";
    if (s->kind == INTEGER)
        name = "N";
    if (s->kind == NUMBER || s->kind == OWN)
        name = "X";
    return takes_list ? format_text("%s,...", name) : name;
}

/* The option with which a command sets a setting of runs. A setting that the
   variant on the command line declares (OWN) counts as common. */
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
        if (taken && s->help) /* a setting without help is not for users */
            list[count++] = option_for_setting(s, c);
    }
    for (int i = 0; i < OWN_OPTIONS; i++)
        if (index_in(own_options[i].commands, c->name) >= 0)
            list[count++] = own_options[i];
    return count;
}

/* The first of the given options that is in the list `options` and is not
   `except`. NULL if there is none, or if `options` is NULL. */
static const char *
first_given(const Values *given, const char *options, const char *except)
{
    if (!options)
        return NULL;
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
    const char *no_exception = ""; /* no option has this name */
    for (const struct Rule *r = rules; r < rules + RULES; r++) {
        bool is_for_command = index_in(r->commands, c->name) >= 0;
        const char *option = first_given(given, r->options, no_exception);
        if (!option || !is_for_command)
            continue;
        const char *other = first_given(given, r->conflicts, option);
        if (other)
            usage("%s and %s do not go together: leave one of them out", option,
                  other);
        if (r->needs && !first_given(given, r->needs, no_exception))
            usage("%s: it has no effect without %s; add that, or leave it out",
                  option, r->needs);
    }
}
