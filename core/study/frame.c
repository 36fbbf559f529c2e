/* frame.c - the runs of an experiment as one table. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/find_plugin.h"
#include "study/frame.h"

bool
is_axis(const char *name)
{
    return setting_named(name) || !strcmp(name, "run");
}

bool
has_numbers(const char *name)
{
    const Setting *s = setting_named(name);
    return s ? s->kind & NUMERIC : index_in("run status", name) < 0;
}

/* The values of a list of names, "variant,lr": the first, and all others. */
static const char *
listed_values(const Run *r, const char *names, const char *comma)
{
    char *first = format_text("%.*s", (int)(comma - names), names);
    const char *one = run_value(r, first);
    const char *others = run_value(r, comma + 1);
    return format_text("%s,%s", one ? one : "none", others ? others : "none");
}

/* A value as it is in the run's files. NULL if the run has no such name, or
   does not use that setting. */
static const char *
own_text(const Run *r, const char *name)
{
    const Setting *s = setting_named(name);
    const char *comma = strchr(name, ',');
    if (comma)
        return listed_values(r, name, comma);
    if (!strcmp(name, "run"))
        return r->name;
    if (!s)
        return run_text(r, name);
    if (setting_unused(s, &r->config))
        return NULL;
    const char *value = setting_text(s, &r->config);
    return s->kind == PLUGIN && *value ? plugin_name(value) : value;
}

const char *
run_value(const Run *r, const char *name)
{
    const char *own = own_text(r, name);
    char text[WORD_SIZE];
    if (!own)
        return NULL;
    snprintf(text, sizeof text, "%s", *own ? own : "none");
    replace_in(text, " '\"\\", '_'); /* special where gnuplot reads a column */
    return interned(text);
}

/* Did the run reach the threshold, and did it end not far below it? */
static bool
solved(const Run *r)
{
    double end =
        fmax(run_number(r, "accuracy"), run_number(r, "validation_accuracy"));
    return run_number(r, "solved_at") > 0 && end >= r->config.threshold - 0.05;
}

double
run_quantity(const Run *r, const char *name)
{
    const char *text = run_value(r, name);
    const char *sign = text ? strchr(text, '=') : NULL;
    if (!strcmp(name, "solved_at") && !solved(r))
        return NAN;
    if (run_text(r, name))
        return run_number(r, name);
    if (text && !strcmp(text, "none")) /* a setting without text: factor 1 */
        return 1;
    return text ? strtod(sign ? sign + 1 : text, NULL) : NAN;
}

/* The number with which a value begins or, as in the factor "W_Q=0.1", which
   follows its =; NaN if the value is a word. */
static double
number_in(const char *value)
{
    const char *sign = strchr(value, '='), *from = sign ? sign + 1 : value;
    char *end;
    double x = strtod(from, &end);
    return end > from ? x : NAN;
}

/* Compares numbers by size, and words by their letters. */
static int
value_order(const char *a, const char *b)
{
    double x = number_in(a), y = number_in(b);
    if (x < y || x > y) /* never with NaN */
        return x > y ? 1 : -1;
    return strcmp(a, b);
}

/* Is the first value of a list the baseline? */
static bool
begins_with_baseline(const char *list)
{
    size_t n = strlen(BASELINE);
    return strcspn(list, ",") == n && !strncmp(list, BASELINE, n);
}

int
series_order(const char *a, const char *b)
{
    int part = 0; /* where the first value that differs begins */
    for (int i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == ',')
            part = i + 1;
    bool a_first = begins_with_baseline(a + part);
    bool b_first = begins_with_baseline(b + part);
    if (a_first != b_first)
        return a_first ? -1 : 1;
    return value_order(a + part, b + part);
}

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

Values
values_of(const char *const *own, int count)
{
    Values v = {0};
    for (int i = 0; i < count; i++)
        if (own[i] && (!i || own[i] != own[i - 1])) /* most repeat the last */
            values_add(&v, copy_text(own[i]));
    series_sort(&v);
    return v;
}

Values
values_in(const Experiment *e, const char *name)
{
    const char **own = allocate((size_t)e->count + 1, sizeof *own);
    for (int i = 0; i < e->count; i++)
        own[i] = run_value(&e->runs[i], name);
    return values_of(own, e->count);
}

