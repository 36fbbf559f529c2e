/* run_values.c - the value that a run has for a name, and the order in which
   values are shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/find_plugin.h"
#include "study/run_values.h"

bool
is_setting_or_run(const char *name)
{
    return setting_named(name) || !strcmp(name, "run");
}

bool
has_numbers(const char *name)
{
    const Setting *s = setting_named(name);
    return s ? s->kind & NUMERIC : index_in("run status", name) < 0;
}

/* The values of a run for a list of names: "mqa,0.01" for "variant,lr". `comma`
   points to the first comma of the list. */
static const char *
listed_values(const Run *r, const char *names, const char *comma)
{
    char *first = format_text("%.*s", (int)(comma - names), names);
    const char *value = run_value_text(r, first);
    const char *others = run_value_text(r, comma + 1);
    return format_text("%s,%s", value ? value : "none",
                       others ? others : "none");
}

/* The value as the run's files have it, but a variant without its path. NULL if
   the run has no such name, or does not use that setting. */
static const char *
recorded_text(const Run *r, const char *name)
{
    const Setting *s = setting_named(name);
    const char *comma = strchr(name, ',');
    if (comma)
        return listed_values(r, name, comma);
    if (!strcmp(name, "run"))
        return r->name;
    if (!s) /* it is a result */
        return run_text(r, name);
    if (setting_unused(s, &r->config))
        return NULL;
    const char *value = setting_text(s, &r->config);
    return s->kind == PLUGIN && *value ? plugin_name(value) : value;
}

const char *
run_value_text(const Run *r, const char *name)
{
    const char *recorded = recorded_text(r, name);
    char text[WORD_SIZE];
    if (!recorded)
        return NULL;
    snprintf(text, sizeof text, "%s", *recorded ? recorded : "none");
    /* gnuplot would not read these characters as part of a cell. */
    replace_in(text, " '\"\\", '_');
    return interned(text);
}

/* The number with which a value begins or, in a factor such as "W_Q=0.1", the
   number after the =; NaN if there is no number. */
static double
number_in(const char *value)
{
    const char *sign = strchr(value, '=');
    const char *from = sign ? sign + 1 : value;
    char *end;
    double x = strtod(from, &end);
    return end > from ? x : NAN;
}

/* Returns whether the run reached the threshold and was still there at its end,
   on training or on validation data. An accuracy that is only a little below
   the threshold at the end still counts, because it is noisy. */
static bool
solved(const Run *r)
{
    const double noise = 0.05;
    double end =
        fmax(run_number(r, "accuracy"), run_number(r, "validation_accuracy"));
    return run_number(r, "solved_at") > 0 && end >= r->config.threshold - noise;
}

double
run_value_number(const Run *r, const char *name)
{
    if (!strcmp(name, "solved_at") && !solved(r))
        return NAN;
    if (run_text(r, name)) /* it is a result */
        return run_number(r, name);
    const char *recorded = recorded_text(r, name);
    if (!recorded)
        return NAN;
    if (!strcmp(name, "init") && !*recorded) /* no factors: all are 1 */
        return 1;
    return number_in(recorded);
}

/* Compares two numbers by size, and words by their letters, for sorting. */
static int
value_order(const char *a, const char *b)
{
    double x = number_in(a), y = number_in(b);
    if (x < y)
        return -1;
    if (x > y)
        return 1;
    return strcmp(a, b); /* the numbers are equal, or one is a word */
}

/* Returns whether the first value of a list is the baseline. */
static bool
begins_with_baseline(const char *list)
{
    size_t n = strlen(BASELINE);
    return strcspn(list, ",") == n && !strncmp(list, BASELINE, n);
}

/* Returns the index at which the first value that differs begins. It is the
   same in both lists, because all values before it are equal. */
static int
first_difference(const char *a, const char *b)
{
    int begin = 0;
    for (int i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == ',')
            begin = i + 1;
    return begin;
}

int
series_order(const char *a, const char *b)
{
    int begin = first_difference(a, b);
    bool a_first = begins_with_baseline(a + begin);
    bool b_first = begins_with_baseline(b + begin);
    if (a_first != b_first)
        return a_first ? -1 : 1;
    return value_order(a + begin, b + begin);
}

/* series_order in the form that qsort needs. */
static int
in_series_order(const void *a, const void *b)
{
    return series_order(*(char *const *)a, *(char *const *)b);
}

void
series_sort(Values *names)
{
    int kept = 0;
    if (names->count)
        qsort(names->text, (size_t)names->count, sizeof *names->text,
              in_series_order);
    for (int i = 0; i < names->count; i++)
        if (!kept || strcmp(names->text[i], names->text[kept - 1]))
            names->text[kept++] = names->text[i];
    names->count = kept;
}

/* Most runs have the same value as the run before. It is not added again, so
   few values need to be sorted. */
void
add_run_value(Values *values, const Run *r, const char *name)
{
    const char *value = run_value_text(r, name);
    const char *last = values->count ? values->text[values->count - 1] : "";
    if (value && strcmp(value, last) != 0)
        values_add(values, copy_text(value));
}

Values
values_in(const Experiment *e, const char *name)
{
    Values different = {0};
    for (int i = 0; i < e->count; i++)
        add_run_value(&different, &e->runs[i], name);
    series_sort(&different);
    return different;
}

/* The names in the first run are enough for a suggestion, here and in
   logged_suggestion. */
const char *
name_suggestion(const Experiment *e, const char *name)
{
    const Table *results = &e->runs[0].result;
    Values known = {0};
    for (int i = 0; i < results->rows; i++)
        values_add(&known, copy_text(table_cell(results, i, NAME_COLUMN)));
    for (int i = 0; i < setting_count; i++)
        values_add(&known, copy_text(settings[i].name));
    return suggestion(name, &known);
}

const char *
logged_suggestion(const Experiment *e, const char *name)
{
    const Table *log = &e->runs[0].log; /* its first cells name the columns */
    Values known = {0};
    for (int column = STEP_COLUMN + 1; column < log->cols; column++)
        values_add(&known, copy_text(log->cells[column]));
    return suggestion(name, &known);
}
