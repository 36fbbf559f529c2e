/* options.c - reads the words of a command line, each once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "driver/options.h"
#include "page/table.h"
#include "run/compile_plugin.h"

/* The values of a list. In a list of whole numbers, "3,11..13" is "3,11,12,13".
 */
static Values
cut_list(const Setting *s, const char *text)
{
    Values all = {0}, words = values_split(text);
    for (int i = 0; i < words.count; i++) {
        int first, last, end = 0;
        const char *word = words.text[i];
        sscanf(word, "%7d..%7d%n", &first, &last, &end);
        bool range = s->kind == INTEGER && end && !word[end] && *word >= '0';
        if (range)
            for (int n = first; n <= last; n++)
                values_add(&all, format_text("%d", n));
        else
            values_add(&all, copy_text(word));
    }
    return all;
}

const char *
plugin_meant(const char *word)
{
    Own own;
    const char *built = plugin_built(word);
    plugin_trust(built);
    Plugin p = plugin_open(built);
    for (const char *at = variant_uses(p.variant); own_next(&at, &own);) {
        const Setting *s = setting_named(own.name);
        if (s && s->kind != OWN)
            fail("%s: qkv_variant.settings declares \"%s\", which is a setting "
                 "of qkv already: choose another name",
                 p.path, own.name);
        setting_declare(own.name);
    }
    return built;
}

/* Replaces a value of a setting by its usual spelling: 1e-05. Exits if the
   setting cannot have this value. */
static void
check_value(const Setting *s, char **value)
{
    Config trial = {.settings = ""};
    const char *why = setting_set(s, &trial, *value);
    if (why)
        usage("--%s: %s", s->name, why);
    const char *text = setting_text(s, &trial);
    *value = copy_text(s->kind == PLUGIN ? plugin_meant(text) : text);
}

/* The rates that --lr auto tries. They are closer together, a quarter of a
   power of ten apart, in the range in which most variants are best. */
static const char auto_rates[] =
    "0.0003,0.001,0.003,0.0056,0.01,0.018,0.03,0.056,0.1";

/* Stores the values that were given to a setting. */
static void
give(Options *o, const Command *c, const Setting *s, const char *text)
{
    bool lists = s->role & c->lists;
    Values *given = given_to(&o->request, s->name);
    if (lists && !strcmp(s->name, "lr") && !strcmp(text, "auto"))
        text = auto_rates;
    *given = cut_list(s, text);
    if (!given->count)
        usage("--%s %s: the range is empty: write the smaller number first",
              s->name, text);
    if (given->count > 1 && !lists)
        usage("--%s %s: give one value; lists are for `qkv compare`", s->name,
              text);
    for (int i = 0; i < given->count; i++)
        check_value(s, &given->text[i]);
}

/* Stores the value that was given to a command's own option. If the option has
   choices, each word of a list must be one of them. */
static void
set_own(Options *o, const Setting *s, const char *text)
{
    void *at = (char *)o + s->offset; /* its type follows from s->kind */
    const char *why = NULL;
    if (s->kind == SWITCH)
        *(bool *)at = true;
    else if (s->kind == TEXT)
        *(const char **)at = text;
    else
        why = value_read(s, at, text);
    if (!strcmp(s->name, "size") && !size_is_known(text))
        why = "give `column`, or a number of points from 20 to 5000";
    if (why)
        usage("--%s: %s", s->name, why);
    Values words = values_split(text);
    for (int i = 0; s->choices && i < words.count; i++)
        if (index_in(s->choices, words.text[i]) < 0)
            usage("--%s: %s", s->name, not_one_of(words.text[i], s->choices));
}

/* The option that a word names: "--name", "--name=value" or "-n". The command's
   own options are last in the list and are found first, before a variant's
   setting of the same name. */
static const Option *
option_in(const Option *list, int count, const char *word)
{
    size_t n = strcspn(word, "=") - 2;
    bool is_long = word[1] == '-';
    for (int i = count - 1; i >= 0; i--) {
        const char *name = list[i].value.name;
        if (is_long && n == strlen(name) && !strncmp(word + 2, name, n))
            return &list[i];
        if (!is_long && word[1] == list[i].letter && !word[2])
            return &list[i];
    }
    return NULL;
}

_Noreturn static void
refuse_option(const Command *c, const Option *list, int count, const char *word)
{
    Values known = {0};
    for (int i = 0; i < count; i++)
        values_add(&known, format_text("--%s", list[i].value.name));
    char *name = format_text("%.*s", (int)strcspn(word, "="), word);
    const char *near = suggestion(name, &known), *undeclared = "";
    if (c->roles & OF_SHAPE && !*near)
        undeclared = "; name a variant before its own options";
    usage("unknown option %s:%s `qkv %s --help=all` lists them%s", word, near,
          c->name, undeclared);
}

