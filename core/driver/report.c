/* report.c - qkv report: an experiment as a page that can be sent to a
   colleague or put into a paper.

   It writes Markdown: what was run, the results, the figures, the limits. Where
   pandoc is installed it makes HTML and LaTeX of that. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "driver/cli/companion.h"
#include "driver/cli/table.h"
#include "driver/results/quantity.h"
#include "driver/results/results_table.h"
#include "driver/figure/draw.h"
#include "driver/figure/figure.h"
#include "driver/figure/square.h"
#include "driver/report/claim.h"
#include "driver/report/recipe.h"
#include "driver/commands.h"
#include "driver/compare.h"

/* Is it of one experiment, that a recipe made? */
static bool
has_recipe(const Options *o)
{
    return o->rest_count == 1 &&
           !access(below(o->rest[0], "recipe.txt").text, F_OK);
}

/* That recipe, or NULL; to be freed. */
static char *
recipe_of(const Options *o)
{
    size_t size;
    return has_recipe(o) ? read_file(below(o->rest[0], "recipe.txt").text,
                                     "recipe", &size)
                         : NULL;
}

/* The words after # at the recipe's head: the first line, or the others. */
static char *
recipe_words(const char *recipe, bool first)
{
    char *text = copy_text("");
    for (int number = 0; recipe && *recipe == '#'; number++) {
        size_t n = strcspn(recipe, "\n");
        if ((number == 0) == first)
            replace(&text, format_text("%s%s%.*s", text, *text ? " " : "",
                                       (int)n - 2, n > 2 ? recipe + 2 : ""));
        recipe += n + (recipe[n] == '\n');
    }
    return text;
}

/* The commands that were asked, a line each; to be freed. */
static char *
commands_of(const Experiment *e, const char *out)
{
    char *text = copy_text("");
    for (int i = 0; i < e->asked_count; i++) {
        if (asked_value(&e->asked[i], "run"))
            continue; /* a conversion: the run that it made is left out */
        char *command = asked_command(&e->asked[i], out);
        replace(&text, format_text("%s%s\n", text, command));
        free(command);
    }
    return text;
}

/* A heading or a paragraph, after what begins it; all that is formatted is
   text. */
#define TITLE   "# "
#define HEADING "\n## "
#define PLAIN   "\n"
static void PRINTF(3, 4)
    put(FILE *to, const char *sign, const char *format, ...)
{
    char *text;
    va_list args;
    FILE *all = begin_text(&text);
    va_start(args, format);
    vfprintf(all, format, args);
    va_end(args);
    end_text(all, &text);
    char *safe = escaped(text, PARAGRAPH);
    fprintf(to, "%s%s\n", sign, safe);
    free(safe);
    free(text);
}

/* Nothing in the text ends the code before its end, not even in a recipe that
   somebody else wrote. */
static void
put_code(FILE *to, const char *text)
{
    fputs(*text ? "\n" : "", to);
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        char *line = format_text("%.*s", (int)n, at);
        char *safe = escaped(line, ALIGNED);
        fprintf(to, "    %s\n", safe);
        at += n + (at[n] == '\n');
        free(safe);
        free(line);
    }
}

/* What all runs have of a setting: "a, b"; to be freed. */
static char *
list_of(const Experiment *e, const char *setting)
{
    Values values = values_in(e, setting);
    char *list = joined(&values, ", ");
    values_free(&values);
    return list;
}

/* Has each variant of each group the same number of seeds? */
static bool
seeds_each(const Outcomes *all, int seeds)
{
    bool each = true;
    for (int i = 0; i < all->count; i++)
        each &= all->list[i].seeds == seeds;
    return each;
}

/* What was run, on what, and how it is run again. */
static void
put_facts(FILE *to, const Outcomes *all, const Experiment *e,
          const char *directory, const char *recipe)
{
    Values seeds = values_in(e, "seed");
    char *tasks = list_of(e, "task"), *variants = list_of(e, "variant");
    char *precision = list_of(e, "precision");
    char *commands = commands_of(e, directory);
    double seconds = 0;
    for (int i = 0; i < e->count; i++)
        seconds += run_quantity(&e->runs[i], "seconds");
    put(to, PLAIN,
        "%d runs: %s; %s %s; %d %s%s. %s precision, %.0f seconds of runs, "
        "one after the other.",
        e->count, tasks, strchr(variants, ',') ? "variants" : "variant",
        variants, seeds.count, seeds.count > 1 ? "seeds" : "seed",
        seeds.count == 1 ? ", which gives every variant the same data"
        : seeds_each(all, seeds.count)
            ? " each, which give every variant the same data"
            : " in all, which give all that have them the same data",
        strchr(precision, ',')         ? "Single and double"
        : !strcmp(precision, "double") ? "Double"
                                       : "Single",
        ceil(seconds));
    if (recipe)
        put(to, PLAIN,
            "To run it again, save this as recipe.txt, and give qkv compare "
            "--recipe recipe.txt:");
    else if (*commands)
        put(to, PLAIN, "To run it again:");
    put_code(to, recipe ? recipe : commands);
    if (e->unrecorded)
        put(to, PLAIN,
            "Not all commands that made these runs are recorded: "
            "config.tsv of each run says what it is.");
    free(commands);
    free(precision);
    free(tasks);
    free(variants);
    values_free(&seeds);
}

