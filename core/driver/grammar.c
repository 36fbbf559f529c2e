/* grammar.c - the commands, the options that each takes, and --help. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "driver/grammar.h"
#include "page/table.h"

enum { MANY = 1 << 30 };

/* clang-format off */
const Command commands[] = { /* main.c has their functions in this order */
    /* name, words, what it does, two examples, least and most words, roles of its settings, and of lists, others, their start */
    {"list", "", "show variants and their equations, tasks, or published models", {"qkv list", "qkv list --models"}, 0, 0, 0, 0, "length", ""},
    {"train", "", "train one variant on one task, once", {"qkv train -t sort -v full-rank --heads 2", "qkv train --from qkv-out/RUN --steps 200"}, 0, 0, OF_ANY, 0, "", ""},
    {"compare", "", "train variants x tasks x seeds x a grid, and draw figures", {"qkv compare        # seven variants, four tasks, five seeds", "qkv compare -t recall --d-k 1,2,4,8 --out width    # a grid"}, 0, 0, OF_ANY, OF_ANY, "", ""},
    {"plot", "[EXPERIMENT | RUN ...]", "redraw the figures of compare, or draw others", {"qkv plot rates --x lr --y test_loss,solved_at", "qkv plot rates --y loss,accuracy --format pdf"}, 0, MANY, 0, 0, "", ""},
    {"table", "EXPERIMENT ...", "print every run as one row: settings that vary, results, times", {"qkv table width > runs.tsv", "qkv table width --verdicts"}, 1, MANY, 0, 0, "", ""},
    {"equiv", "[RUN]", "convert trained variants into one another: which are the same?", {"qkv equiv -v standard,fused,two-step", "qkv equiv qkv-out/RUN -v full-rank"}, 0, 1, OF_ANY, OF_VARIANT, "", ""},
    {"count", "[RUN]", "count parameters and cache of variants, at any shape or a run's", {"qkv count -v standard,gqa,mla --d-model 512 --length 128", "qkv count --real -v standard,two-step --d-model 16"}, 0, 1, OF_VARIANT | OF_SHAPE, OF_VARIANT, "d-model layers length positions", ""},
    {"derive", "VARIANT [= VARIANT]", "derive M_i and N_i from a variant's code, or one from another", {"qkv derive two-step", "qkv derive two-step = standard"}, 1, 3, 0, 0, "", ""},
    {"inspect", "RUN", "show the canonical form of a run's heads: rank, symmetry", {"qkv inspect qkv-out/RUN", "qkv inspect qkv-out/RUN --attention"}, 1, 1, 0, 0, "", ""},
    {"trace", "TEXT [RUN]", "follow a text through attention: ids, q, k, v, scores, weights", {"qkv trace 'the cat sat on the mat' -v two-step", "qkv trace 'the cat' --d-model 4 --heads 1 --mask causal"}, 1, 2, OF_VARIANT | OF_SEED | OF_MODEL | OF_SHAPE, 0, "", "d-model=8 heads=2"},
    {"generate", "RUN --prompt TEXT", "let a trained run continue a text or a sequence of its task", {"qkv generate qkv-out/RUN --prompt 'The license '", "qkv generate qkv-out/RUN -p '3 1 4 1 5 9 2 6 10' --temperature 0"}, 1, 1, 0, 0, "", ""},
    {"export", "RUN DIR", "write a batch of a run, its logits and gradients, as .npy", {"qkv export qkv-out/RUN batch", "python3 -c \"import numpy; print(numpy.load('batch/logits.npy'))\""}, 2, 2, 0, 0, "", ""},
    {"check", "PLUGIN", "test a plugin: gradients, causality and more", {"qkv check ./mine.c", "qkv check standard"}, 1, 1, 0, 0, "", ""},
    {"open", "DIR", "show how much of a checkpoint's attention is really there", {"qkv open all-MiniLM-L6-v2", "qkv open all-MiniLM-L6-v2 --slim OUT"}, 1, 1, 0, 0, "", ""},

    /* shell scripts over the others, plots/commands/NAME.sh, with their own help */
    {"new", "", "start your own variant: write NAME.c", {0}, 0, 0, 0, 0, "", ""},
    {"report", "", "write a report of verdicts, tables and figures", {0}, 0, 0, 0, 0, "", ""},
    {"recipe", "", "run a recipe: the commands that answer a question", {0}, 0, 0, 0, 0, "", ""},
    {"claim", "", "test a claim of a paper, and print the verdict", {0}, 0, 0, 0, 0, "", ""},
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

#define TABLES   "list train compare inspect equiv count table open"
#define RUNS     "train compare equiv"
#define TRAINS   "train compare"
#define VERDICTS "compare table"
#define FIGURES  "compare plot inspect equiv open"
#define QUIET    RUNS " plot inspect check export open"

/* Those that are no settings of a run. */
/* clang-format off */
static const Option own[] = {
#define AT(field) .offset = offsetof(Options, field)
#define WORK(field) AT(request.work.field)
#define DRAW(field) AT(draw.field)
    /* name, kind, argument, help, commands, where, choices */
    {"seeds", INTEGER, "N", "seeds 1 to N, short for --seed 1..N (5)", "compare", AT(request), .common = true},
    {"head-dim", TEXT, "N", "width of a head: sets both --d-k and --d-v", "train count trace", AT(request), .common = true},
    {"out", WORD, "DIR", "the directory of runs and figures (qkv-out)", RUNS " plot inspect open", AT(out), .letter = 'o', .common = true},
    {"jobs", INTEGER, "N", "how many runs at once (as many as the cores allow)", "compare equiv", WORK(jobs), .letter = 'j'},
    {"threads", INTEGER, "N", "cores for a single large run, with the same results (1)", TRAINS, WORK(threads), .most = MOST_THREADS},
    {"from", WORD, "RUN", "start from a run's weights, with its model and data; they are converted if -v or the shape differs", "train", WORK(from), .common = true},
    {"plan", SWITCH, NULL, "only print a `qkv train` line for each run", "compare", AT(plan), .common = true},
    {"memory", INTEGER, "N", "megabytes that a run may use (the machine's / jobs)", RUNS, WORK(memory)},
    {"no-figures", SWITCH, NULL, "only train and print", "compare", AT(no_figures)},
    {"no-weights", SWITCH, NULL, "do not keep the trained matrices", TRAINS, WORK(no_weights)},
    {"baseline", WORD, "NAME", "the variant to compare others with (standard)", VERDICTS, AT(request.baseline), .common = true},
    {"judge", WORD, "WHAT", "the line of result.tsv that verdicts compare (test_accuracy; if that is saturated, solved_at; if some seed has none, test_loss)", VERDICTS, AT(request.judge)},
    {"margin", WORD, "WHAT=X,...", "differences that do not matter: in a quantity's unit, or in per cent of the baseline's (test_accuracy=0.01,solved_at=10%,test_loss=0.01)", VERDICTS, AT(request.margin)},
    {"by", WORD, "SETTING,...", "settings whose values verdicts or curves compare (variant)", "plot compare table", AT(request.by), .common = true},
    {"where", WORD, "SETTING=VALUE,...", "only runs with these values, or without such a setting; give a setting twice to allow two", "table plot", AT(request.where), .common = true},
    {"verdicts", SWITCH, NULL, "print what compare prints: means, intervals, verdicts", "table", AT(verdicts), .common = true},
    {"x", WORD, "WHAT", "the x axis: a setting, or a line of result.tsv (steps of training)", "plot", DRAW(x), .common = true},
    {"y", WORD, "WHAT", "the y axis: columns of log.tsv or, for another x, lines of result.tsv (validation_loss,validation_accuracy)", "plot", DRAW(y), .common = true},
    {"map", SWITCH, NULL, "draw --y as colours: --x across, --by down", "plot", DRAW(map)},
    {"log-y", SWITCH, NULL, "logarithmic y axes; values of 0 or less are left out", "plot", DRAW(log_y)},
    {"gnuplot", WORD, "CODE", "a line for the figure's script, such as \"xlabel = 'width'; ylim = '0 1'\"", "plot", DRAW(gnuplot)},
    {"size", WORD, "WIDTH", "width of a figure: `column`, for an article with two columns, or points, as LaTeX's \\the\\columnwidth prints them (a page's)", "compare plot", DRAW(size)},
    {"format", WORD, "LIST", "formats of figures (svg,png)", FIGURES, DRAW(format), FORMATS},
    {"preset", WORD, "NAME", "a published model, by its name in `qkv list --models`", "count", AT(preset), .common = true},
    {"config", WORD, "FILE", "a model's config.json, as transformers saves it", "count", AT(config), .common = true},
    {"real", SWITCH, NULL, "count the parameters that are really there: measured, or above 6,000 by a formula fitted to small shapes", "count", AT(real), .common = true},
    {"prompt", TEXT, "TEXT", "the start of the text, or of the sequence: tokens separated by spaces", "generate", AT(generate.prompt), .letter = 'p', .common = true},
    {"tokens", INTEGER, "N", "how many tokens to generate (up to the length of training's sequences)", "generate", AT(generate.tokens), .letter = 'n', .common = true},
    {"temperature", NUMBER, "X", "sample from softmax(logits / X); 0: always the likeliest (1)", "generate", AT(generate.temperature), .most = 1000, .common = true},
    {"top-k", INTEGER, "N", "sample among the N likeliest tokens (all)", "generate", AT(generate.top_k), .common = true},
    {"samples", INTEGER, "N", "write N continuations, with seeds S, S + 1, ... (1)", "generate", AT(generate.samples), .common = true},
    {"seed", INTEGER, "N", "seed of the sampling, S (1)", "generate", AT(generate.seed)},
    {"attention", SWITCH, NULL, "print and draw which tokens look at which", "inspect", AT(attention), .common = true},
    {"forms", SWITCH, NULL, "what each variant computes, derived from its code", "list", AT(forms), .common = true},
    {"models", SWITCH, NULL, "published models: their attention and its cache at --length", "list", AT(models), .common = true},
    {"heads", SWITCH, NULL, "print a row for each head", "open", AT(heads), .common = true},
    {"draw", SWITCH, NULL, "draw the singular values of all heads into figures/ of --out", "open", AT(spectra), .common = true},
    {"slim", WORD, "DIR", "write the model without its gauge to a new directory", "open", AT(slim), .common = true},
    {"to", WORD, "VARIANT", "write a layer as a run of that variant, for inspect, equiv and trace", "open", AT(to), .common = true},
    {"layer", INTEGER, "N", "the layer for --to or --head, counted from 1 (1)", "open", AT(layer), .common = true},
    {"head", INTEGER, "N", "draw M of this head of the layer, entry by entry", "open", AT(head), .common = true},
    {"tasks", SWITCH, NULL, "the tasks instead of the variants", "list", AT(tasks), .common = true},
    {"columns", WORD, "NAME,...", "only these columns, in this order", TABLES, AT(columns), .common = true},
    {"tsv", SWITCH, NULL, "print cells separated by tabs, as into a pipe", TABLES " check", AT(tsv)},
    {"markdown", SWITCH, NULL, "print the table in Markdown", TABLES, AT(markdown)},
    {"latex", SWITCH, NULL, "print the table or the formulas in LaTeX, for a paper", TABLES " derive", AT(latex)},
    {"quiet", SWITCH, NULL, "no progress, no notes", QUIET, AT(quiet), .letter = 'q'},
};
/* clang-format on */
enum { OWN_OPTIONS = sizeof own / sizeof *own };

static Option
option_of(const Setting *s)
{
    static const char common[] = "variant task file d-model heads steps lr";
    return (Option){.name = s->name,
                    .kind = (int)s->kind,
                    .argument = s->kind == INTEGER  ? "N"
                                : s->kind & NUMERIC ? "X"
                                                    : "WORD",
                    .help = s->help,
                    .choices = s->choices,
                    .letter =
                        index_in("variant task", s->name) >= 0 ? *s->name : 0,
                    .common = s->kind == OWN || index_in(common, s->name) >= 0,
                    .setting = s};
}

int
options_of(const Command *c, Option list[MOST_OPTIONS])
{
    int count = 0;
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (s->help && (s->role & c->roles || index_in(c->also, s->name) >= 0))
            list[count++] = option_of(s);
    for (int i = 0; i < OWN_OPTIONS; i++)
        if (index_in(own[i].commands, c->name) >= 0)
            list[count++] = own[i];
    return count;
}

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < commands_count; i++)
        printf("  qkv %-10s %s\n", commands[i].name, commands[i].what);
    printf("\n`qkv COMMAND --help` says more. A good place to start is `qkv "
           "compare`.\n");
}

