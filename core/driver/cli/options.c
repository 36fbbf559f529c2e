/* options.c - the words of a command line, taken apart. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/threads.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/cli/own_options.h"

enum { MOST_OPTIONS = 96, LETTERS = 256 };

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
    if (single)
        replace(&v.text[0], copy_text(text));
    for (int i = 0; i < v.count; i++) {
        const char *why = setting_set(s, &trial, v.text[i]);
        if (why)
            usage("--%s: %s%s", s->name, why,
                  single && strchr(text, ',') ? "; lists are for `qkv compare`"
                                              : "");
        if (setting_plugin(s))
            plugin_given(v.text[i]);
        if (!strcmp(s->name, "same-start"))
            plugin_given(trial.same_start.as.variant);
        if (setting_worded(s) && !*v.text[i])
            usage("--%s: an empty word", s->name);
    }
    values_free(&o->given[index]);
    o->given[index] = v;
}

static void
set_own(Options *o, const Own *option, const char *text)
{
    void *at = (char *)o + option->offset;
    char *end;
    if (option->shape == SWITCH)
        *(bool *)at = true;
    else if (option->shape == MAYBE)
        *(const char **)at = text ? text : "";
    else if (option->shape == TEXT) {
        if (!*text)
            usage("--%s: an empty word", option->name);
        if (!is_text(text)) /* a plan has it in a line, a report in words */
            usage("--%s: it has a control character or bytes that are no UTF-8",
                  option->name);
        *(const char **)at = text;
        if (!strcmp(option->name, "to") || !strcmp(option->name, "baseline"))
            plugin_given(text);
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
    for (int i = 0; i < own_count; i++) {
        if (!(own[i].bits & command))
            continue;
        int argument = own[i].shape == SWITCH  ? no_argument
                       : own[i].shape == MAYBE ? optional_argument
                                               : required_argument;
        known[n++] = (struct option){own[i].name, argument, NULL, LETTERS + i};
        if (own[i].letter)
            letters += sprintf(letters, "%c%s", own[i].letter,
                               argument == required_argument ? ":" : "");
    }
    if (command & (TRAIN | COMPARE | EQUIV))
        sprintf(letters, "v:t:");
    if (command & (COUNT_COSTS | TRACE | BENCH))
        sprintf(letters, "v:");
    for (int i = 0; i < setting_count; i++)
        if (takes(command, &settings[i]))
            known[n++] = (struct option){settings[i].name, required_argument,
                                         NULL, LETTERS + own_count + i};
    return n;
}

/* The long option that a letter stands for. */
static int
long_code(int letter)
{
    for (int i = 0; i < own_count; i++)
        if (own[i].letter == letter)
            return LETTERS + i;
    const char *name = letter == 'v' ? "variant" : "task";
    return LETTERS + own_count + (int)(setting_named(name) - settings);
}

const char default_format[] = "svg,png";
const char default_y[] = "validation_loss,validation_accuracy";

Options
options_read(int argc, char **argv, int command)
{
    Options o = {.format = default_format,
                 .x = "step",
                 .y = default_y,
                 .by = "variant",
                 .threads = 1};
    struct option known[MOST_OPTIONS] = {{0}};
    char letters[64];
    o.given = allocate((size_t)setting_count, sizeof *o.given);
    int code, count = known_options(known, letters, command);
    opterr = 0;
    optind = 0; /* from the beginning, whatever was read before */
    while ((code = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        if (code == '?' || code == ':')
            unknown(known, count, argv, code);
        if (code == 'h')
            print_help(command);
        if (code < LETTERS)
            code = long_code(code);
        if (code < LETTERS + own_count)
            set_own(&o, &own[code - LETTERS], optarg);
        else
            give(&o, code - LETTERS - own_count, optarg, command);
    }
    o.rest = argv + optind;
    o.rest_count = argc - optind;
    if (o.rest_count &&
        !(command & (PLOT | INSPECT | EQUIV | CHECK | NEW | TRACE | EXPORT |
                     BENCH | REPORT | COMPLETION | MERGE)))
        usage("\"%s\": not an option, and `qkv %s` takes nothing else",
              o.rest[0], argv[0]);
    for (int i = 0; i < o.rest_count; i++)
        if (!*o.rest[i])
            usage("an empty word where `qkv %s --help` has %s", argv[0],
                  "a name, a path or a text");
    if (!o.out)
        o.out = o.rest_count && !(command & (EQUIV | MERGE)) ? o.rest[0]
                                                             : "qkv-out";
    if (command & (COMPARE | PLOT | INSPECT)) {
        Values formats = options_formats(&o);
        values_free(&formats);
    }
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (o.threads > MOST_THREADS)
        usage("--threads %.0f: there can be %d at most", o.threads,
              MOST_THREADS);
    if (!o.jobs)
        o.jobs = cores > o.threads ? floor(cores / o.threads) : 1;
    if (o.size && index_in("column page slide", o.size) < 0)
        usage("--size %s: none of column, page, slide", o.size);
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

void
options_apply(const Options *o, Config *c)
{
    for (int i = 0; i < setting_count; i++)
        if (o->given[i].count)
            setting_set(&settings[i], c, o->given[i].text[0]);
}

Values *
options_given(const Options *o, const char *setting)
{
    return &o->given[setting_named(setting) - settings];
}

Values
options_formats(const Options *o)
{
    static const char *const known[] = {"svg",  "png",        "pdf",
                                        "tikz", "cairolatex", "dumb"};
    Values v = values_cut(o->format);
    for (int i = 0; i < v.count; i++) {
        bool found = false;
        for (int k = 0; k < 6; k++)
            found |= !strcmp(v.text[i], known[k]);
        if (!found)
            usage("--format: \"%s\" is none of svg, png, pdf, tikz, "
                  "cairolatex, dumb%s",
                  v.text[i], did_you_mean(v.text[i], known, 6));
    }
    return v;
}
