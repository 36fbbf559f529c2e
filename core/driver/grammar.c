/* grammar.c - the commands, and the options that each takes. */
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "driver/grammar.h"
#include "run/manifest.h"

enum { MANY = 1 << 30 };
const Command commands[] = {
    {"list", "", "show the variants and the tasks", LIST, 0, 0, OF_SHAPE,
     "d-model"},
    {"train", "", "train one variant on one task, once", TRAIN, 0, 0, OF_ANY,
     ""},
    {"compare", "", "train variants x tasks x seeds x a grid, and draw figures",
     COMPARE, 0, 0, OF_ANY, ""},
    {"plot", "[EXPERIMENT | RUN ...]", "draw figures again, or new ones", PLOT,
     0, MANY, 0, ""},
    {"table", "EXPERIMENT ...",
     "print every run as one row: settings that vary, results, times", TABLE, 1,
     MANY, 0, ""},
    {"equiv", "[RUN --to VARIANT]",
     "convert trained variants into each other: which are the same?", EQUIV, 0,
     1, OF_ANY, ""},
    {"count", "", "count what variants cost at any shape: parameters, cache",
     COUNT_COSTS, 0, 0, OF_VARIANT | OF_SHAPE,
     "d-model layers length positions"},
    {"inspect", "RUN",
     "show the canonical form of a run's heads: rank, spectrum", INSPECT, 1, 1,
     0, ""},
    {"trace", "TEXT [RUN]",
     "follow a text through attention: ids, q, k, v, scores, weights", TRACE, 1,
     2, OF_VARIANT | OF_SEED | OF_MODEL | OF_SHAPE, ""},
    {"generate", "RUN --prompt TEXT",
     "let a trained run continue a text or answer a sequence", GENERATE, 1, 1,
     0, ""},
    {"export", "RUN --batch DIR",
     "write a batch of a run, its logits and gradients, as .npy", EXPORT, 1, 1,
     0, ""},
    {"bench", "", "measure the speed of this machine, and of qkv on it", BENCH,
     0, 0, OF_VARIANT | OF_DATA | OF_SHAPE | OF_MODEL | OF_SECOND,
     "batch optimizer"},
    {"new", "NAME", "start your own variant: write NAME.c", NEW, 1, 1, 0, ""},
    {"check", "PLUGIN", "test a plugin: gradients, causality ...", CHECK, 1, 1,
     0, ""},
};
const int commands_count = sizeof commands / sizeof *commands;

const Script scripts[] = {
    {"report", "write a report of verdicts, tables and figures"},
    {"recipe", "run a recipe: the commands that answer a question"},
    {"claim", "test a claim of a paper, and print the verdict"},
};
const int scripts_count = sizeof scripts / sizeof *scripts;

const Command *
command_of(int bit)
{
    const Command *c = commands;
    while (c->bit != bit)
        c++;
    return c;
}

/* Those that print a table. */
enum {
    TABLES = LIST | TRAIN | COMPARE | INSPECT | EQUIV | COUNT_COSTS | BENCH |
             TABLE | GENERATE
};

