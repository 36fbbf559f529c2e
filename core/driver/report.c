/* report.c - qkv report: an experiment as a page that can be sent to a
   colleague or put into a paper. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "driver/results/quantity.h"
#include "driver/results/results.h"
#include "driver/figure/draw.h"
#include "driver/figure/figure.h"
#include "driver/figure/square.h"
#include "driver/report/document.h"
#include "driver/report/recipe.h"
#include "driver/commands.h"
#include "driver/compare.h"

/* The recipe that made the experiment, or NULL. */
static char *
recipe_of(const char *directory)
{
    size_t size;
    Path path = below(directory, "recipe.txt");
    return access(path.text, F_OK) ? NULL
                                   : read_file(path.text, "recipe", &size);
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

/* What was run, on what, and how it is run again. */
static void
put_facts(Document *d, const Experiment *e, const char *directory,
          const char *recipe)
{
    Values tasks_in = values_in(e, "task");
    Values variants = values_in(e, "variant");
    Values seeds = values_in(e, "seed");
    char *task_list = joined(&tasks_in, ", ");
    char *variant_list = joined(&variants, ", ");
    double seconds = 0;
    for (int i = 0; i < e->count; i++)
        seconds += run_quantity(&e->runs[i], "seconds");
    char *commands = commands_of(e, directory);
    char *text = format_text(
        "%d runs: %s; %s %s; %d %s%s. %s precision, %.0f seconds of one core "
        "in all.",
        e->count, task_list, variants.count > 1 ? "variants" : "variant",
        variant_list, seeds.count, seeds.count > 1 ? "seeds" : "seed",
        e->count % seeds.count == 0
            ? " each, which give every variant the same data"
            : " in all, which give all that have them the same data",
        e->runs[0].config.precision == PRECISION_DOUBLE ? "Double" : "Single",
        ceil(seconds));
    put_heading(d, "What was run");
    put_paragraph(d, text);
    if (recipe || *commands) {
        put_paragraph(d, recipe ? "It is run again by qkv compare --recipe "
                                  "recipe.txt, with this as recipe.txt:"
                                : "It is run again by:");
        put_code(d, recipe ? recipe : commands);
    }
    if (e->unrecorded)
        put_paragraph(d, "Not all commands that made these runs are recorded: "
                         "config.tsv of each run says what it is.");
    free(commands);
    free(text);
    free(task_list);
    free(variant_list);
    values_free(&tasks_in);
    values_free(&variants);
    values_free(&seeds);
}

/* In lines, as they are printed. */
static void
put_verdicts(Document *d, const Outcomes *all, const Group *g)
{
    char *text = verdicts_text(all, g, "");
    if (*text)
        put_code(d, text);
    free(text);
}

static void
put_results(Document *d, const Outcomes *all)
{
    put_heading(d, "Results");
    for (int g = 0; g < all->group_count; g++) {
        char *levels = levels_text(&all->groups[g]);
        for (char *c = levels; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        Sheet sheet = results_sheet(all, &all->groups[g]);
        put_paragraph(d, levels);
        put_table(d, &sheet);
        put_verdicts(d, all, &all->groups[g]);
        sheet_free(&sheet);
        free(levels);
    }
    char *notes = notes_text(all);
    put_paragraph(d, notes);
    free(notes);
}

/* Draws the experiment anew, so that what is shown is what was counted, by
   scripts of our own: as its recipe does, or as compare would; and the squares
   of equiv, from their data. */
static void
draw_anew(const Options *o, const Experiment *e, const char *recipe,
          char *directory)
{
    Options own = *o;
    own.out = directory;
    own.format = "svg,pdf";
    own.quiet = true;
    if (recipe)
        recipe_plots(&own, o->rest[0]);
    else
        draw_all(&own, e);
    for (int in_double = 0; in_double < 2; in_double++) {
        Square s = square_read(o->rest[0], in_double);
        if (s.count)
            square_draw(&s, in_double, &own);
        square_free(&s);
    }
}

/* The names of the figures there are, in order; exits where gnuplot has not
   drawn them. */
static Values
figures_in(const char *directory)
{
    Path from = within(directory, "figures");
    Values names = files_in(from.text, ".gp");
    for (int i = 0; i < names.count; i++) {
        char *svg = format_text("%s/%s.svg", from.text, names.text[i]);
        if (access(svg, F_OK))
            fail("%s was not drawn: a report's figures need gnuplot; `make "
                 "deps` brings it",
                 names.text[i]);
        free(svg);
    }
    return names;
}

static void
put_figures(Document *d, const Values *names)
{
    Path figures = within(d->directory, "figures");
    if (names->count)
        put_heading(d, "Figures");
    for (int i = 0; i < names->count; i++) {
        const char *name = names->text[i];
        char *seen = figure_caption(figures.text, name);
        char *caption = format_text("Figure %d. %s Data: figures/%s.tsv.",
                                    i + 1, seen, name);
        put_figure(d, name, caption);
        free(caption);
        free(seen);
    }
}

static void
put_limits(Document *d, const Outcomes *all, const Run *runs, int count)
{
    int diverged = 0, parameters = 0;
    for (int i = 0; i < count; i++)
        diverged += !strcmp(run_text(&runs[i], "status"), "diverged");
    for (int i = 1; i < all->count; i++)
        parameters |= all->list[i].group == all->list[i - 1].group &&
                      all->list[i].attention != all->list[i - 1].attention;
    put_heading(d, "What this does not show");
    put_paragraph(d, "Toy tasks and small models: what decides here need not "
                     "decide at the size of a language model.");
    if (all->rates < 2) {
        char *text = format_text(
            "One learning rate, %.10g. Depth, width and scale change the rate "
            "that suits a variant, so a difference in steps may be one of "
            "rates: a grid (--lr) tells.",
            runs[0].config.lr);
        put_paragraph(d, text);
        free(text);
    }
    if (parameters && !*runs[0].config.match.asked)
        put_paragraph(d, "The variants have different numbers of parameters; "
                         "--match makes them alike.");
    if (diverged) {
        char *text = format_text("%d runs diverged; they have no accuracy, and "
                                 "their variant no mean.",
                                 diverged);
        put_paragraph(d, text);
        free(text);
    }
    put_paragraph(d,
                  "\"No difference detected\" is not \"no difference\": with "
                  "few seeds only large ones are found.");
}

/* A draft of the report, in a new directory or that of an older report. */
static Draft *
begin_report(const char *directory)
{
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", directory,
             strerror(errno));
    drafts_sweep(directory);
    if (access(within(directory, "report.html").text, F_OK) &&
        !is_empty(directory))
        fail("%s: holds files but no report; give another --out", directory);
    Draft *d = draft_begin(directory, "report");
    new_directory(d->path.text, "figures");
    return d;
}

int
command_report(int argc, char **argv)
{
    Options o = options_read(argc, argv, REPORT);
    if (!o.rest_count)
        usage("report takes experiments and --out DIR: `qkv report "
              "build/demo -o report`");
    for (int i = 0; i < o.rest_count; i++)
        if (!strcmp(o.out, o.rest[i]))
            usage("report needs --out DIR, a directory of its own: %s is the "
                  "experiment",
                  o.out);
    Experiment e = experiment_read((const char *const *)o.rest, o.rest_count);
    Values variants = values_in(&e, "variant");
    check_baseline(&o, (const char *const *)variants.text, variants.count);
    values_free(&variants);
    char *recipe = o.rest_count == 1 ? recipe_of(o.rest[0]) : NULL;
    char *title = recipe_words(recipe, true);
    char *lead = recipe_words(recipe, false);
    Outcomes all = outcomes_of(&o, &e);
    Draft *draft = begin_report(o.out);
    draw_anew(&o, &e, recipe, draft->path.text);
    Values figures = figures_in(draft->path.text);
    Document d = document_begin(
        draft->path.text, *title ? title : "Variants of attention, compared");
    if (*lead)
        put_paragraph(&d, lead);
    put_facts(&d, &e, o.rest[0], recipe);
    put_results(&d, &all);
    put_figures(&d, &figures);
    values_free(&figures);
    put_limits(&d, &all, e.runs, e.count);
    document_end(&d);
    draft_publish(draft, "report.html", true); /* which says that it is one */
    draft_publish_all(draft);
    if (!o.quiet)
        note("wrote %s/report.html, report.md, report.tex", o.out);
    outcomes_free(&all);
    experiment_free(&e);
    free(recipe);
    free(title);
    free(lead);
    options_free(&o);
    return 0;
}