/* Draws the experiment anew, so that what is shown is what was counted, by
   scripts of our own: as its recipe does, or as compare would; and the squares
   of equiv, from their data. */
static void
draw_anew(const Options *o, const Experiment *e, char *directory)
{
    Options own = *o;
    Drawing *d = &own.draw;
    d->out = directory;
    d->format = "svg,pdf";
    d->quiet = true;
    if (has_recipe(o))
        recipe_plots(&own, o->rest[0]);
    else
        draw_all(d, e);
    for (int in_double = 0; in_double < 2; in_double++) {
        Square s = square_read(o->rest[0], in_double);
        if (s.count)
            square_draw(&s, in_double, d);
        square_free(&s);
    }
}

/* The figures there are, in order, with that ending; exits where gnuplot has
   not drawn one. */
static void
put_figures(FILE *to, const char *directory, const char *ending)
{
    Path figures = within(directory, "figures");
    Values names = files_in(figures.text, ".gp");
    if (names.count)
        put(to, HEADING, "Figures");
    for (int i = 0; i < names.count; i++) {
        const char *name = names.text[i];
        char *file = format_text("%s.%s", name, ending);
        char *seen = figure_caption(figures.text, name);
        if (access(within(figures.text, file).text, F_OK))
            fail("%s was not drawn: a report's figures need gnuplot; `make "
                 "deps` brings it",
                 name);
        fprintf(to, "\n![%s](figures/%s)\n", name, file);
        put(to, PLAIN, "Figure %d. %s Data: figures/%s.tsv.", i + 1, seen,
            name);
        free(seen);
        free(file);
    }
    values_free(&names);
}

static void
put_limits(FILE *to, const Outcomes *all, const Run *runs, int count)
{
    int diverged = 0, parameters = 0;
    for (int i = 0; i < count; i++)
        diverged += !strcmp(run_text(&runs[i], "status"), "diverged");
    for (int i = 1; i < all->count; i++)
        parameters |= all->list[i].group == all->list[i - 1].group &&
                      all->list[i].attention != all->list[i - 1].attention;
    put(to, HEADING, "What this does not show");
    put(to, PLAIN,
        "Toy tasks and small models: what decides here need not "
        "decide at the size of a language model.");
    if (all->rates < 2 && !all->found)
        put(to, PLAIN,
            "One learning rate, %.10g. Depth, width and scale change the rate "
            "that suits a variant, so a difference in steps may be one of "
            "rates: a grid (--lr) tells.",
            runs[0].config.lr);
    if (parameters && !*runs[0].config.match.asked)
        put(to, PLAIN,
            "The variants have different numbers of parameters; "
            "--match makes them equal.");
    if (diverged)
        put(to, PLAIN,
            "%d runs diverged; they have no accuracy, and their "
            "variant no mean.",
            diverged);
    put(to, PLAIN,
        "\"Undecided\" is neither a difference nor sameness: it is said what "
        "these seeds could have shown, and how many would tell.");
}

/* The page as DRAFT/NAME, its figures with that ending. */
static void
write_page(const Options *o, const Outcomes *all, const Experiment *e,
           const char *draft, const char *name, const char *ending)
{
    char *recipe = recipe_of(o);
    char *title = recipe_words(recipe, true);
    char *lead = recipe_words(recipe, false);
    FILE *to = begin_file(draft, name);
    put(to, TITLE, "%s", *title ? title : "Variants of attention, compared");
    if (*lead)
        put(to, PLAIN, "%s", lead);
    put(to, HEADING, "What was run");
    put_facts(to, all, e, o->rest[0], recipe);
    put(to, HEADING, "Results");
    results_write(to, all, MARKDOWN);
    put_figures(to, draft, ending);
    put_limits(to, all, e->runs, e->count);
    end_file(to, draft, name);
    free(recipe);
    free(title);
    free(lead);
}

/* Code may be broken at its blanks, and a letter that no font has is its
   number: in pdflatex, for the other engines have Unicode. */
