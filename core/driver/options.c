/* options.c - the words of a command line, taken apart. */
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "run/compile.h"
#include "run/describe.h"
#include "driver/grammar.h"
#include "heart/fail.h"
#include "heart/threads.h"

enum { LETTERS = 256 }; /* those above are places in the list of options */

/* The values of a list; of whole numbers "3,11..13" is "3,11,12,13". */
static Values
cut_list(const Setting *s, const char *text)
{
    Values words = values_cut(text), all = {0};
    for (int i = 0; i < words.count; i++) {
        double first, last;
        char *word = words.text[i], *dots = strstr(word, "..");
        bool range = s->kind == INTEGER && dots;
        if (range) {
            *dots = 0;
            range = !number_read(word, true, 0, INT_MAX, &first) &&
                    !number_read(dots + 2, true, first,
                                 fmin(first + 1e6, INT_MAX), &last);
            *dots = '.';
        }
        if (!range)
            values_add(&all, copy_text(word));
        for (; range && first <= last; first++)
            values_add(&all, format_text("%.0f", first));
    }
    values_free(&words);
    return all;
}

/* Takes down what was given to a setting, each value checked alone. */
static void
give(Options *o, int index, const char *text, int command)
{
    const Setting *s = &settings[index];
    Config trial;
    if (command == COMPARE && !strcmp(s->name, "lr") &&
        !strcmp(text, "auto")) { /* driver/rates.h */
        values_free(&o->request.given[index]);
        o->request.given[index] = values_cut(text);
        return;
    }
    bool lists = command == COMPARE || (command & (EQUIV | COUNT_COSTS) &&
                                        !strcmp(s->name, "variant"));
    bool single = !lists || !strcmp(s->name, "file");
    Values v = cut_list(s, single ? "" : text);
    if (single)
        replace(&v.text[0], copy_text(text));
    for (int i = 0; i < v.count; i++) {
        bool start = !strcmp(s->name, "same-start");
        if (setting_plugin(s) || start) { /* ./a.c, or ./a.c+d-k=2 */
            const char *shape =
                v.text[i] + strcspn(v.text[i], start ? "+" : "");
            char *word =
                format_text("%.*s", (int)(shape - v.text[i]), v.text[i]);
            replace(&v.text[i], format_text("%s%s", plugin_built(word), shape));
            free(word);
        }
        const char *why = setting_set(s, &trial, v.text[i]);
        if (why)
            usage("--%s: %s%s", s->name, why,
                  single && strchr(text, ',') ? "; lists are for `qkv compare`"
                                              : "");
        if (setting_numeric(s)) { /* 1e-05, however it was written */
            char number[VALUE_SIZE];
            setting_print(s, &trial, number);
            replace(&v.text[i], copy_text(number));
        }
        if (!strcmp(s->name, "init"))
            replace(&v.text[i], init_plain(v.text[i]));
        if (setting_plugin(s))
            plugin_given(v.text[i]);
        if (start)
            plugin_given(likeness_of(trial.same_start).as.variant);
        if (setting_worded(s) && !*v.text[i])
            usage("--%s: an empty word", s->name);
    }
    values_free(&o->request.given[index]);
    o->request.given[index] = v;
}

/* Is it a WIDTH in points: "240", "234.8pt"? */
static bool
is_width(const Option *option, const char *text)
{
    char *end;
    double points = strtod(text, &end);
    return !strcmp(option->argument, "WIDTH") && points >= 100 &&
           points <= 1500 && (!*end || !strcmp(end, "pt"));
}

/* Exits unless each word of a list "a,b" is one of the choices. */
static void
check_choices(const Option *option, const char *text)
{
    Values words = values_cut(text);
    for (int i = 0; i < words.count; i++)
        if (index_in(option->choices, words.text[i]) < 0 &&
            !is_width(option, words.text[i]))
            usage("--%s: \"%.64s\" is not one of: %s%s", option->name,
                  words.text[i], option->choices,
                  strcmp(option->argument, "WIDTH")
                      ? ""
                      : ", nor a width from 100 to 1500 points");
    if (words.count > 1 && strcmp(option->argument, "LIST"))
        usage("--%s: one of: %s", option->name, option->choices);
    values_free(&words);
}