/* Those that are no settings of a run. */
static const Option own[] = {
#define AT(field) .offset = offsetof(Options, field)
    {"seeds", "N", "seeds 1 to N (5, unless --seed is given)", 0, COMPARE,
     COUNT, AT(compare.seeds)},
    {"jobs", "N", "runs at once (as many as cores; with --threads fewer)", 'j',
     COMPARE | EQUIV, COUNT, AT(request.work.jobs)},
    {"threads", "N",
     "cores for a single run, if it is large; the results are the same (1)", 0,
     TRAIN | COMPARE | BENCH, COUNT, AT(request.work.threads)},
    {"out", "DIR", "the experiment's directory (qkv-out)", 'o',
     TRAIN | COMPARE | EQUIV, TEXT, AT(out)},
    {"out", "DIR", "write figures to DIR/figures (the first EXPERIMENT)", 'o',
     PLOT, TEXT, AT(out)},
    {"out", "DIR", "write figures to DIR/figures (the run)", 'o', INSPECT, TEXT,
     AT(out)},
    {"from", "RUN",
     "start from the weights of a run, with its settings except those of "
     "training",
     0, TRAIN, TEXT, AT(request.work.from)},
    {"plan", NULL, "do not run: print a `qkv train` line for each run", 0,
     COMPARE, SWITCH, AT(compare.plan)},
    {"x", "WHAT",
     "the x axis: step, tokens, flops or seconds of training, a "
     "setting, or a line of result.tsv (step)",
     0, PLOT, TEXT, AT(draw.x)},
    {"y", "WHAT",
     "the y axis: columns of log.tsv or, for another x, lines of "
     "result.tsv (validation_loss,validation_accuracy)",
     0, PLOT, TEXT, AT(draw.y)},
    {"again", NULL, "the figures that compare and equiv draw", 0, PLOT, SWITCH,
     AT(again)},
    {"by", "SETTING,...",
     "a curve for each value of SETTING, or of several together; experiment: "
     "for each directory (variant)",
     0, PLOT, TEXT, AT(draw.by)},
    {"facet", "SETTING",
     "a panel for each value of SETTING, or for each quantity", 0, PLOT, TEXT,
     AT(draw.facet)},
    {"map", NULL, "draw --y as colours: --x across, --by down", 0, PLOT, SWITCH,
     AT(draw.map)},
    {"spread", "WORD",
     "draw the mean of the seeds with its interval, or each seed (interval)", 0,
     PLOT, TEXT, AT(draw.spread), "interval seeds"},
    {"show", "LIST", "only these values of --by, in this order", 0, PLOT, TEXT,
     AT(draw.show)},
    {"rename", "NAME=TEXT,...", "what values are called in the figure", 0, PLOT,
     TEXT, AT(draw.rename)},
    {"log-x", NULL, "a logarithmic x axis", 0, PLOT, SWITCH, AT(draw.log_x)},
    {"log-y", NULL, "logarithmic y axes; values not above 0 are left out", 0,
     PLOT, SWITCH, AT(draw.log_y)},
    {"xlim", "LOW,HIGH", "limits of the x axis", 0, PLOT, TEXT, AT(draw.xlim)},
    {"ylim", "LOW,HIGH", "limits of the y axis, or of a map's colours", 0, PLOT,
     TEXT, AT(draw.ylim)},
    {"labels", "X,Y", "titles of the axes", 0, PLOT, TEXT, AT(draw.labels)},
    {"size", "WIDTH",
     "width of a figure in LaTeX's points (see \\the\\columnwidth), or one of",
     0, COMPARE | PLOT, TEXT, AT(draw.size),
     "column icml acl neurips page slide"},
    {"to", "VARIANT", "what to convert RUN into", 0, EQUIV, TEXT, AT(to)},
    {"batch", "DIR", "the directory to make", 0, EXPORT, TEXT, AT(batch)},
    {"preset", "NAME",
     "a published model's shape, and its variant unless one is given: "
     "transformer-base transformer-b32 transformer-b16 transformer-big "
     "bert-base gpt2 gpt-3 llama-2-70b llama-3-8b qwen3-8b deepseek-v2 "
     "deepseek-v2-lite",
     0, COUNT_COSTS, TEXT, AT(count.preset)},
    {"weights", NULL, "a line for each matrix", 0, COUNT_COSTS, SWITCH,
     AT(count.weights)},
    {"real", "[=fitted]",
     "count the parameters that are really there: measured, or for more than "
     "6,000 by a formula fitted to small shapes",
     0, COUNT_COSTS, MAYBE, AT(count.real)},
    {"timeout", "N", "stop a run that takes longer than N seconds", 0,
     TRAIN | COMPARE, COUNT, AT(request.work.timeout)},
    {"memory", "N", "let a run have N megabytes (what is free, over --jobs)", 0,
     TRAIN | COMPARE | EQUIV, COUNT, AT(request.work.memory)},
    {"by", "SETTING",
     "what verdicts compare, such as positions; its first value is the "
     "baseline (variant; if there is only one, the setting that varies)",
     0, COMPARE | TABLE, TEXT, AT(request.by)},
    {"baseline", "VARIANT", "what the others are compared with (standard)", 0,
     COMPARE | TABLE, TEXT, AT(request.baseline)},
    {"judge", "WHAT",
     "the line of result.tsv that verdicts compare (test_accuracy; if that is "
     "saturated, solved_at; if some seed has none, test_loss)",
     0, COMPARE | TABLE, TEXT, AT(request.judge)},
    {"margin", "WHAT=X,...",
     "differences that do not matter: in a quantity's unit, or in per cent of "
     "the baseline's (test_accuracy=0.01,solved_at=10%,test_loss=0.01)",
     0, COMPARE | TABLE, TEXT, AT(request.margin)},
    {"verdicts", NULL, "print what compare prints: means, intervals, verdicts",
     0, TABLE, SWITCH, AT(verdicts)},
    {"characters", NULL, "tokens are characters, not words", 0, TRACE, SWITCH,
     AT(trace.characters)},
    {"head", "N", "show that head (the first)", 0, TRACE, COUNT,
     AT(trace.head)},
    {"prompt", "TEXT",
     "the start of the text, or the sequence to answer: tokens separated by "
     "spaces, two sequences by |; - reads standard input, without its last "
     "newline",
     'p', GENERATE, PROMPT, AT(generate.prompt)},
    {"tokens", "N",
     "how many tokens to generate (200 characters; for a task, the length of "
     "its sequences)",
     'n', GENERATE, COUNT, AT(generate.tokens)},
    {"temperature", "X",
     "sample from softmax(logits / X); 0: the likeliest (1 for a text, else 0)",
     0, GENERATE, REAL, AT(generate.temperature)},
    {"top-k", "N", "sample among the N likeliest (all)", 0, GENERATE, COUNT,
     AT(generate.top_k)},
    {"greedy", NULL, "always choose the likeliest, as --temperature 0", 0,
     GENERATE, SWITCH, AT(generate.greedy)},
    {"as", "VARIANT",
     "convert the run's weights into that variant, if it is the same function",
     0, GENERATE, TEXT, AT(generate.as)},
    {"seed", "N", "seed of the sampling (1)", 0, GENERATE, COUNT,
     AT(generate.seed)},
    {"samples", "N", "how many texts to generate (1)", 0, GENERATE, COUNT,
     AT(generate.samples)},
    {"attention", NULL,
     "print and draw which token looks at which in a test example", 0, INSPECT,
     SWITCH, AT(inspect.attention)},
    {"range", NULL,
     "print how much of the output lies outside the range of the input", 0,
     INSPECT, SWITCH, AT(inspect.range)},
    {"spectrum", NULL, "draw the singular values of every M_i and N_i", 0,
     INSPECT, SWITCH, AT(inspect.spectrum)},
    {"title", "TEXT", "title of the figure", 0, PLOT, TEXT, AT(draw.title)},
    {"format", "LIST", "formats of figures", 0,
     COMPARE | PLOT | INSPECT | EQUIV, TEXT, AT(draw.format),
     .choices = FORMATS, .start = "svg,png"},
    {"no-figures", NULL, "only train and print", 0, COMPARE, SWITCH,
     AT(compare.no_figures)},
    {"no-weights", NULL, "do not keep the trained matrices", 0, TRAIN | COMPARE,
     SWITCH, AT(request.work.no_weights)},
    {"redo", NULL, "repeat runs that another build of a plugin made", 0,
     TRAIN | COMPARE | EQUIV, SWITCH, AT(request.work.redo)},
    {"keep", NULL, "keep runs that another build of a plugin made", 0,
     TRAIN | COMPARE | EQUIV, SWITCH, AT(request.work.keep)},
    {"tasks", NULL, "only the tasks, with their settings", 0, LIST, SWITCH,
     AT(list.tasks)},
    {"variants", NULL, "only the variants", 0, LIST, SWITCH, AT(list.variants)},
    {"real", NULL,
     "also the real parameters, at --d-model 8 unless it is given", 0, LIST,
     SWITCH, AT(list.real)},
    {"family", NULL, "only the variants, by family", 0, LIST, SWITCH,
     AT(list.family)},
    {"tsv", NULL, "cells separated by tabs, as in a pipe", 0, TABLES | CHECK,
     SWITCH, AT(tsv)},
    {"markdown", NULL, "the table in Markdown", 0, TABLES, SWITCH,
     AT(markdown)},
    {"latex", NULL, "the table in LaTeX, for a column of a paper", 0, TABLES,
     SWITCH, AT(latex)},
    {"json", NULL, "the table in JSON, one object per row", 0, TABLES, SWITCH,
     AT(json)},
    {"columns", "LIST", "only these columns of the table, in this order", 0,
     TABLES, TEXT, AT(columns)},
    {"quiet", NULL, "no progress, no notes", 'q',
     TRAIN | COMPARE | PLOT | INSPECT | EQUIV | CHECK | EXPORT | BENCH |
         GENERATE,
     SWITCH, AT(quiet)},
#undef AT
    {"help", NULL, "show this help", 'h', ~0, HELP, .offset = 0},
};
enum { OWN = sizeof own / sizeof *own };

