/* report.c - qkv report: an experiment as a page that can be sent to a
   colleague or put into a paper. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "document.h"
#include "draw.h"
#include "fail.h"
#include "files.h"
#include "results.h"
#include "words.h"

/* The values of a setting in all runs, in their order, each once. */
static Values
values_in(const Run *runs, int count, const char *setting)
{
    Values v = {0};
    char value[VALUE_SIZE];
    for (int i = 0; i < count; i++) {
        if (setting_unused(setting_named(setting), &runs[i].config))
            continue;
        run_setting(&runs[i], setting, value);
        add_series(&v, value);
    }
    return v;
}

/* "a, b, c"; to be freed. */
static char *
joined(const Values *v, const char *between)
{
    char *text = copy_text("");
    for (int i = 0; i < v->count; i++) {
        char *longer =
            format_text("%s%s%s", text, i ? between : "", v->text[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* Has every run what its task has anyway, or what follows from the rest? */
static bool
as_usual(const Run *runs, int count, const Setting *s)
{
    for (int i = 0; i < count; i++) {
        Config usual = config_start();
        config_apply(&usual, task_named(runs[i].config.task)->settings);
        if (!setting_unused(s, &runs[i].config) &&
            !setting_equal(s, &runs[i].config, &usual) &&
            !setting_follows(s, &runs[i].config))
            return false;
    }
    return true;
}

/* The command that repeats the runs: what their tasks do not say. */
static char *
command_of(const Run *runs, int count, const char *out)
{
    char *text = copy_text("qkv compare");
    for (int s = 0; s < setting_count; s++) {
        const Setting *setting = &settings[s];
        bool always = !strcmp(setting->name, "variant") ||
                      !strcmp(setting->name, "task") ||
                      !strcmp(setting->name, "seed");
        if (!setting->help || (!always && as_usual(runs, count, setting)))
            continue;
        Values v = values_in(runs, count, setting->name);
        char *list = joined(&v, ","), *word = quoted(list, "'\\''");
        char *longer = format_text(
            "%s --%s %s", text, setting->name,
            strspn(list, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789,.-_=+/") == strlen(list) &&
                    *list
                ? list
                : word);
        free(text);
        free(list);
        free(word);
        values_free(&v);
        text = longer;
    }
    char *whole = format_text("%s --out %s\n", text, out);
    free(text);
    return whole;
}

/* The recipe that made the experiment, or NULL. */
static char *
recipe_of(const char *directory)
{
    size_t size;
    Path path = within(directory, "recipe.txt");
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
        if ((number == 0) == first) {
            char *longer = format_text("%s%s%.*s", text, *text ? " " : "",
                                       (int)n - 2, n > 2 ? recipe + 2 : "");
            free(text);
            text = longer;
        }
        recipe += n + (recipe[n] == '\n');
    }
    return text;
}

/* What was run, on what, and how it is run again. */
static void
put_facts(Document *d, const Run *runs, int count, const char *directory,
          const char *recipe)
{
    Values tasks_in = values_in(runs, count, "task");
    Values variants = values_in(runs, count, "variant");
    Values seeds = values_in(runs, count, "seed");
    char *task_list = joined(&tasks_in, ", ");
    char *variant_list = joined(&variants, ", ");
    double seconds = 0;
    for (int i = 0; i < count; i++) {
        Table t = table_read(within(runs[i].path, "timing.tsv").text);
        seconds += table_number(&t, 0, 1, runs[i].path);
        table_free(&t);
    }
    char *text = format_text(
        "%d runs: %s; %s %s; %d %s each, which give every variant the same "
        "data. %s precision, %.0f seconds of one core in all.",
        count, task_list, variants.count > 1 ? "variants" : "variant",
        variant_list, seeds.count, seeds.count > 1 ? "seeds" : "seed",
        runs[0].config.precision == PRECISION_DOUBLE ? "Double" : "Single",
        ceil(seconds));
    put_heading(d, "What was run");
    put_paragraph(d, text);
    put_paragraph(d, recipe ? "It is run again by these commands:"
                            : "It is run again by this command:");
    char *command = command_of(runs, count, directory);
    put_code(d, recipe ? recipe : command);
    free(command);
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

static const char *
short_number(const char *cell, char text[32])
{
    return number_text(strtod(cell, NULL), 3, text);
}

/* What a figure's data say: where each curve begins and ends. */
static char *
seen_in(const Table *t)
{
    char *text = copy_text(""), n[32];
    for (int i = 0; i < t->rows; i++) {
        const char *panel = table_cell(t, i, 0), *series = table_cell(t, i, 1);
        bool begins = i == 0 || strcmp(table_cell(t, i - 1, 0), panel) ||
                      strcmp(table_cell(t, i - 1, 1), series);
        bool ends = i == t->rows - 1 ||
                    strcmp(table_cell(t, i + 1, 0), panel) ||
                    strcmp(table_cell(t, i + 1, 1), series);
        bool several = strcmp(table_cell(t, t->rows - 1, 0), "1") != 0;
        if (!begins && !ends)
            continue;
        char *longer =
            begins ? format_text("%s%s%s%s%s%s from %s", text,
                                 *text ? "; " : " ", several ? "panel " : "",
                                 several ? panel : "", several ? ", " : "",
                                 series, short_number(table_cell(t, i, 3), n))
                   : copy_text(text);
        free(text);
        text = longer;
        if (!ends)
            continue;
        longer =
            format_text("%s to %s", text, short_number(table_cell(t, i, 3), n));
        free(text);
        text = longer;
    }
    return text;
}

/* The title that a figure's script gives it; to be freed. */
static char *
title_in(const char *script)
{
    size_t size;
    char *text = read_file(script, "script of a figure", &size);
    char *at = strstr(text, "title = '"), *title = copy_text("");
    if (at) {
        at += strlen("title = '");
        free(title);
        title = format_text("%.*s", (int)strcspn(at, "\n") - 1, at);
    }
    free(text);
    return title;
}

/* Copies a figure's files, and draws it as svg and pdf. */
static void
take_figure(const Document *d, const char *from, const char *name)
{
    static const char *const endings[] = {"tsv", "gp"};
    char *to = format_text("%s/figures", d->directory);
    for (int i = 0; i < 2; i++) {
        size_t size;
        char *old = format_text("%s/%s.%s", from, name, endings[i]);
        char *new = format_text("%s/%s.%s", to, name, endings[i]);
        char *text = read_file(old, "figure", &size);
        FILE *file = fopen(new, "w");
        if (!file || fwrite(text, 1, size, file) != size || fclose(file))
            fail("%s: cannot be written: %s", new, strerror(errno));
        free(text);
        free(old);
        free(new);
    }
    if (!draw_again(to, name, "svg") || !draw_again(to, name, "pdf"))
        fail("a report's figures need gnuplot: `make deps` brings it");
    free(to);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
put_figures(Document *d, const char *directory)
{
    char *from = format_text("%s/figures", directory), **names = NULL;
    int count = 0, room = 0;
    DIR *dir = opendir(from);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".gp"))
            continue;
        names = grow(names, count, &room, sizeof *names);
        names[count++] = format_text("%.*s", (int)n - 3, e->d_name);
    }
    if (dir)
        closedir(dir);
    if (count) {
        qsort(names, (size_t)count, sizeof *names, by_name);
        put_heading(d, "Figures");
    }
    for (int i = 0; i < count; i++) {
        take_figure(d, from, names[i]);
        char *script = format_text("%s/%s.gp", from, names[i]);
        char *data = format_text("%s/%s.tsv", from, names[i]);
        Table t = table_read(data);
        char *title = title_in(script);
        char *seen = t.rows && !strcmp(t.cells[0], "panel") ? seen_in(&t)
                                                            : copy_text("");
        char *caption =
            format_text("Figure %d. %s.%s%s Data: figures/%s.tsv.", i + 1,
                        title, seen, *seen ? "." : "", names[i]);
        put_figure(d, names[i], caption);
        table_free(&t);
        free(caption);
        free(seen);
        free(title);
        free(script);
        free(data);
        free(names[i]);
    }
    free(names);
    free(from);
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
    if (all->rates < 2)
        put_paragraph(d,
                      "One learning rate. Depth, width and scale change the "
                      "rate that suits a variant, so a difference in steps may "
                      "be one of rates: a grid (--lr) tells.");
    if (parameters)
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

int
command_report(int argc, char **argv)
{
    Options o = options_read(argc, argv, REPORT);
    int count;
    if (o.rest_count != 1 || !strcmp(o.out, o.rest[0]))
        usage("report takes one experiment and --out DIR: `qkv report "
              "build/demo -o report`");
    Run *runs = experiment_runs(o.rest[0], &count);
    if (!count)
        fail("%s: no finished run there", o.rest[0]);
    if (mkdir(o.out, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s", o.out, strerror(errno));
    if (mkdir(within(o.out, "figures").text, 0777) && errno != EEXIST)
        fail("%s/figures: cannot be made: %s", o.out, strerror(errno));
    char *recipe = recipe_of(o.rest[0]);
    char *title = recipe_words(recipe, true);
    char *lead = recipe_words(recipe, false);
    Outcomes all = outcomes_of(&o, runs, count);
    Document d = document_begin(
        o.out, *title ? title : "Variants of attention, compared");
    if (*lead)
        put_paragraph(&d, lead);
    put_facts(&d, runs, count, o.rest[0], recipe);
    put_figures(&d, o.rest[0]);
    put_results(&d, &all);
    put_limits(&d, &all, runs, count);
    document_end(&d);
    if (!o.quiet)
        note("wrote %s/report.html, report.md, report.tex", o.out);
    outcomes_free(&all);
    for (int i = 0; i < count; i++)
        run_free(&runs[i]);
    free(runs);
    free(recipe);
    free(title);
    free(lead);
    options_free(&o);
    return 0;
}
