/* options.c - the words of a command line, taken apart. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "options.h"
#include "words.h"

static const struct Command {
    const char *name, *arguments, *what;
    int bit;
} commands[] = {
    {"list", "", "name the variants and the tasks there are", LIST},
    {"train", "", "train one variant on one task, once", TRAIN},
    {"compare", "", "train variants x tasks x seeds x a grid; draw them",
     COMPARE},
    {"plot", "[EXPERIMENT | RUN ...]", "draw figures again, or other ones",
     PLOT},
    {"equiv", "[RUN --to VARIANT]",
     "convert trained variants into one another; which are the same?", EQUIV},
    {"count", "", "what variants cost at any shape: parameters, FLOPs, cache",
     COUNT_COSTS},
    {"inspect", "RUN",
     "the canonical form of a trained run's heads: rank, spectrum", INSPECT},
    {"trace", "TEXT [RUN]",
     "follow a text through attention: ids, q, k, v, scores, weights", TRACE},
    {"export", "RUN --batch DIR",
     "a batch of a run, its logits and gradients, as .npy", EXPORT},
    {"new", "NAME", "begin a variant of your own: writes NAME.c", NEW},
    {"check", "PLUGIN", "what must hold of a plugin: gradients, causality ...",
     CHECK},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The commands' own options. */
typedef enum { SWITCH, TEXT, COUNT } Shape;
static const struct Own {
    const char *name, *argument, *help;
    int letter, bits;
    Shape shape;
    size_t offset;
} own[] = {
#define AT(field) offsetof(Options, field)
    {"seeds", "N", "seeds 1 to N (5, unless --seed is given)", 0, COMPARE,
     COUNT, AT(seeds)},
    {"jobs", "N", "runs at once (as many as cores)", 'j', COMPARE | EQUIV,
     COUNT, AT(jobs)},
    {"out", "DIR", "the experiment's directory (qkv-out)", 'o',
     TRAIN | COMPARE | EQUIV, TEXT, AT(out)},
    {"out", "DIR", "figures go into DIR/figures (the first EXPERIMENT)", 'o',
     PLOT, TEXT, AT(out)},
    {"out", "DIR", "figures go into DIR/figures (the run)", 'o', INSPECT, TEXT,
     AT(out)},
    {"plan", NULL, "print a `qkv train` line per run instead of running", 0,
     COMPARE, SWITCH, AT(plan)},
    {"x", "WHAT", "what lies along x: step, or a setting (step)", 0, PLOT, TEXT,
     AT(x)},
    {"y", "WHAT",
     "what is drawn: columns of log.tsv, or for another x of "
     "result.tsv (validation_loss,validation_accuracy)",
     0, PLOT, TEXT, AT(y)},
    {"by", "SETTING", "a curve for each value of it (variant)", 0, PLOT, TEXT,
     AT(by)},
    {"to", "VARIANT", "what to convert RUN into", 0, EQUIV, TEXT, AT(to)},
    {"batch", "DIR", "the directory to make", 0, EXPORT, TEXT,
     AT(batch_directory)},
    {"preset", "NAME",
     "a published shape: transformer-base transformer-b32 transformer-b16 "
     "transformer-big bert-base gpt-3 llama-2-70b deepseek-v2",
     0, COUNT_COSTS, TEXT, AT(preset)},
    {"weights", NULL, "a line for each matrix", 0, COUNT_COSTS, SWITCH,
     AT(weights)},
    {"markdown", NULL, "a table in Markdown", 0, COUNT_COSTS, SWITCH,
     AT(markdown)},
    {"latex", NULL, "a table in LaTeX", 0, COUNT_COSTS, SWITCH, AT(latex)},
    {"characters", NULL, "tokens are characters, not words", 0, TRACE, SWITCH,
     AT(by_character)},
    {"head", "N", "show that head (the first)", 0, TRACE, COUNT, AT(head)},
    {"attention", NULL, "print and draw who looks at whom in a test example", 0,
     INSPECT, SWITCH, AT(attention)},
    {"spectrum", NULL, "draw the singular values of every M_i and N_i", 0,
     INSPECT, SWITCH, AT(spectrum)},
    {"title", "TEXT", "over the figure", 0, PLOT, TEXT, AT(title)},
    {"format", "LIST", "of svg png pdf dumb (svg,png)", 0,
     COMPARE | PLOT | INSPECT, TEXT, AT(format)},
    {"no-figures", NULL, "train and print only", 0, COMPARE, SWITCH,
     AT(no_figures)},
    {"no-weights", NULL, "do not keep the trained matrices", 0, TRAIN | COMPARE,
     SWITCH, AT(no_weights)},
    {"redo", NULL, "repeat runs that another build of a plugin made", 0,
     TRAIN | COMPARE | EQUIV, SWITCH, AT(redo)},
    {"keep", NULL, "keep runs that another build of a plugin made", 0,
     TRAIN | COMPARE | EQUIV, SWITCH, AT(keep)},
    {"tasks", NULL, "only the tasks, with their settings", 0, LIST, SWITCH,
     AT(only_tasks)},
    {"variants", NULL, "only the variants", 0, LIST, SWITCH, AT(only_variants)},
    {"tsv", NULL, "a table of tabs, as when piped", 0,
     LIST | TRAIN | COMPARE | INSPECT | EQUIV | COUNT_COSTS | CHECK, SWITCH,
     AT(tsv)},
    {"quiet", NULL, "no progress, no notes", 'q',
     TRAIN | COMPARE | PLOT | INSPECT | EQUIV | CHECK | EXPORT, SWITCH,
     AT(quiet)},
#undef AT
};
enum { OWN = sizeof own / sizeof *own, MOST_OPTIONS = 96, LETTERS = 256 };

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  qkv %-9s %s\n", commands[i].name, commands[i].what);
    printf("\n`qkv COMMAND --help` tells more; `qkv compare` is the place to "
           "begin.\n");
}

