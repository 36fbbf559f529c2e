/* options.c - reads a command line into an Options.

   The value of a setting of runs is kept as text in the request (run/grid.h),
   since some commands take a list of values. The value of one of the command's
   own options is stored in a field of Options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "driver/help.h"
#include "driver/options.h"
#include "run/compile_plugin.h"

/* Reads a range of whole numbers that are not negative, "11..13", of at most
   seven digits, which fit in an int. Returns false if the word is anything
   else. */
static bool
read_range(const char *word, int *first, int *last)
{
    char from[8], to[8]; /* the digits of the two numbers */
    int length = 0; /* of the range; stays 0 if the word begins with none */
    sscanf(word, "%7[0-9]..%7[0-9]%n", from, to, &length);
    if (!length || word[length])
        return false;
    *first = atoi(from);
    *last = atoi(to);
    return true;
}

/* The values of a list, "a,b". If the setting is an integer, the list may have
   ranges: "3,11..13" means 3, 11, 12 and 13; "2..1" has no values. */
static Values
values_listed(const Setting *s, const char *list)
{
    Values all = {0}, words = values_split(list);
    for (int i = 0; i < words.count; i++) {
        int first, last;
        const char *word = words.text[i];
        if (s->kind == INTEGER && read_range(word, &first, &last))
            for (int n = first; n <= last; n++)
                values_add(&all, format_text("%d", n));
        else
            values_add(&all, copy_text(word));
    }
    return all;
}

const char *
plugin_typed(const char *word)
{
    OwnSetting declared;
    const char *built = plugin_built(word); /* ./mine.c becomes a .so */
    plugin_trust(built); /* the user typed this path, so it may be opened */
    Plugin p = plugin_open(built);
    const char *list = variant_uses(p.variant); /* names of settings */
    while (next_own_setting(&list, &declared)) {
        const Setting *s = setting_named(declared.name);
        if (s && s->kind != OWN)
            fail("%s: qkv already has a setting \"%s\"; rename yours", p.path,
                 declared.name);
        setting_declare(declared.name);
    }
    return built;
}

/* Replaces a value of a setting with the text that the program writes for it:
   0.00001 becomes 1e-05, so that both name the same run. A plugin is found or
   compiled, and opened (plugin_typed). Exits (2) if the setting cannot have the
   value. */
static void
normalise(const Setting *s, char **value)
{
    Config trial = {.settings = ""}; /* only to try the value */
    const char *why = setting_set(s, &trial, *value);
    if (why)
        usage("--%s: %s (see --help=all)", s->name, why);
    const char *text = setting_text(s, &trial);
    *value = copy_text(s->kind == PLUGIN ? plugin_typed(text) : text);
}

/* The rates that --lr auto tries. From 0.003 to 0.1, where most variants learn
   best, each is about 10^(1/4) times the one before. */
static const char auto_rates[] =
    "0.0003,0.001,0.003,0.0056,0.01,0.018,0.03,0.056,0.1";

/* Stores the value or the list of values of a setting in the request. Exits (2)
   if the list is empty, or if it has several values and the command takes only
   one. */
static void
store_setting(Options *o, const Command *c, const Setting *s, const char *text)
{
    bool takes_list = s->role & c->list_roles;
    Values *given = given_to(&o->request, s->name);
    if (takes_list && !strcmp(s->name, "lr") && !strcmp(text, "auto"))
        text = auto_rates;
    *given = values_listed(s, text);
    if (!given->count)
        usage("--%s %s: the range is empty: write the smaller number first",
              s->name, text);
    if (given->count > 1 && !takes_list)
        usage("--%s %s: give one value here; `qkv compare` takes a list of "
              "them",
              s->name, text);
    for (int i = 0; i < given->count; i++)
        normalise(s, &given->text[i]);
}

/* Says which word of a list is none of the choices; NULL if all words are
   choices. */