static void
set_own(Options *o, const Option *option, const char *text)
{
    void *at = (char *)o + option->offset;
    bool whole = option->shape == COUNT;
    if (option->shape == SWITCH)
        *(bool *)at = true;
    else if (option->shape == MAYBE)
        *(const char **)at = text ? text : "";
    else if (option->shape == PROMPT)
        *(const char **)at = text;
    else if (option->shape == TEXT) {
        if (!*text)
            usage("--%s: an empty word", option->name);
        if (!is_text(text)) /* a plan has it in a line, a report in words */
            usage("--%s: it has a control character or bytes that are no UTF-8",
                  option->name);
        if (!strcmp(option->argument, "VARIANT"))
            plugin_given(text = plugin_built(text));
        *(const char **)at = text;
        if (option->choices)
            check_choices(option, text);
    } else {
        double x;
        const char *why =
            number_read(text, whole, whole, whole ? 1e6 : 1e3, &x);
        if (why)
            usage("--%s: %s", option->name, why);
        if (whole)
            *(int *)at = (int)x;
        else
            *(double *)at = x;
    }
}

/* Exits for a word that getopt could not place. */
static _Noreturn void
unknown(const struct option *known, int count, char **argv, int code)
{
    const char *names[MOST_OPTIONS], *word = argv[optind - 1];
    bool variants = false;
    for (int i = 0; i < count; i++) {
        names[i] = known[i].name;
        variants |= !strcmp(names[i], "variant");
    }
    if (code == ':')
        usage("%s: needs a value after it", word);
    if (optopt && optopt < LETTERS)
        usage("unknown option -%c: `qkv %s --help` lists them", optopt,
              argv[0]);
    if (optopt)
        usage("%s: takes no value", word);
    char *name = copy_text(word + strspn(word, "-"));
    name[strcspn(name, "=")] = 0;
    usage("unknown option %s%s: `qkv %s --help` lists them%s", word,
          did_you_mean(name, names, count), argv[0],
          variants ? "; no variant named here declares it: `qkv list "
                     "--family` has those that do"
                   : "");
}

/* Fills getopt's table of the options, and its string of letters. */
static void
tell_getopt(const Option *list, int count, struct option *known, char *letters)
{
    *letters++ = ':';
    for (int i = 0; i < count; i++) {
        int argument = !list[i].argument        ? no_argument
                       : list[i].shape == MAYBE ? optional_argument
                                                : required_argument;
        known[i] = (struct option){list[i].name, argument, NULL, LETTERS + i};
        if (list[i].letter)
            letters += sprintf(letters, "%c%s", list[i].letter,
                               argument == required_argument ? ":" : "");
    }
}

/* The option that a code of getopt's stands for. */
static const Option *
option_coded(const Option *list, int code)
{
    while (code < LETTERS && list->letter != code)
        list++;
    return code < LETTERS ? list : list + code - LETTERS;
}

/* Adds the variants that an option's value names: a list, or "mine+window=4".
 */
static void
add_variants(Values *variants, const Option *option, const char *value)
{
    bool ours = option->shape == OF_SETTING;
    bool start = ours && !strcmp(option->name, "same-start");
    if (ours ? !start && !setting_plugin(&settings[option->offset])
             : !option->argument || strcmp(option->argument, "VARIANT"))
        return;
    Values v = values_cut(value);
    for (int i = 0; i < v.count; i++) {
        int n = (int)(start ? strcspn(v.text[i], "+") : strlen(v.text[i]));
        if (!start || (strcmp(v.text[i], "auto") && !strchr(v.text[i], ':')))
            values_add(variants, format_text("%.*s", n, v.text[i]));
    }
    values_free(&v);
}

/* Makes options of what the variants on a command line declare, where it has a
   word that is none without them, or asks for help. */