/* Which settings a command takes: all, or for a list those that size a
   variant. */
static bool
takes(int command, const Setting *s)
{
    static const char *const sizes[] = {"d-model", "heads", "kv-heads",
                                        "d-k",     "d-v",   "latent"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (command & (LIST | COUNT_COSTS | TRACE) &&
            !strcmp(s->name, sizes[i]))
            return true;
    if (command == COUNT_COSTS)
        return !strcmp(s->name, "variant") || !strcmp(s->name, "layers") ||
               !strcmp(s->name, "length");
    static const char *const model[] = {"variant", "seed",      "layers",
                                        "mlp",     "norm",      "embed",
                                        "mask",    "positions", "residual"};
    for (size_t i = 0; i < sizeof model / sizeof *model; i++)
        if (command == TRACE && !strcmp(s->name, model[i]))
            return true;
    return s->help && command & (TRAIN | COMPARE | EQUIV);
}

/* Two columns within 80: the option, and its help in lines of up to 50. */
static void
print_option(const char *letter, const char *name, const char *argument,
             const char *help)
{
    enum { FROM = 28, WIDE = 51 };
    int at = printf("  %s --%s%s%s", letter, name, argument ? " " : "",
                    argument ? argument : "");
    while (*help) {
        int n = (int)strlen(help);
        for (int i = WIDE; n > WIDE; i--)
            if (help[i] == ' ' || i == 1)
                n = i;
        if (at >= FROM)
            at = 0 * printf("\n");
        printf("%*s%.*s\n", FROM - at, "", n, help);
        at = 0;
        help += n + (help[n] == ' ');
    }
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
    return s->start;
}

static void
print_setting(const Setting *s, int command)
{
    char help[256];
    const char *start = start_of(s, command);
    snprintf(help, sizeof help, "%s%s%s%s%s%s", s->help, s->choices ? ": " : "",
             s->choices ? s->choices : "", *start ? " (" : "", start,
             *start ? ")" : "");
    print_option(!strcmp(s->name, "variant") ? "-v,"
                 : !strcmp(s->name, "task")  ? "-t,"
                                             : "   ",
                 s->name,
                 s->kind == INTEGER  ? "N"
                 : s->kind == NUMBER ? "X"
                                     : "WORD",
                 help);
}

static _Noreturn void
print_help(int command)
{
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].bit == command)
            printf("qkv %s [options] %s\n%s\n\n", commands[i].name,
                   commands[i].arguments, commands[i].what);
    for (int i = 0; i < OWN; i++) {
        char letter[8] = "   ";
        if (own[i].letter)
            snprintf(letter, sizeof letter, "-%c,", own[i].letter);
        if (own[i].bits & command)
            print_option(letter, own[i].name, own[i].argument, own[i].help);
    }
    print_option("-h,", "help", NULL, "this");
    if (command & ~(PLOT | INSPECT | CHECK | NEW | EXPORT))
        printf("\nSettings; in brackets what they are unless the task, or you, "
               "say otherwise%s\n",
               command == COMPARE ? ".\nA list a,b,c makes a grid:" : ":");
    for (int i = 0; i < setting_count; i++)
        if (takes(command, &settings[i]))
            print_setting(&settings[i], command);
    exit(fflush(stdout) ? 1 : 0);
}

