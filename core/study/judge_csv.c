/* judge_csv.c - judges the results in any table: reads the columns that
   the question names, and compares each method with the baseline.

   The rows are sorted by method and, within each method, by seed. So two
   methods with the same seeds have their values in the same order, as a paired
   test requires. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "study/judge_csv.h"
#include "study/known_quantities.h"

/* A number whose size is above the first or, unless it is 0, below the second
   is refused: its square may be infinite or 0. */
#define LARGEST  1e150
#define SMALLEST 1e-150

typedef struct Row {
    const char *method, *seed; /* seed is "" if the table has no seeds */
    int number;                /* the row's number in the table, from 0 */
} Row;

/* The rows of a method, sorted by seed. */
typedef struct Method {
    const Row *rows;
    int count;
    int first; /* the number of the method's first row in the table */
} Method;

/* The table, with its columns and methods. */
typedef struct Source {
    const char *path;
    const Question *question;
    Table table;
    int *lines;            /* the line of the file at which each row begins */
    Values columns, names; /* the names of the columns, and of the methods */
    Method *methods;       /* in the order of their first rows in the table */
} Source;

/* Exits (2), because `option` was not given. Its value must be one of the names
   in `known`; `what` says what these are, such as "the table's columns". */
static _Noreturn void
demand(const char *option, const Values *known, const char *what)
{
    usage("%s NAME: give one of %s: \"%s\"", option, what,
          joined(known, "\", \""));
}

/* Returns the index of `name`, the value of `option`, among the `known` names.
   Exits (2) unless exactly one of these is this name; the message calls them
   `what`. Also exits if `name` is NULL, because the option was not given. */
static int
index_or_exit(const char *option, const char *name, const Values *known,
              const char *what)
{
    const int none = -1;
    int index = none;
    if (!name)
        demand(option, known, what);
    const char *list = joined(known, "\", \"");
    for (int i = 0; i < known->count; i++) {
        if (strcmp(known->text[i], name) != 0)
            continue;
        if (index != none)
            usage("%s %s: several of %s have that name (\"%s\"); keep one",
                  option, name, what, list);
        index = i;
    }
    if (index == none)
        usage("%s %s:%s give one of %s: \"%s\"", option, name,
              suggestion(name, known), what, list);
    return index;
}

/* The values of `what` for index_or_exit and demand. */
static const char of_columns[] = "the table's columns";
static const char of_methods[] = "the table's methods";
static const char of_results[] = "the results";

/* For qsort: orders rows by method, then by seed, then as in the table. */
static int
by_method(const void *a, const void *b)
{
    const Row *p = a, *q = b;
    int order = strcmp(p->method, q->method);
    if (!order)
        order = strcmp(p->seed, q->seed);
    if (!order)
        order = (p->number > q->number) - (p->number < q->number);
    return order;
}