static void
declare_own(int argc, char **argv, int command)
{
    Option list[MOST_OPTIONS];
    struct option known[MOST_OPTIONS + 1] = {{0}};
    char letters[64], **words = allocate((size_t)argc + 1, sizeof *words);
    bool strange = false, help = false;
    Values variants = {0};
    memcpy(words, argv, (size_t)argc * sizeof *words); /* getopt moves them */
    tell_getopt(list, options_of(command, list), known, letters);
    opterr = 0;
    optind = 0;
    for (int code;
         (code = getopt_long(argc, words, letters, known, NULL)) != -1;) {
        bool good = code != '?' && code != ':';
        const Option *option = good ? option_coded(list, code) : NULL;
        strange |= !good ||
                   (!strcmp(option->name, "same-start") && strchr(optarg, '+'));
        help |= good && option->shape == HELP;
        if (good)
            add_variants(&variants, option, optarg);
    }
    for (int i = 0; (strange || help) && i < variants.count; i++) {
        Own own;
        const char *word = plugin_built(variants.text[i]);
        plugin_given(word);
        Facts f = describe(word, NULL, false);
        const char *at = f.uses;
        if (!f.ok && !help)
            f.status == 2 ? usage("%s", f.why) : fail("%s", f.why);
        while (own_next(&at, &own))
            setting_declare(own.name);
    }
    values_free(&variants);
    free(words);
}

/* Exits unless the words besides options are as many as the command takes. */
static void
check_rest(const Options *o, const Command *c)
{
    if (o->rest_count && !c->most)
        usage("\"%s\": not an option, and `qkv %s` takes nothing else",
              o->rest[0], c->name);
    if (o->rest_count < c->least || o->rest_count > c->most)
        usage("%s takes %s: `qkv %s --help` tells more", c->name, c->arguments,
              c->name);
    for (int i = 0; i < o->rest_count; i++)
        if (!*o->rest[i])
            usage("an empty word where `qkv %s --help` has %s", c->name,
                  "a name, a path or a text");
}

static const char default_format[] = "svg,png";

Options
options_read(int argc, char **argv, int command)
{
    Options o = {.draw = {.format = default_format,
                          .x = "step",
                          .y = default_y,
                          .by = "variant"},
                 .request = {.work = {.threads = 1}},
                 .generate = {.temperature = -1, .seed = 1, .samples = 1}};
    Option list[MOST_OPTIONS];
    struct option known[MOST_OPTIONS + 1] = {{0}};
    char letters[64];
    o.request.given = allocate((size_t)settings_most, sizeof *o.request.given);
    declare_own(argc, argv, command);
    int code, count = options_of(command, list);
    tell_getopt(list, count, known, letters);
    optind = 0; /* from the beginning, whatever was read before */
    while ((code = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        if (code == '?' || code == ':')
            unknown(known, count, argv, code);
        const Option *option = option_coded(list, code);
        if (option->shape == HELP)
            print_help(command);
        if (option->shape == OF_SETTING)
            give(&o, (int)option->offset, optarg, command);
        else
            set_own(&o, option, optarg);
        if (!strcmp(option->name, "seeds")) /* the last of the two counts */
            values_free(given_to(&o.request, "seed"));
        else if (!strcmp(option->name, "seed"))
            o.compare.seeds = 0;
    }
    o.rest = argv + optind;
    o.rest_count = argc - optind;
    check_rest(&o, command_of(command));
    if (!o.out)
        o.out = o.rest_count && !(command & EQUIV) ? o.rest[0] : "qkv-out";
    o.draw.out = o.request.work.out = o.out;
    o.draw.quiet = o.request.work.quiet = o.quiet;
    int cores = o.cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (o.request.work.threads > MOST_THREADS)
        usage("--threads %d: there can be %d at most", o.request.work.threads,
              MOST_THREADS);
    if (!o.request.work.jobs)
        o.request.work.jobs =
            cores > o.request.work.threads ? cores / o.request.work.threads : 1;
    if (o.tsv + o.markdown + o.latex + o.json > 1)
        usage("--tsv, --markdown, --latex and --json contradict each other: "
              "give one");
    if (o.request.work.redo && o.request.work.keep)
        usage("--redo and --keep contradict each other: give one");
    return o;
}

Layout
layout_of(const Options *o)
{
    return o->markdown                        ? MARKDOWN
           : o->latex                         ? LATEX
           : o->json                          ? JSON
           : o->tsv || !isatty(STDOUT_FILENO) ? TSV
                                              : ALIGNED;
}