static const char *
why_not_chosen(const char *list, const char *choices)
{
    Values words = values_split(list);
    for (int i = 0; i < words.count; i++)
        if (index_in(choices, words.text[i]) < 0)
            return not_one_of(words.text[i], choices);
    return NULL;
}

/* Stores the value of an own option, which is no switch, in its field of
   Options. Exits (2) if the option cannot have the value. */
static void
store_own(Options *o, const Setting *s, const char *text)
{
    void *field = (char *)o + s->offset; /* its type is that of s->kind */
    const char *why = NULL; /* why the option cannot have the value */
    if (s->kind == TEXT)
        *(const char **)field = text;
    else
        why = value_read(s, field, text);
    if (s->choices && !why)
        why = why_not_chosen(text, s->choices);
    if (why && !strcmp(s->name, "memory"))
        why = format_text("%s; give megabytes, such as 2000", why);
    if (!strcmp(s->name, "size") && !size_is_known(text))
        why = format_text("give `column`, or a number of points from %d to %d",
                          LEAST_WIDTH, MOST_WIDTH);
    if (why)
        usage("--%s: %s (see --help=all)", s->name, why);
}

/* Returns whether a word names this option, as "--name", "--name=value" or
   "-n". */
static bool
names_option(const char *word, const Option *o)
{
    const char *name = o->value.name;
    bool is_short = strlen(word) == 2 && word[0] == '-' && word[1] != '-';
    if (is_short)
        return word[1] == o->letter;
    if (strncmp(word, "--", 2) != 0)
        return false;
    const char *typed = word + 2; /* after the hyphens */
    size_t length = strcspn(typed, "=");
    return length == strlen(name) && !strncmp(typed, name, length);
}

/* The option in a command's list that a word names, or NULL. The command's own
   options are last in the list (options_of). The search begins there, so it
   finds them before a variant's setting of the same name. */
static const Option *
option_named(const Option *list, int count, const char *word)
{
    for (int i = count - 1; i >= 0; i--)
        if (names_option(word, &list[i]))
            return &list[i];
    return NULL;
}

/* Exits (2), because the command has no option of that name, and suggests a
   similar one. If there is none, the option may be one that a variant declares:
   then -v NAME must come before it. */
_Noreturn static void
refuse_option(const Command *c, const Option *list, int count, const char *word)
{
    Values known = {0};
    for (int i = 0; i < count; i++)
        values_add(&known, format_text("--%s", list[i].value.name));
    char *name = format_text("%.*s", (int)strcspn(word, "="), word);
    const char *near = suggestion(name, &known), *order = "";
    bool takes_declared = c->setting_roles & OF_SHAPE;
    if (takes_declared && !*near)
        order = "; a variant's options must follow -v NAME";
    usage("unknown option %s:%s `qkv %s --help=all` lists all options%s", word,
          near, c->name, order);
}

/* Stores the value of an option. Two own options are short for settings:
   --head-dim 8 for --d-k 8 --d-v 8, and --seeds 5 for --seed 1..5. */
static void
store_value(Options *o, const Command *c, const Setting *s, const char *value)
{
    if (!is_own_option(s)) {
        store_setting(o, c, s, value);
        return;
    }
    store_own(o, s, value);
    if (!strcmp(s->name, "head-dim")) {
        const char *width = format_text("%d", o->head_dim);
        store_setting(o, c, setting_named("d-k"), width);
        store_setting(o, c, setting_named("d-v"), width);
    }
    if (!strcmp(s->name, "seeds"))
        store_setting(o, c, setting_named("seed"),
                      format_text("1..%d", o->seeds));
}

/* Reads the option argv[i]. Its value follows a = in the same word, or is the
   next word. Returns the index of the last word that was read. The command's
   options are listed anew for each call, since -v NAME adds some. */