/* For qsort: orders methods as in the table. */
static int
by_first(const void *a, const void *b)
{
    const Method *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

/* Fails if a method has a seed twice. The rows are sorted, so two rows with one
   seed would be adjacent. */
static void
refuse_repeated_seed(const Source *s, const Row *rows)
{
    for (const Row *r = rows + 1; r < rows + s->table.rows; r++)
        if (!strcmp(r->method, r[-1].method) && !strcmp(r->seed, r[-1].seed))
            fail("%s:%d: %.64s already has %s %.64s in line %d: remove one of "
                 "the two lines",
                 s->path, s->lines[r->number], r->method, s->question->seed,
                 r->seed, s->lines[r[-1].number]);
}

/* Returns a row's cell in a column that names its method or its seed. Fails if
   the cell is missing: two rows that lack it would be taken for one method, or
   for a pair. */
static const char *
name_in(const Source *s, int row, int column)
{
    const char *cell = table_cell(&s->table, row, column);
    if (!*cell || !strcmp(cell, "NA"))
        fail("%s:%d: its %s is missing; fill in the cell, or remove the line",
             s->path, s->lines[row], s->columns.text[column]);
    return cell;
}

/* The table's rows, sorted by method and seed. */
static Row *
sorted_rows(const Source *s)
{
    const Question *q = s->question;
    const Table *t = &s->table;
    Row *rows = allocate((size_t)t->rows, sizeof *rows);
    const Values *columns = &s->columns;
    int method = index_or_exit("--method", q->method, columns, of_columns);
    if (!q->seed && !q->unpaired)
        demand("--unpaired, or --seed", columns, of_columns);
    for (int i = 0; i < t->rows; i++)
        rows[i] = (Row){name_in(s, i, method), .seed = "", .number = i};
    if (q->seed) {
        int seed = index_or_exit("--seed", q->seed, columns, of_columns);
        for (int i = 0; i < t->rows; i++)
            rows[i].seed = name_in(s, i, seed);
    }
    qsort(rows, (size_t)t->rows, sizeof *rows, by_method);
    if (q->seed)
        refuse_repeated_seed(s, rows);
    return rows;
}

/* Sets s->methods and s->names. The rows of one method are adjacent, since they
   are sorted. The methods are put into the order of their first rows in the
   table. */
static void
find_methods(Source *s)
{
    const Row *rows = sorted_rows(s), *end = rows + s->table.rows;
    Method *m = allocate((size_t)s->table.rows, sizeof *m);
    int count = 0;
    for (const Row *r = rows; r < end; r++) {
        bool is_new_method = r == rows || strcmp(r->method, r[-1].method);
        if (is_new_method)
            m[count++] = (Method){.rows = r, .first = r->number};
        Method *last = &m[count - 1];
        if (r->number < last->first)
            last->first = r->number;
        last->count++;
    }
    qsort(m, (size_t)count, sizeof *m, by_first);
    for (int i = 0; i < count; i++)
        values_add(&s->names, copy_text(m[i].rows->method));
    s->methods = m;
}

/* Returns a row of one of two methods whose seed the other method lacks; NULL
   if both have the same seeds. The rows of each method are sorted by seed. So
   at the first index at which the seeds differ, the other method lacks the
   lesser seed. */
static const Row *
unshared_row(const Method *a, const Method *b)
{
    int fewer = a->count < b->count ? a->count : b->count;
    for (int i = 0; i < fewer; i++) {
        int order = strcmp(a->rows[i].seed, b->rows[i].seed);
        if (order)
            return order < 0 ? &a->rows[i] : &b->rows[i];
    }
    if (a->count == b->count)
        return NULL;
    return a->count > b->count ? &a->rows[fewer] : &b->rows[fewer];
}

/* Returns whether the rows of method m and of the baseline are pairs, one pair
   for each seed. Exits (2) if one of the two lacks a seed and the question does
   not allow that, because only the user may decide to leave a run out. */
static bool
is_paired(const Source *s, const Method *m, const Method *base)
{
    const Question *q = s->question;
    if (!q->seed)
        return false;
    const Row *unshared = unshared_row(m, base);
    if (unshared && !q->unpaired) {
        bool of_base = !strcmp(unshared->method, base->rows->method);
        usage("%s: %.64s has %s %.64s, but %.64s does not: add the missing "
              "row, remove this one, or give --unpaired for Welch's test",
              s->path, unshared->method, q->seed, unshared->seed,
              of_base ? m->rows->method : base->rows->method);
    }
    return !unshared;
}

/* Reads a method's numbers in a column into e. In a result of --solved-at, NA
   is a run that never reached the threshold. */
static void
read_numbers(const Source *s, const Method *m, int column, Entry *e)
{
    e->n = m->count;
    e->x = allocate((size_t)e->n, sizeof *e->x);
    for (int i = 0; i < e->n; i++) {
        int row = m->rows[i].number;
        double *x = &e->x[i];
        const char *cell = table_cell(&s->table, row, column);
        const char *wrong = number_read(cell, ANY_NUMBER, -LARGEST, LARGEST, x);
        bool missing = !strcmp(cell, "NA");
        if (!wrong && *x != 0 && fabs(*x) < SMALLEST)
            wrong = format_text("%s is nearer to 0 than %g; give it in a "
                                "smaller unit",
                                cell, SMALLEST);
        if (missing && e->steps)
            *x = INFINITY; /* it counts as later than any other run */
        else if (wrong)
            fail("%s:%d: %s: %s%s", s->path, s->lines[row], e->result, wrong,
                 missing ? "; NA is for results of --solved-at" : "");
        e->solved += isfinite(*x);
    }
}

/* Compares e, the entry of method m, with the baseline's entry. The baseline is
   not compared with itself. */
static void
compare(const Source *s, const Method *m, const Method *base, Entry *e)
{
    const Entry *b = e->base;
    const char *given = margin_given(s->question->margin, e->result);
    double margin = margin_in_unit(given, b->x, b->n); /* NaN without one */
    /* judge has refused a given margin of 0 or infinity (margin_names). So this
       is a per cent of 0 or, if the baseline has an NA, of infinity. */
    bool per_cent_of_nothing = margin == 0 || isinf(margin);
    if (per_cent_of_nothing)
        usage("--margin %.64s: it is in per cent, but the baseline has only "
              "zeros or an NA; give the margin in the unit of %s",
              s->question->margin, e->result);
    Contrast c = unknown_contrast; /* the baseline keeps this */
    e->paired = is_paired(s, m, base);
    if (e != b)
        c = e->paired ? paired_t(e->x, b->x, e->n, margin)
                      : welch_t(e->x, e->n, b->x, b->n, margin);
    e->comparison = comparison_of(c, e->less_is_better, margin);
}

/* The average of an entry's values, with its interval. A single value has no
   interval. */
static Mean
average(const Entry *e)
{
    Mean m = e->steps ? median_interval(e->x, e->n) : mean_interval(e->x, e->n);
    if (e->n == 1)
        m.low = m.high = NAN;
    return m;
}

/* Judges the result in a column, and adds an entry for each method. `shared`
   has the fields that are the same in all these entries: result, steps and
   less_is_better. */
static void
judge_result(const Source *s, Judgement *j, int column, Entry shared)
{
    int count = s->names.count;
    const char *baseline = s->question->baseline;
    int base = index_or_exit("--baseline", baseline, &s->names, of_methods);
    Entry *entries = allocate((size_t)count, sizeof *entries);
    for (int i = 0; i < count; i++) {
        entries[i] = shared;
        entries[i].method = s->names.text[i];
        entries[i].base = &entries[base];
        read_numbers(s, &s->methods[i], column, &entries[i]);
    }
    for (int i = 0; i < count; i++) {
        compare(s, &s->methods[i], &s->methods[base], &entries[i]);
        entries[i].mean = average(&entries[i]);
        j->list = grow(j->list, j->count, &j->capacity, sizeof *j->list);
        j->list[j->count++] = &entries[i];
    }
}

/* Judges each result in `list`, the value of `option`, or NULL if that was not
   given. `shared` says what kind of results these are (steps, less_is_better).
   `results` has the names of all results judged so far, including other
   options; exits (2) if one is named twice. */
static void
judge_list(const Source *s, Judgement *j, const char *option, const char *list,
           Entry shared, Values *results)
{
    Values names = list ? values_split(list) : (Values){0};
    for (int i = 0; i < names.count; i++) {
        char *name = names.text[i];
        int column = index_or_exit(option, name, &s->columns, of_columns);
        values_add(results, name);
        /* The index is not needed; this exits if the name is there twice. */
        index_or_exit(option, name, results, of_results);
        shared.result = name;
        judge_result(s, j, column, shared);
    }
}

/* One result is judged after the other; then all verdicts are decided together.
 */
Judgement
judge(const char *path, const Question *q)
{
    Source s = {.path = path, .question = q};
    Judgement j = {.question = q};
    s.table = csv_read(path, &s.lines);
    j.rows = s.table.rows;
    for (int i = 0; i < s.table.cols; i++)
        values_add(&s.columns, s.table.cells[i]);
    find_methods(&s);
    j.methods = s.names.count;
    Values results = {0}, margins = margin_names(q->margin);
    judge_list(&s, &j, "--lower", q->lower, (Entry){.less_is_better = true},
               &results);
    judge_list(&s, &j, "--higher", q->higher, (Entry){.less_is_better = false},
               &results);
    judge_list(&s, &j, "--solved-at", q->solved_at,
               (Entry){.less_is_better = true, .steps = true}, &results);
    if (!results.count)
        demand("--lower, --higher or --solved-at", &s.columns, of_columns);
    for (int i = 0; i < margins.count; i++) /* each must be for a result */
        index_or_exit("--margin", margins.text[i], &results, of_results);
    Comparison **all = allocate((size_t)j.count, sizeof *all);
    for (int i = 0; i < j.count; i++)
        all[i] = &j.list[i]->comparison;
    j.comparisons = decide_all(all, j.count);
    return j;
}