Values
values_cut(const char *list)
{
    Values v = {0};
    int room = 0;
    for (;;) {
        size_t n = strcspn(list, ",");
        v.text = grow(v.text, v.count, &room, sizeof *v.text);
        v.text[v.count++] = format_text("%.*s", (int)n, list);
        if (!list[n])
            return v;
        list += n + 1;
    }
}

void
values_free(Values *v)
{
    for (int i = 0; i < v->count; i++)
        free(v->text[i]);
    free(v->text);
    *v = (Values){0};
}

/* Takes down what was given to a setting, each value checked alone. */
static void
give(Options *o, int index, const char *text, int command)
{
    const Setting *s = &settings[index];
    Config trial;
    bool lists = command == COMPARE || (command & (EQUIV | COUNT_COSTS) &&
                                        !strcmp(s->name, "variant"));
    bool single = !lists || !strcmp(s->name, "file");
    Values v = values_cut(single ? "" : text);
    if (single) {
        free(v.text[0]);
        v.text[0] = copy_text(text);
    }
    for (int i = 0; i < v.count; i++) {
        const char *why = setting_set(s, &trial, v.text[i]);
        if (why)
            usage("--%s: %s%s", s->name, why,
                  single && strchr(text, ',') ? "; lists are for `qkv compare`"
                                              : "");
        if (s->kind == WORD && !*v.text[i])
            usage("--%s: an empty word", s->name);
    }
    values_free(&o->given[index]);
    o->given[index] = v;
}

static void
set_own(Options *o, const struct Own *option, const char *text)
{
    void *at = (char *)o + option->offset;
    char *end;
    if (option->shape == SWITCH)
        *(bool *)at = true;
    else if (option->shape == TEXT) {
        if (!*text)
            usage("--%s: an empty word", option->name);
        *(const char **)at = text;
    } else {
        double n = strtod(text, &end);
        if (end == text || *end || n != floor(n) || !(n >= 1 && n <= 1e6))
            usage("--%s: \"%.64s\" is not a whole number within 1 and 1000000",
                  option->name, text);
        *(double *)at = n;
    }
}

/* Exits for a word that getopt could not place. */
static _Noreturn void
unknown(const struct option *known, int count, char **argv, int code)
{
    const char *names[MOST_OPTIONS], *word = argv[optind - 1];
    for (int i = 0; i < count; i++)
        names[i] = known[i].name;
    if (code == ':')
        usage("%s: needs a value after it", word);
    if (optopt && optopt < LETTERS)
        usage("unknown option -%c: `qkv %s --help` names those there are",
              optopt, argv[0]);
    if (optopt)
        usage("%s: takes no value", word);
    char *name = copy_text(word + strspn(word, "-"));
    name[strcspn(name, "=")] = 0;
    usage("unknown option %s%s: `qkv %s --help` names those there are", word,
          did_you_mean(name, names, count), argv[0]);
}