const char *
name_suggestion(const Experiment *e, const char *name, bool logged)
{
    const Run *r = e->runs;
    Values known = {0};
    if (logged) {
        for (int i = 1; i < r->log.cols; i++) /* column 0 is the step */
            values_add(&known, copy_text(r->log.cells[i]));
        return suggestion(name, &known);
    }
    for (int i = 0; i < r->result.rows; i++)
        values_add(&known, copy_text(table_cell(&r->result, i, 0)));
    for (int i = 0; i < setting_count; i++)
        values_add(&known, copy_text(settings[i].name));
    return suggestion(name, &known);
}

/* A condition of --where: "lr=0.01", "lr<=0.01", "seed=1..3". The second is a
   bound, and the last two are ranges. */
typedef struct Condition {
    const char *name, *value;
    bool bound; /* is it < or >? Then a run must meet it in any case */
    bool range; /* is it for numbers from least to most? Else for equality */
    double least, most;
} Condition;

/* Reads the number of a bound. Exits (2) if it is none. */
static double
bound_of(const char *text, const char *condition)
{
    double x;
    if (number_read(text, false, -DBL_MAX, DBL_MAX, &x))
        usage("--where %s: a bound must be a number, as in lr<=0.01 or "
              "seed=1..3",
              condition);
    return x;
}

/* Reads a condition. Exits (2) if it cannot be read. */
static Condition
condition_of(const char *text)
{
    const char *sign = text + strcspn(text, "<>="), *equals = strchr(sign, '=');
    if (!equals || equals > sign + 1)
        usage("--where %s: give a name and its value, as in lr=0.01, "
              "lr<=0.01 or seed=1..3",
              text);
    Condition c = {.name = format_text("%.*s", (int)(sign - text), text),
                   .value = equals + 1,
                   .bound = *sign != '=',
                   .least = -INFINITY,
                   .most = INFINITY};
    const char *dots = strstr(c.value, "..");
    c.range = c.bound;
    if (*sign == '<')
        c.most = bound_of(c.value, text);
    else if (*sign == '>')
        c.least = bound_of(c.value, text);
    else if (dots && has_numbers(c.name)) {
        int n = (int)(dots - c.value);
        c.range = true;
        c.least = bound_of(format_text("%.*s", n, c.value), text);
        c.most = bound_of(dots + 2, text);
    }
    if (c.range && !has_numbers(c.name))
        usage("--where %s: %s has no numbers; give a value, as in variant=mqa",
              text, c.name);
    return c;
}

/* Does a value, as a text, meet one condition? */
static bool
meets(const char *value, const Condition *c)
{
    double x = strtod(value, NULL);
    if (c->range)
        return x >= c->least && x <= c->most;
    return !strcmp(value, c->value);
}

/* Does the value meet condition i? An equality or a range also counts as met if
   another one for the same name is: they are alternatives. */
static bool
meets_or_alternative(const char *value, const Condition *all, int count, int i)
{
    if (meets(value, &all[i]))
        return true;
    for (const Condition *c = all; c < all + count; c++)
        if (!all[i].bound && !c->bound && !strcmp(c->name, all[i].name) &&
            meets(value, c))
            return true;
    return false;
}

/* Keeps the runs that meet each condition in turn. */
void
keep_where(Experiment *e, const char *where)
{
    Values wanted = values_split(where);
    Condition *all = allocate((size_t)wanted.count, sizeof *all);
    for (int i = 0; i < wanted.count; i++)
        all[i] = condition_of(wanted.text[i]);
    for (int i = 0; i < wanted.count; i++) {
        const char *name = all[i].name;
        Values known = values_in(e, name);
        int kept = 0;
        for (Run *r = e->runs; r < e->runs + e->count; r++) {
            const char *value = run_value(r, name);
            if (value && !meets_or_alternative(value, all, wanted.count, i))
                continue;
            e->runs[kept++] = *r;
        }
        if (!known.count)
            usage("--where %s: no run has a setting or result of that name;%s "
                  "`qkv table` prints all names",
                  wanted.text[i], name_suggestion(e, name, false));
        if (!kept)
            usage("--where %s: no run has it: %s", wanted.text[i],
                  not_one_of(all[i].value, joined(&known, ", ")));
        e->count = kept;
    }
}

const char *
differ_in(const Config *a, const Config *b, const char *except)
{
    for (const Setting *s = settings; s < settings + setting_count; s++)
        if (setting_decides(s) && index_in(except, s->name) < 0 &&
            !setting_equal(s, a, b))
            return s->name;
    return NULL;
}
