/* bars.c - the figure of parameter counts. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/curves.h"
#include "study/draw.h"
#include "study/figure.h"
#include "heart/fail.h"

/* The place of a name among those that came before, where it is added if it is
   new. */
static int
place(Values *names, const char *name)
{
    int i = 0;
    while (i < names->count && strcmp(names->text[i], name))
        i++;
    if (i == names->count)
        values_add(names, copy_text(name));
    return i;
}

/* Does it change what a variant has? */
static bool
sizes(const Setting *s)
{
    return s->role & (OF_DATA | OF_SHAPE | OF_MODEL | OF_SECOND) &&
           !setting_worded(s);
}

static bool
of_one_variant(const Run *a, const Run *b)
{
    return !strcmp(a->config.task, b->config.task) &&
           !strcmp(a->config.variant, b->config.variant);
}

/* Would both have the same bar? */
static bool
alike(const Run *a, const Run *b)
{
    bool same = of_one_variant(a, b);
    for (int s = 0; s < setting_count; s++)
        same &= !sizes(&settings[s]) ||
                setting_equal(&settings[s], &a->config, &b->config);
    return same && run_number(a, "parameters") == run_number(b, "parameters");
}

/* "standard", or "standard.d-k4" where the runs of standard on its task differ
   in a setting that changes what it has. */
static char *
label_of(const Run *runs, int count, const Run *r)
{
    char value[VALUE_SIZE];
    run_setting(r, "variant", value);
    char *label = copy_text(value);
    for (int s = 0; s < setting_count; s++) {
        const Setting *size = &settings[s];
        bool varies = false;
        for (int i = 0; i < count && sizes(size); i++)
            varies |= of_one_variant(&runs[i], r) &&
                      !(setting_follows(size, &r->config) &&
                        setting_follows(size, &runs[i].config)) &&
                      !setting_equal(size, &runs[i].config, &r->config);
        if (!varies)
            continue;
        run_setting(r, size->name, value);
        replace(&label, format_text("%s.%s%s", label, size->name, value));
    }
    return label;
}

/* Tasks by name, then variants as series are ordered, then by size. */
static int
in_order(const void *a, const void *b)
{
    const Run *x = *(const Run *const *)a, *y = *(const Run *const *)b;
    char v[VALUE_SIZE], w[VALUE_SIZE];
    int tasks = strcmp(x->config.task, y->config.task);
    run_setting(x, "variant", v);
    run_setting(y, "variant", w);
    if (tasks)
        return tasks;
    if (strcmp(v, w))
        return series_before(v, w) ? -1 : 1;
    double less = run_number(x, "attention_parameters") -
                  run_number(y, "attention_parameters");
    return less < 0 ? -1 : less > 0;
}

/* The rows as they are called: "ours.d-k4". To be freed. */
static Values
shown_rows(const Drawing *o, const Values *rows)
{
    Values shown = {0};
    for (int i = 0; i < rows->count; i++) {
        const char *label = rows->text[i];
        size_t n = strcspn(label, ".");
        char *variant = format_text("%.*s", (int)n, label);
        replace(&variant, shown_name(o, variant));
        values_add(&shown, format_text("%s%s", variant, label + n));
        free(variant);
    }
    return shown;
}

/* What the colours are; and which bars have no light part because nobody knows
   how much of them is real. */
static void
write_title(const Figure *f, const Values *told, const Values *untold)
{
    char *names = joined(untold, ", ");
    char *notes = format_text(
        " Blue and the first number: the parameters of attention that are "
        "really there; light: the rest of those that are stored, by which no "
        "more functions can be had.%s%s%s",
        *names ? " Not told, and all blue: " : "", names, *names ? "." : "");
    if (told->count)
        figure_title(f,
                     "Parameters: real (blue), redundant (light), outside "
                     "attention (grey)",
                     notes, "");
    else
        figure_title(
            f, "Parameters: attention (blue, as the number), the rest (grey)",
            " How many of them are really there was not counted: compare "
            "without --no-figures counts them.",
            "");
    free(notes);
    free(names);
}

void
bars_draw(const Drawing *o, const Experiment *e)
{
    const Run *runs = e->runs;
    int count = e->count;
    Values tasks = {0}, rows = {0}, bars = {0}, told = {0}, untold = {0};
    const Run **sorted = allocate((size_t)count, sizeof *sorted);
    for (int i = 0; i < count; i++)
        sorted[i] = &runs[i];
    qsort(sorted, (size_t)count, sizeof *sorted, in_order);
    Figure f = figure_begin(o, "parameters");
    fprintf(f.data, "task\tvariant\tattention\trest\trow\treal\n");
    for (int i = 0; i < count; i++) {
        const Run *r = sorted[i];
        if (i > 0 && alike(sorted[i - 1], r))
            continue;
        char *label = label_of(runs, count, r);
        int known = bars.count;
        char *bar = format_text("%s %s", r->config.task, label);
        int row = place(&rows, label);
        double attention = run_number(r, "attention_parameters");
        place(&tasks, r->config.task);
        if (place(&bars, bar) == known) {
            fprintf(f.data, "%s\t%s\t%.0f\t%.0f\t%d\t", r->config.task, label,
                    attention, run_number(r, "parameters") - attention,
                    row + 1);
            fprintf(f.data, r->real >= 0 ? "%.0f\n" : "NA\n", r->real);
            place(r->real >= 0 ? &told : &untold, label);
        }
        free(label);
        free(bar);
    }
    free(sorted);
    write_title(&f, &told, &untold);
    figure_words(&f, "panels", &tasks);
    Values shown = shown_rows(o, &rows);
    figure_words(&f, "rows", &shown);
    int wide =
        120 + 9 * longest_of(&shown) + (told.count ? 230 : 175) * tasks.count;
    fprintf(f.script, "width = %d\nheight = %d\n", wide < 560 ? 560 : wide,
            115 + 34 * rows.count);
    values_free(&tasks);
    values_free(&rows);
    values_free(&shown);
    values_free(&bars);
    values_free(&told);
    values_free(&untold);
    figure_end(&f, "bars");
}