static int
read_option(Options *o, const Command *c, char **argv, int i)
{
    Option list[MOST_OPTIONS];
    int count = options_of(c, list);
    const char *word = argv[i], *next = argv[i + 1]; /* NULL at the end */
    const char *sign = strchr(word, '='); /* NULL: the value is `next` */
    const Option *option = option_named(list, count, word);
    if (!option) /* refuse_option exits */
        refuse_option(c, list, count, word);
    const Setting *s = &option->value;
    values_add(&o->options_given, format_text("--%s", s->name));
    if (s->kind == SWITCH) {
        if (sign)
            usage("%s: this option takes no value; write --%s", word, s->name);
        *(bool *)((char *)o + s->offset) = true; /* its field of Options */
        return i;
    }
    const char *value = sign ? sign + 1 : next;
    bool is_missing = !value || !*value;
    if (!is_missing && !sign) /* --out --quiet: `next` is another option */
        is_missing = option_named(list, count, next);
    if (is_missing)
        usage("%s: its value is missing; write --%s %s", word, s->name,
              option->argument);
    store_value(o, c, s, value);
    return sign ? i : i + 1;
}

/* Completes the options that were read: sets the defaults that depend on other
   options, and copies into Drawing and Work the options that these share. */
static void
set_defaults(Options *o, const Command *c)
{
    Work *work = &o->request.work;
    /* A command that takes no settings reads a run or an experiment, and writes
       its figures there. `open` reads somebody's model, and does not. */
    bool reads_runs = !c->setting_roles && strcmp(c->name, "open") != 0;
    bool writes_there = reads_runs && o->word_count > 0;
    o->out_given = o->out;
    if (!o->out)
        o->out = writes_there ? o->words[0] : "qkv-out";
    o->draw.by = o->request.by ? o->request.by : "variant";
    o->draw.out = work->out = o->out;
    o->draw.quiet = work->quiet = o->quiet;
    o->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (!work->jobs)
        work->jobs = o->cores > work->threads ? o->cores / work->threads : 1;
}

/* Exits (2) if the command was given fewer or more words than it takes. */
static void
check_words(const Options *o, const Command *c)
{
    const char *wrong = "a word is missing";
    if (o->word_count >= c->least_words && o->word_count <= c->most_words)
        return;
    if (o->word_count > c->most_words)
        wrong = format_text("unexpected word \"%s\"", o->words[c->most_words]);
    usage("%s: %s: it takes %s; `qkv %s --help` has examples", c->name, wrong,
          *c->arguments ? c->arguments : "only options", c->name);
}

/* Reads the command line from left to right, because -v NAME declares options
   for the words after it. A word that is no option, such as "-", is kept. For
   check_together, an optional word counts as an option named "RUN". */
Options
options_read(int argc, char **argv)
{
    const Command *c = command_named(argv[0]);
    Options o = {
        .draw.format = "svg,png",
        .request = {.work = {.threads = 1}},
        .layer = 1,
        .generate = {.prompt = "", .temperature = 1, .seed = 1, .samples = 1}};
    o.words = allocate((size_t)argc, sizeof *o.words);
    o.request.given = allocate((size_t)settings_most, sizeof *o.request.given);
    for (int i = 1; i < argc; i++) {
        bool is_option = argv[i][0] == '-' && argv[i][1];
        if (index_in("-h --help --help=all", argv[i]) >= 0) {
            print_help(c, !strcmp(argv[i], "--help=all"));
            exit(end_well(EXIT_SUCCESS));
        }
        if (is_option)
            i = read_option(&o, c, argv, i);
        else
            o.words[o.word_count++] = argv[i];
    }
    check_words(&o, c);
    if (o.word_count > c->least_words)
        values_add(&o.options_given, "RUN");
    check_together(c, &o.options_given);
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
show_layers(const Options *o, int done, int layers)
{
    const char *clear_line = "\r\033[K"; /* an escape sequence of terminals */
    if (isatty(STDERR_FILENO) && !o->quiet)
        fprintf(stderr, "\r%d of %d layers%s", done, layers,
                done < layers ? "" : clear_line);
}