/* Two columns within 80: the option, and its help; of a setting that is no word
   what it is unless it is given. */
static void
print_option(const Command *c, const Option *o)
{
    enum { FROM = 28 };
    char letter[] = "-x,";
    const char *start = "";
    letter[1] = (char)o->letter;
    Config usual = config_start();
    config_apply(&usual, c->start);
    if (o->setting && !(o->setting->kind & WORDED))
        start = setting_text(o->setting, &usual);
    const char *argument = o->argument ? o->argument : "";
    int at = printf("  %3s --%s%s%s", o->letter ? letter : "", o->name,
                    *argument ? " " : "", argument);
    if (at >= FROM)
        at = printf("\n") - 1;
    char *help = format_text("%s%s%s%s%s%s", o->help, o->choices ? ": " : "",
                             o->choices ? o->choices : "", *start ? " (" : "",
                             start, *start ? ")" : "");
    print_wrapped(stdout, at, FROM, 79, help);
}

void
print_help(const Command *c, bool all)
{
    Option list[MOST_OPTIONS];
    int count = options_of(c, list);
    printf("qkv %s [options]%s%s\n", c->name, *c->arguments ? " " : "",
           c->arguments);
    print_wrapped(stdout, 0, 0, 79, c->what);
    printf("\n    %s\n    %s\n\n", c->examples[0], c->examples[1]);
    for (int i = 0; i < count; i++)
        if (all || list[i].common)
            print_option(c, &list[i]);
    printf("\nDefaults are in brackets; a task may have its own. More: %s\n",
           all ? "lessons/reference.md" : "--help=all");
}