static const char preamble[] =
    "-Vheader-includes=\\makeatletter\n"
    "\\def\\@xobeysp{\\leavevmode\\penalty0\\ }\n"
    "\\def\\qkv@number#1:#2\\relax{U+\\UTFviii@hexnumber{%\n"
    "  \\decode@UTFviii#2\\relax}}\n"
    "\\def\\UTFviii@undefined@err#1{\\expandafter\\qkv@number\\string#1\\relax}"
    "\n"
    "\\makeatother";

/* Does pandoc know --sandbox, by which it reads no other file? One before 2.15
   does not. */
static bool
has_sandbox(const char *draft)
{
    size_t size;
    char *why;
    bool there =
        companion_run(draft, (const char *[]){"pandoc", "--help", NULL}, &why);
    free(why);
    if (!there)
        return false;
    char *help = read_file(within(draft, ".shown").text, "help", &size);
    bool has = strstr(help, "--sandbox");
    free(help);
    return has;
}

/* Has pandoc make DRAFT/TO of DRAFT/FROM; false where there is none. What a
   stranger wrote is text: no HTML and no TeX is passed on. */
static bool
convert(const char *draft, const char *from, const char *to)
{
    static const char markdown[] =
        "--from=markdown_strict+pipe_tables+all_symbols_escapable-raw_html";
    const char *latex[] = {"-Vgeometry:margin=2cm", preamble};
    const char *html[] = {"--self-contained", "-Mpagetitle=qkv report"};
    const char **more = strstr(to, ".tex") ? latex : html;
    const char *sandbox = has_sandbox(draft) ? "--sandbox" : NULL;
    const char *argv[] = {"pandoc",
                          "--standalone",
                          "--columns=10000",
                          markdown,
                          more[0],
                          more[1],
                          "-o",
                          to,
                          from,
                          sandbox,
                          NULL};
    char *why;
    bool there = companion_run(draft, argv, &why);
    if (there && why)
        fail("%s: pandoc failed on it: %s", to, why);
    free(why);
    return there;
}

/* By it a directory is known to be a report's, to be written again; one that
   somebody keeps a report.md of theirs in is not touched. */
static const char marker[] = "report.tsv";

/* A draft of the report, in a new directory or that of an older report. */
static Draft *
begin_report(const char *directory)
{
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", directory,
             strerror(errno));
    drafts_sweep(directory);
    if (access(within(directory, marker).text, F_OK) && !is_empty(directory))
        fail("%s: holds files but no %s, so it is no report of qkv's; give "
             "another --out",
             directory, marker);
    Draft *d = draft_begin(directory, "report");
    new_directory(d->path.text, "figures");
    return d;
}

int
command_report(int argc, char **argv)
{
    static const char page[] = "report.md", for_latex[] = ".report.md";
    Options o = options_read(argc, argv, REPORT);
    if (o.claims) {
        claims_write(stdout, o.rest[0]);
        options_free(&o);
        return 0;
    }
    for (int i = 0; i < o.rest_count; i++)
        if (!strcmp(o.out, o.rest[i]))
            usage("report needs --out DIR, a directory of its own: %s is the "
                  "experiment",
                  o.out);
    Experiment e = experiment_read((const char *const *)o.rest, o.rest_count);
    Values variants = values_in(&e, "variant");
    check_baseline(&o, (const char *const *)variants.text, variants.count);
    values_free(&variants);
    Outcomes all = outcomes_of(&o, &e);
    Draft *draft = begin_report(o.out);
    char *place = draft->path.text;
    draw_anew(&o, &e, place);
    write_page(&o, &all, &e, place, page, "svg");
    write_page(&o, &all, &e, place, for_latex, "pdf");
    FILE *tables = begin_file(place, "tables.tex");
    results_write(tables, &all, LATEX);
    end_file(tables, place, "tables.tex");
    bool pandoc = convert(place, page, "report.html") &&
                  convert(place, for_latex, "report.tex");
    FILE *facts = begin_file(place, marker);
    fprintf(facts, "key\tvalue\nformat\t1\n");
    end_file(facts, place, marker);
    draft_publish(draft, marker, true);
    if (!pandoc) { /* those of an older report would tell of other runs */
        discard(within(o.out, "report.html").text);
        discard(within(o.out, "report.tex").text);
    }
    draft_publish_all(draft);
    if (!o.quiet && pandoc)
        note("wrote %s/report.md, report.html, report.tex, tables.tex", o.out);
    else if (!o.quiet)
        note("wrote %s/report.md, tables.tex; with pandoc there would be "
             "report.html and report.tex too: install it, and give the same "
             "command again",
             o.out);
    outcomes_free(&all);
    experiment_free(&e);
    options_free(&o);
    return 0;
}
