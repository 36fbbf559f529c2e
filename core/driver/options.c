/* options.c - the words of a command line, taken apart, each read once. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "driver/grammar.h"
#include "driver/help.h"
#include "heart/fail.h"
#include "page/table.h"
#include "run/compile.h"
#include "run/describe.h"

/* The values of a list; of whole numbers "3,11..13" is "3,11,12,13". */
static Values
cut_list(const Setting *s, const char *text)
{
    Values words = values_cut(text), all = {0};
    for (int i = 0; i < words.count; i++) {
        int first = -1, last = -1, end = 0;
        const char *word = words.text[i];
        sscanf(word, "%d..%d%n", &first, &last, &end);
        if (s->kind != INTEGER || !end || word[end] || first < 0 ||
            last < first || last - first > 1e6 ||
            word[strspn(word, "0123456789.")])
            values_add(&all, copy_text(word));
        else
            for (; first <= last; first++)
                values_add(&all, format_text("%d", first));
    }
    values_free(&words);
    return all;
}

/* The plugin that a word of the command line names: ./mine.c is compiled. */
static const char *
plugin_meant(const char *word)
{
    const char *built = plugin_built(word);
    plugin_given(built);
    return built;
}

/* Makes settings of what these variants declare. */
static void
declare_own(const Values *variants)
{
    Own own;
    for (int i = 0; i < variants->count; i++) {
        Plugin p = plugin_open(variants->text[i]);
        check_own(&p);
        for (const char *at = variant_uses(p.variant); own_next(&at, &own);)
            setting_declare(own.name);
    }
}

/* Replaces one value of a setting by how it is kept: a number as it is always
   written. Exits where it is none. */
static void
check_value(const Setting *s, char **value)
{
    char number[VALUE_SIZE];
    Config trial;
    if (setting_plugin(s))
        replace(value, copy_text(plugin_meant(*value)));
    const char *why = setting_worded(s) && !**value
                          ? "an empty word"
                          : setting_set(s, &trial, *value);
    if (why)
        usage("--%s: %s%s", s->name, why,
              strchr(*value, ',') ? "; lists are for `qkv compare`" : "");
    if (setting_numeric(s)) { /* 1e-05, however it was written */
        setting_print(s, &trial, number);
        replace(value, copy_text(number));
    }
    if (!strcmp(s->name, "same-start"))
        plugin_given(likeness_of(trial.same_start).as.variant);
}

/* Takes down what was given to a setting. */
static void
give(Options *o, const Command *c, const Setting *s, const char *text)
{
    bool compares = !strcmp(c->name, "compare");
    bool lists = compares ? strcmp(s->name, "file") != 0
                          : index_in("equiv count", c->name) >= 0 &&
                                !strcmp(s->name, "variant");
    bool rates = compares && !strcmp(s->name, "lr") && !strcmp(text, "auto");
    Values *given = &o->request.given[s - settings];
    values_free(given);
    if (lists)
        *given = cut_list(s, text);
    else
        values_add(given, copy_text(text));
    for (int i = 0; i < given->count && !rates; i++) /* study/rates.h */
        check_value(s, &given->text[i]);
    if (setting_plugin(s))
        declare_own(given);
}

/* Exits unless each word of a list is one of the choices, or a WIDTH in points:
   "240", "234.8pt". */
static void
check_choices(const Option *option, const char *text)
{
    char *end;
    Values words = values_cut(text);
    double points = strtod(text, &end);
    bool width = !strcmp(option->argument, "WIDTH") && points >= 100 &&
                 points <= 1500 && (!*end || !strcmp(end, "pt"));
    for (int i = 0; i < words.count && !width; i++)
        if (index_in(option->choices, words.text[i]) < 0)
            usage("--%s: \"%.64s\" is not one of: %s", option->name,
                  words.text[i], option->choices);
    values_free(&words);
}

/* Takes down what was given to an option that is no setting. */
static void
set_own(Options *o, const Option *option, const char *text)
{
    void *at = (char *)o + option->offset;
    const char *argument = option->argument ? option->argument : "", *why;
    bool whole = !strcmp(argument, "N");
    Setting s = {.offset = option->offset, .min = whole, .max = 1e6};
    s.kind = whole ? INTEGER : !strcmp(argument, "X") ? NUMBER : WORD;
    if (!strcmp(option->name, "temperature"))
        s.max = 1000;
    if (!*argument)
        *(bool *)at = true;
    else if (!strcmp(argument, "TEXT"))
        *(const char **)at = text;
    else if (*argument == '[' ? !strstr(argument, text) : !*text)
        usage("--%s: not a word that it takes", option->name);
    else if ((why = setting_set(&s, (void *)o, text)))
        usage("--%s: %s", option->name, why);
    if (option->choices)
        check_choices(option, text);
    if (!strcmp(argument, "VARIANT"))
        *(const char **)at = plugin_meant(text);
    if (!strcmp(option->name, "to"))
        declare_own(&(Values){(char **)at, 1, 1});
}

