/* report.c - qkv report: an experiment as a page that can be sent to a
   colleague or put into a paper.

   It writes Markdown and LaTeX: the verdicts, the tables, the figures, the
   limits, and how they came about; each table and figure also as a file that a
   paper reads. Where pandoc is installed it makes HTML of the Markdown. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/words.h"
#include "driver/cli/companion.h"
#include "driver/cli/table.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/figure/draw.h"
#include "driver/figure/figure.h"
#include "driver/figure/square.h"
#include "driver/report/claim.h"
#include "driver/report/page.h"
#include "driver/report/recipe.h"
#include "driver/results/quantity.h"
#include "driver/results/results_table.h"
#include "heart/fail.h"
#include "heart/positions.h"

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

/* What all runs have of a setting: "a, b"; to be freed. */
static char *
list_of(const Experiment *e, const char *setting)
{
    Values values = values_in(e, setting);
    char *list = joined(&values, ", ");
    values_free(&values);
    return list;
}

/* "d-model 32; heads 1, 2": what models and their training were, of settings
   that runs have a use for; to be freed. */
static char *
trained_as(const Experiment *e)
{
    Values parts = {0},
           names = values_cut(
               "d-model,layers,heads,d-k,kv-heads,latent,mlp,positions,length,"
               "steps,batch,optimizer,lr");
    for (int i = 0; i < names.count; i++) {
        char *list = list_of(e, names.text[i]);
        if (*list && strcmp(list, "0"))
            values_add(&parts, format_text("%s %s", names.text[i], list));
        free(list);
    }
    char *text = joined(&parts, "; ");
    values_free(&parts);
    values_free(&names);
    return text;
}

/* What was run, on what, and how it is run again. */
static void
put_facts(const Page *p, const Experiment *e, const char *directory,
          const char *recipe)
{
    Values seeds = values_in(e, "seed");
    char *tasks = list_of(e, "task"), *variants = list_of(e, "variant");
    char *precision = list_of(e, "precision");
    char *commands = commands_of(e, directory), *trained = trained_as(e);
    double seconds = 0;
    for (int i = 0; i < e->count; i++)
        seconds += run_quantity(&e->runs[i], "seconds");
    page_text(p,
              "%d runs: %s; %s %s; %d %s, each with the same data for every "
              "variant. %s precision, %.0f seconds of runs, one after the "
              "other.",
              e->count, tasks, strchr(variants, ',') ? "variants" : "variant",
              variants, seeds.count, seeds.count > 1 ? "seeds" : "seed",
              strchr(precision, ',')         ? "Single and double"
              : !strcmp(precision, "double") ? "Double"
                                             : "Single",
              ceil(seconds));
    page_text(p, "Trained: %s.", trained);
    if (recipe)
        page_text(
            p, "To run it again, save this as recipe.txt, and give qkv compare "
               "--recipe recipe.txt:");
    else if (*commands)
        page_text(p, "To run it again:");
    page_code(p, recipe ? recipe : commands);
    if (e->unrecorded)
        page_text(p, "Not all commands that made these runs are recorded: "
                     "config.tsv of each run says what it is.");
    free(commands);
    free(trained);
    free(precision);
    free(tasks);
    free(variants);
    values_free(&seeds);
}

/* Draws the experiment in some formats: as its recipe does, or as compare
   would; and the squares of equiv, from their data. */
static void
draw_as(const Options *o, const Experiment *e, const char *format,
        const char *size, char *directory)
{
    Options own = *o;
    Drawing *d = &own.draw;
    d->out = directory;
    d->format = (char *)format;
    d->size = (char *)size;
    d->quiet = true;
    if (has_recipe(o))
        recipe_plots(&own, o->rest[0]);
    else
        draw_all(d, e);
    static const char *const positions[] = {"", "rope", "alibi"};
    for (int i = 0; i < 6; i++) {
        Square s = square_read(o->rest[0], positions[i / 2], i % 2);
        if (s.count)
            square_draw(&s, positions[i / 2], i % 2, d);
        square_free(&s);
    }
}

/* Is a figure of that --size as wide as two columns? */
static bool
is_wide(const char *size)
{
    return index_in("page neurips slide", size) >= 0 || atof(size) > 300;
}

/* Draws it anew, so that what is shown is what was counted, by scripts of our
   own: for a paper, then for a page. Exits where gnuplot has not drawn one. */
static void
draw_anew(const Options *o, const Experiment *e, char *directory)
{
    const char *size = o->draw.size ? o->draw.size : "column";
    draw_as(o, e, "pdf", size, directory);
    draw_as(o, e, "svg", NULL, directory);
    Path figures = within(directory, "figures");
    Values names = figures_in(figures.text);
    for (int i = 0; i < names.count; i++) {
        char *file = format_text("%s.svg", names.text[i]);
        if (access(within(figures.text, file).text, F_OK))
            fail("%s was not drawn: a report's figures need gnuplot; `make "
                 "deps` brings it",
                 names.text[i]);
        figure_float(figures.text, names.text[i], is_wide(size));
        free(file);
    }
    values_free(&names);
}

static void
put_figures(const Page *p, const char *directory)
{
    Path figures = within(directory, "figures");
    Values names = figures_in(figures.text);
    if (names.count && p->layout == MARKDOWN) /* a paper's float */
        page_heading(p, "Figures");
    for (int i = 0; i < names.count; i++)
        page_figure(p, figures.text, names.text[i], i + 1);
    values_free(&names);
}