/* Fills getopt's table; val tells own options and settings apart. */
static int
known_options(struct option *known, char *letters, int command)
{
    int n = 0;
    letters += sprintf(letters, ":h");
    known[n++] = (struct option){"help", no_argument, NULL, 'h'};
    for (int i = 0; i < OWN; i++) {
        if (!(own[i].bits & command))
            continue;
        int argument = own[i].shape == SWITCH ? no_argument : required_argument;
        known[n++] = (struct option){own[i].name, argument, NULL, LETTERS + i};
        if (own[i].letter)
            letters += sprintf(letters, "%c%s", own[i].letter,
                               argument == required_argument ? ":" : "");
    }
    if (command & (TRAIN | COMPARE | EQUIV))
        sprintf(letters, "v:t:");
    if (command & (COUNT_COSTS | TRACE))
        sprintf(letters, "v:");
    for (int i = 0; i < setting_count; i++)
        if (takes(command, &settings[i]))
            known[n++] = (struct option){settings[i].name, required_argument,
                                         NULL, LETTERS + OWN + i};
    return n;
}

/* The long option that a letter stands for. */
static int
long_code(int letter)
{
    for (int i = 0; i < OWN; i++)
        if (own[i].letter == letter)
            return LETTERS + i;
    const char *name = letter == 'v' ? "variant" : "task";
    return LETTERS + OWN + (int)(setting_named(name) - settings);
}

Options
options_read(int argc, char **argv, int command)
{
    Options o = {.format = "svg,png",
                 .x = "step",
                 .y = "validation_loss,validation_accuracy",
                 .by = "variant",
                 .jobs = (double)sysconf(_SC_NPROCESSORS_ONLN)};
    struct option known[MOST_OPTIONS] = {{0}};
    char letters[64];
    o.given = allocate((size_t)setting_count, sizeof *o.given);
    int code, count = known_options(known, letters, command);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        if (code == '?' || code == ':')
            unknown(known, count, argv, code);
        if (code == 'h')
            print_help(command);
        if (code < LETTERS)
            code = long_code(code);
        if (code < LETTERS + OWN)
            set_own(&o, &own[code - LETTERS], optarg);
        else
            give(&o, code - LETTERS - OWN, optarg, command);
    }
    o.rest = argv + optind;
    o.rest_count = argc - optind;
    if (o.rest_count &&
        !(command & (PLOT | INSPECT | EQUIV | CHECK | NEW | TRACE | EXPORT)))
        usage("\"%s\": not an option, and `qkv %s` takes nothing else",
              o.rest[0], argv[0]);
    if (!o.out)
        o.out = o.rest_count && command != EQUIV ? o.rest[0] : "qkv-out";
    if (command & (COMPARE | PLOT | INSPECT)) {
        Values formats = options_formats(&o);
        values_free(&formats);
    }
    if (o.redo && o.keep)
        usage("--redo and --keep contradict each other: give one");
    return o;
}

void
options_free(Options *o)
{
    for (int i = 0; i < setting_count; i++)
        values_free(&o->given[i]);
    free(o->given);
}

Values *
options_given(const Options *o, const char *setting)
{
    return &o->given[setting_named(setting) - settings];
}

Values
options_formats(const Options *o)
{
    static const char *const known[] = {"svg", "png", "pdf", "dumb"};
    Values v = values_cut(o->format);
    for (int i = 0; i < v.count; i++) {
        bool found = false;
        for (int k = 0; k < 4; k++)
            found |= !strcmp(v.text[i], known[k]);
        if (!found)
            usage("--format: \"%s\" is none of svg, png, pdf, dumb%s",
                  v.text[i], did_you_mean(v.text[i], known, 4));
    }
    return v;
}