/* The option of a word, "--name=value", "-n" or "-nvalue", or NULL. */
static const Option *
option_in(const Option *list, int count, const char *word)
{
    size_t n = strcspn(word, "=") - 2;
    for (int i = 0; i < count; i++)
        if (word[1] == '-' ? n == strlen(list[i].name) &&
                                 !strncmp(word + 2, list[i].name, n)
                           : word[1] == list[i].letter)
            return &list[i];
    return NULL;
}

/* The value of the option in argv[*i]: behind it, or in the next word, where *i
   is then. */
static const char *
value_of(const Option *option, char **argv, int *i)
{
    const char *word = argv[*i], *argument = option->argument;
    const char *value = strchr(word, '=');
    if (word[1] != '-')
        value = word[2] ? word + 1 : NULL;
    if (value && !argument)
        usage("%s: takes no value", word);
    if (value || !argument || *argument == '[')
        return value ? value + 1 : "";
    if (!argv[*i + 1])
        usage("%s: needs a value after it", word);
    return argv[++*i];
}

/* Takes down an option and its value; --help ends the program. */
static void
take(Options *o, const Command *c, const Option *option, const char *value)
{
    if (option->setting)
        give(o, c, option->setting, value);
    else if (!strcmp(option->name, "seeds"))
        give(o, c, setting_named("seed"), format_text("1..%s", value));
    else if (strcmp(option->name, "help"))
        set_own(o, option, value);
    else {
        print_help(c, !strcmp(value, "all"));
        exit(end_well(0));
    }
}

static _Noreturn void
unknown(const Command *c, const Option *list, int count, const char *word)
{
    const char *names[MOST_OPTIONS];
    const char *name = word + strspn(word, "-");
    for (int i = 0; i < count; i++)
        names[i] = list[i].name;
    usage("unknown option %s%s: `qkv %s --help=all` lists them%s", word,
          did_you_mean(name, names, count), c->name,
          c->roles & OF_SHAPE ? "; no variant named before it declares it"
                              : "");
}

/* Reads all words. An option may be a setting of a variant that is named before
   it. */
static void
read_words(Options *o, const Command *c, char **argv)
{
    Option list[MOST_OPTIONS];
    bool ended = false;
    o->rest = argv + 1; /* where words move up */
    for (int i = 1; argv[i]; i++) {
        int count = options_of(c, list);
        if (ended || *argv[i] != '-' || !argv[i][1])
            o->rest[o->rest_count++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            ended = true;
        else {
            const Option *option = option_in(list, count, argv[i]);
            if (!option)
                unknown(c, list, count, argv[i]);
            take(o, c, option, value_of(option, argv, &i));
        }
    }
}

Options
options_read(int argc, char **argv)
{
    (void)argc;
    const Command *c = command_named(argv[0]);
    Options o = {.draw = {.format = "svg,png", .x = "step", .y = default_y},
                 .request = {.work = {.threads = 1}},
                 .generate = {"", .temperature = 1, .seed = 1}};
    Work *work = &o.request.work;
    o.request.given = allocate((size_t)settings_most, sizeof *o.request.given);
    read_words(&o, c, argv);
    if (o.rest_count < c->least || o.rest_count > c->most)
        usage("%s takes %s: `qkv %s --help` tells more", c->name,
              *c->arguments ? c->arguments : "options, and nothing else",
              c->name);
    if (!o.out)
        o.out = o.rest_count && !o.to ? o.rest[0] : "qkv-out";
    o.draw.by = o.request.by ? o.request.by : "variant";
    o.draw.out = work->out = o.out;
    o.draw.quiet = work->quiet = o.quiet;
    columns_asked = o.columns;
    o.cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (work->threads > MOST_THREADS)
        usage("--threads %d: there can be %d at most", work->threads,
              MOST_THREADS);
    if (!work->jobs)
        work->jobs = o.cores > work->threads ? o.cores / work->threads : 1;
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