static bool
takes(int command, const Setting *s)
{
    const Command *c = command_of(command);
    return s->help && (s->role & c->roles || index_in(c->also, s->name) >= 0);
}

/* What a setting is unless it is given. */
static const char *
start_of(const Setting *s, int command)
{
    if (command & (COMPARE | EQUIV) && !strcmp(s->name, "variant"))
        return "the seven of the questions";
    if (command == COMPARE && !strcmp(s->name, "task"))
        return "reverse, recall, sort, induction";
    if (command == EQUIV && !strcmp(s->name, "task"))
        return "induction";
    if (command == TRACE && !strcmp(s->name, "d-model"))
        return "8";
    if (command == TRACE && !strcmp(s->name, "heads"))
        return "2";
    char start[VALUE_SIZE];
    Config usual = config_start();
    setting_print(s, &usual, start);
    return *start ? interned(start) : NULL;
}

static Option
option_of(const Setting *s, int command)
{
    return (Option){.name = s->name,
                    .argument = s->kind == INTEGER  ? "N"
                                : s->kind == NUMBER ? "X"
                                                    : "WORD",
                    .help = s->help,
                    .letter = !strcmp(s->name, "variant") ? 'v'
                              : !strcmp(s->name, "task")  ? 't'
                                                          : 0,
                    .shape = OF_SETTING,
                    .offset = (size_t)(s - settings),
                    .choices = s->choices,
                    .start = start_of(s, command)};
}

int
options_of(int command, Option list[MOST_OPTIONS])
{
    int count = 0;
    for (int i = 0; i < OWN; i++)
        if (own[i].commands & command)
            list[count++] = own[i];
    for (int i = 0; i < setting_count; i++)
        if (takes(command, &settings[i]))
            list[count++] = option_of(&settings[i], command);
    return count;
}

bool
option_taken(const char *name)
{
    const Setting *s = setting_named(name);
    bool taken = (s && !setting_own(s)) || index_in(manifest_keys, name) >= 0 ||
                 index_in("help format command", name) >= 0;
    for (int i = 0; i < OWN; i++)
        taken |= !strcmp(own[i].name, name);
    return taken;
}