/* A float of each group, as tables/GROUP.tex. */
static void
write_tables(const Outcomes *all, const char *draft)
{
    Path tables = new_directory(draft, "tables");
    for (int g = 0; g < all->group_count; g++) {
        char *name = plain_name(all->groups[g].name);
        char *file = format_text("%s.tex", name);
        FILE *to = begin_file(tables.text, file);
        results_group(to, all, &all->groups[g], LATEX);
        end_file(to, tables.text, file);
        free(file);
        free(name);
    }
}

static void
put_limits(const Page *p, const Outcomes *all, const Run *runs, int count)
{
    int diverged = 0, parameters = 0;
    for (int i = 0; i < count; i++)
        diverged += !strcmp(run_text(&runs[i], "status"), "diverged");
    for (int i = 1; i < all->count; i++)
        parameters |= all->list[i].group == all->list[i - 1].group &&
                      all->list[i].attention != all->list[i - 1].attention;
    page_heading(p, "What this does not show");
    page_text(p, "Toy tasks and small models: what decides here need not "
                 "decide at the size of a language model.");
    if (all->rates < 2 && !all->found)
        page_text(
            p,
            "One learning rate, %.10g. Depth, width and scale change the rate "
            "that suits a variant, so a difference in steps may be one of "
            "rates: a grid (--lr) tells.",
            runs[0].config.lr);
    if (parameters && !*runs[0].config.match.asked)
        page_text(p, "The variants have different numbers of parameters; "
                     "--match makes them equal.");
    if (diverged)
        page_text(p,
                  "%d runs diverged; they have no accuracy, and their "
                  "variant no mean.",
                  diverged);
    page_text(
        p,
        "\"Undecided\" is neither a difference nor sameness: it is said what "
        "these seeds could have shown, and how many would tell.");
}

/* The page as DRAFT/NAME: what it shows, then how it came about. */
static void
write_page(const Options *o, const Outcomes *all, const Experiment *e,
           const char *draft, const char *name, Layout layout)
{
    char *recipe = recipe_of(o);
    char *title = recipe_words(recipe, true);
    char *lead = recipe_words(recipe, false);
    Page page = {begin_file(draft, name), layout}, *p = &page;
    page_begin(p, *title ? title : "Variants of attention, compared");
    if (*lead)
        page_text(p, "%s", lead);
    page_heading(p, "Results");
    results_write(p->to, all, layout);
    put_figures(p, draft);
    put_limits(p, all, e->runs, e->count);
    page_heading(p, "What was run");
    put_facts(p, e, o->rest[0], recipe);
    page_end(p);
    end_file(p->to, draft, name);
    free(recipe);
    free(title);
    free(lead);
}

/* Has pandoc make report.html of DRAFT/report.md; false where there is none.
   What a stranger wrote is text: no HTML and no TeX is passed on. */
static bool
make_html(const char *draft)
{
    static const char markdown[] =
        "--from=markdown_strict+pipe_tables+all_symbols_escapable-raw_html";
    const char *argv[] = {"pandoc",
                          "--standalone",
                          "--self-contained",
                          "-Mpagetitle=qkv report",
                          markdown,
                          "-o",
                          "report.html",
                          "report.md",
                          "--sandbox", /* it reads no other file */
                          NULL};
    char *why;
    bool there = companion_run(draft, argv, &why);
    if (there && why)
        fail("report.html: pandoc failed on it: %s", why);
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
    Options o = options_read(argc, argv, REPORT);
    if (o.claims) {
        if (o.rest_count > 1 || o.out != o.rest[0])
            usage(
                "--claims prints the ledger of one experiment: give it alone, "
                "and send what it prints to a file");
        claims_write(stdout, o.rest[0]);
        options_free(&o);
        return 0;
    }
    Experiment e = experiment_read((const char *const *)o.rest, o.rest_count);
    for (int i = 0; i < o.rest_count; i++)
        if (!strcmp(o.out, o.rest[i]))
            usage("report needs --out DIR, a directory of its own: %s is the "
                  "experiment",
                  o.out);
    o.draw.by = compared_by(&o, &e);
    Values variants = values_in(&e, o.draw.by);
    check_baseline(&o, o.draw.by, &variants);
    values_free(&variants);
    Outcomes all = outcomes_of(&o, &e);
    Draft *draft = begin_report(o.out);
    char *place = draft->path.text;
    draw_anew(&o, &e, place);
    write_tables(&all, place);
    write_page(&o, &all, &e, place, "report.md", MARKDOWN);
    write_page(&o, &all, &e, place, "report.tex", LATEX_TEXT);
    bool pandoc = make_html(place);
    FILE *facts = begin_file(place, marker);
    fprintf(facts, "key\tvalue\nformat\t1\n");
    end_file(facts, place, marker);
    draft_publish(draft, marker, true);
    if (!pandoc) /* that of an older report would tell of other runs */
        discard(within(o.out, "report.html").text);
    draft_publish_all(draft);
    if (!o.quiet)
        note("wrote %s/report.md, report.tex%s", o.out,
             pandoc ? ", report.html"
                    : "; with pandoc there would be report.html too: install "
                      "it, and give the same command again");
    outcomes_free(&all);
    experiment_free(&e);
    options_free(&o);
    return 0;
}