/* Stores the value of an option; two options give their value to settings of
   other names. */
static void
store_option(Options *o, const Command *c, const Setting *s, const char *value)
{
    if (s->role)
        give(o, c, s, value);
    else if (!strcmp(s->name, "head-dim")) {
        give(o, c, setting_named("d-k"), value);
        give(o, c, setting_named("d-v"), value);
    } else if (!strcmp(s->name, "seeds"))
        give(o, c, setting_named("seed"), format_text("1..%s", value));
    else
        set_own(o, s, value);
}

/* Reads the option in argv[i], whose value is behind a = in the same word or is
   the next word. Returns the number of the last word that it has read. */
static int
read_option(Options *o, const Command *c, char **argv, int i)
{
    Option list[MOST_OPTIONS];
    int count = options_of(c, list);
    const char *word = argv[i];
    bool all = !strcmp(word, "--help=all");
    if (all || !strcmp(word, "--help") || !strcmp(word, "-h")) {
        print_help(c, all);
        exit(end_well(0));
    }
    const Option *option = option_in(list, count, word);
    if (!option)
        refuse_option(c, list, count, word);
    const Setting *s = &option->value;
    const char *sign = strchr(word, '=');
    values_add(&o->named, format_text("--%s", s->name));
    if (s->kind == SWITCH && sign)
        usage("%s: this option takes no value; write --%s", word, s->name);
    if (s->kind == SWITCH) {
        set_own(o, s, "");
        return i;
    }
    if (!sign)
        i++; /* the next word is its value */
    const char *value = sign ? sign + 1 : argv[i];
    if (!value || !*value)
        usage("%s: its value is missing; write --%s %s", word, s->name,
              option->argument);
    store_option(o, c, s, value);
    return i;
}

/* Sets the options that were not given to their defaults. */
static void
set_defaults(Options *o, const Command *c)
{
    Work *work = &o->request.work;
    /* A command that trains nothing writes into the directory that it reads,
       except `open`, whose directory is somebody's model. */
    bool beside = o->rest_count && !c->roles && strcmp(c->name, "open") != 0;
    o->out_given = o->out;
    if (!o->out)
        o->out = beside ? o->rest[0] : "qkv-out";
    o->draw.by = o->request.by ? o->request.by : "variant";
    o->draw.out = work->out = o->out;
    o->draw.quiet = work->quiet = o->quiet;
    o->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (!work->jobs)
        work->jobs = o->cores > work->threads ? o->cores / work->threads : 1;
}

/* Reads the words from left to right: each option is stored, and every other
   word is kept in `rest`. Then the defaults are set. */
Options
options_read(int argc, char **argv)
{
    const Command *c = command_named(argv[0]);
    static Options o; /* it lives until the program ends */
    o = (Options){.draw.format = "svg,png",
                  .request = {.work = {.threads = 1}},
                  .layer = 1,
                  .generate = {"", .temperature = 1, .seed = 1, .samples = 1}};
    o.rest = allocate((size_t)argc, sizeof *o.rest);
    o.request.given = allocate((size_t)settings_most, sizeof *o.request.given);
    for (int i = 1; i < argc; i++)
        if (*argv[i] == '-' && argv[i][1])
            i = read_option(&o, c, argv, i);
        else
            o.rest[o.rest_count++] = argv[i];
    if (o.rest_count < c->least || o.rest_count > c->most)
        usage("%s: it takes %s, and %d words were given besides options; `qkv "
              "%s --help` has examples",
              c->name, *c->arguments ? c->arguments : "only options",
              o.rest_count, c->name);
    if (o.rest_count > c->least)
        values_add(&o.named, "RUN");
    check_together(c, &o.named);
    set_defaults(&o, c);
    return o;
}

Layout
layout_of(const Options *o)
{
    if (o->markdown)
        return MARKDOWN;
    if (o->latex)
        return LATEX;
    if (o->json)
        return JSON;
    return o->tsv || !isatty(fileno(stdout)) ? TSV : ALIGNED;
}

void
show_layers(const Options *o, int done, int all)
{
    if (isatty(STDERR_FILENO) && !o->quiet)
        fprintf(stderr, "\r%d of %d layers%s", done, all,
                done < all ? "" : "\r\033[K");
}
