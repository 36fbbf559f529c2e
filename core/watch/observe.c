/* observe.c - the columns that --log adds to the log.

   Each is a row of `table`, below: the word of --log that asks for it, its
   name, and the function that computes it. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/forms.h"
#include "algebra/pass.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/layers.h"
#include "heart/numbers.h"
#include "math/statistics.h"
#include "watch/observe.h"

static const char words[] = "attention scores gradients rank distance range";
enum {
    ATTENTION = 1,
    SCORES = 2,
    GRADIENTS = 4,
    RANK = 8,
    DISTANCE = 16,
    RANGE = 32
};

/* What is found of a row of weights: a query of a head. */
enum {
    ENTROPY,
    LARGEST,
    SATURATED, /* these three not where a token sees itself alone */
    GRADIENT,  /* of the loss by its scores, unless it is 0 */
    FINDINGS
};

/* What a line is computed from: each finding of every row that has it. */
typedef struct Observation {
    const Observer *observer;
    Pass *pass;
    double *found[FINDINGS];
    int count[FINDINGS], capacity[FINDINGS];
    double scores, sum, squares; /* of the scores that are not masked */
    Canonical *forms;            /* of each place */
} Observation;

static void
add_finding(Observation *s, int which, double x)
{
    int n = s->count[which]++;
    s->found[which] = grow(s->found[which], n, &s->capacity[which], sizeof x);
    s->found[which][n] = x;
}

/* A weight that is no number makes the findings none. */
static void
observe_row(Observation *s, const double *scores, const double *p, int keys,
            bool alone)
{
    double entropy = 0, largest = 0;
    for (int j = 0; j < keys; j++) {
        if (!(p[j] < DBL_MIN))
            entropy -= p[j] * logarithm(p[j]);
        largest = p[j] <= largest ? largest : p[j];
        if (isfinite(scores[j])) {
            s->scores++;
            s->sum += scores[j];
            s->squares += scores[j] * scores[j];
        }
    }
    if (alone)
        return;
    add_finding(s, ENTROPY, entropy);
    add_finding(s, LARGEST, largest);
    add_finding(s, SATURATED, isnan(largest) ? NAN : largest > 0.99);
}

/* The norm of a row of dL/dS, from the row of dL/dO:
dS_j = P_j (dP_j - sum_j P_j dP_j),  dP = dO V' */
static double
gradient_norm(const real *d, const double *p, Matrix v)
{
    double mean = 0, squares = 0, *dp = allocate((size_t)v.rows, sizeof *dp);
    for (int j = 0; j < v.rows; j++) {
        for (int l = 0; l < v.cols; l++)
            dp[j] += (double)d[l] * (double)v.at[j * v.down + l];
        mean += p[j] * dp[j];
    }
    for (int j = 0; j < v.rows; j++)
        squares += p[j] * p[j] * (dp[j] - mean) * (dp[j] - mean);
    free(dp);
    return sqrt(squares);
}

/* 0 as it is of a token whose answer does not count? */
static bool
all_zero(const real *d, int count)
{
    for (int l = 0; l < count; l++)
        if (d[l] != 0)
            return false;
    return true;
}

/* The rows of a head of a call in a sequence. The gradients are times the
answers that the loss is a mean of. `scores` and `p` are memory for both. */
static void
observe_head(Observation *s, const Call *c, int sequence, int head,
             double *scores, double *p)
{
    const Batch *b = &s->observer->batch;
    const Node *out = c->out;
    int queries = call_queries(c), keys = call_keys(c);
    call_weights(c, sequence, head, scores, p);
    for (int i = 0; i < queries; i++)
        observe_row(s, scores + i * keys, p + i * keys, keys,
                    c->causal && i == 0);
    if (!c->v || !out->gradient)
        return;
    int v_head = head / (out->heads / c->v->heads);
    Matrix v = head_of(c->v, c->v->value, sequence, v_head);
    Matrix d = head_of(out, out->gradient, sequence, head);
    for (int i = 0; i < queries; i++)
        if (!all_zero(d.at + i * d.down, d.cols))
            add_finding(s, GRADIENT,
                        gradient_norm(d.at + i * d.down, p + i * keys, v) *
                            counted_rows(b->targets, b->rows));
}

static void
observe_rows(Observation *s)
{
    const Capture *r = &s->pass->capture;
    for (int i = 0; i < r->calls; i++) {
        const Call *c = &r->call[i];
        size_t size = (size_t)call_queries(c) * (size_t)call_keys(c);
        double *scores = allocate(2 * size, sizeof *scores);
        for (int h = 0; h < c->out->heads; h++)
            for (int k = 0; k < c->out->sequences; k++)
                observe_head(s, c, k, h, scores, scores + size);
        free(scores);
    }
}

static double
mean_of_rows(const Observation *s, size_t which)
{
    double sum = 0;
    for (int i = 0; i < s->count[which]; i++)
        sum += s->found[which][i];
    return s->count[which] ? sum / s->count[which] : NAN;
}

static double
median_of_rows(const Observation *s, size_t which)
{
    size_t n = (size_t)s->count[which];
    double mean = mean_of_rows(s, which); /* NaN if one is */
    double *sorted = allocate(n + 1, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = s->found[which][i];
    double middle = median(sorted, (int)n);
    free(sorted);
    return isnan(mean) ? NAN : middle;
}

/* The standard deviation of all scores. */
static double
score_deviation(const Observation *s, size_t unused)
{
    double n = s->scores, mean = s->sum / n;
    (void)unused;
    return n > 0 ? sqrt(fmax(s->squares / n - mean * mean, 0)) : NAN;
}

/* The norm of the gradient of weight i. */
static double
weight_gradient(const Observation *s, size_t i)
{
    const Weight *w = &s->observer->model->weights[i];
    double squares = 0;
    for (int k = 0; k < w->rows * w->cols; k++)
        squares += (double)w->gradient[k] * (double)w->gradient[k];
    return sqrt(squares);
}

/* The mean effective rank of the M_i of a place's form (which 0), or of its N_i
   (1). */
static double
mean_rank(const Observation *s, int place, size_t which)
{
    const Canonical *c = &s->forms[place];
    int d = c->d_model;
    double sum = 0;
    for (int h = 0; c->m && h < c->heads; h++)
        sum +=
            spectrum_of((which ? c->n : c->m) + h * c->size, d).effective_rank /
            c->heads;
    return c->m ? sum : NAN;
}

/* |M - M at the start| / |M at the start|, Frobenius. */
static double
distance(const Observation *s, int place, size_t which)
{
    const Canonical *c = &s->forms[place], *start = &s->observer->start[place];
    if (!c->m)
        return NAN;
    const double *m = which ? c->n : c->m, *from = which ? start->n : start->m;
    size_t count = (size_t)c->heads * (size_t)c->size;
    double apart = 0, size = 0;
    for (size_t i = 0; from && i < count; i++) {
        apart += (m[i] - from[i]) * (m[i] - from[i]);
        size += from[i] * from[i];
    }
    return sqrt(apart / size);
}

/* The share of entries beyond the range of what they are sums of: of heads'
   results (which 0), or of the output (1). */
static double
share_beyond(const Observation *s, int place, size_t which)
{
    Range r = capture_range(&s->pass->capture, place);
    return which ? r.outputs_beyond / r.outputs : r.sums_beyond / r.sums;
}

/* The columns; of gradients there are several. */
typedef struct Observed {
    int kind;
    const char *name;
    double (*value)(const Observation *s, size_t i); /* or, of each place, */
    size_t i;
    double (*of_place)(const Observation *s, int place, size_t which);
} Observed;

static const Observed table[] = {
    {ATTENTION, "entropy", mean_of_rows, ENTROPY, NULL},
    {ATTENTION, "largest_weight", mean_of_rows, LARGEST, NULL},
    {ATTENTION, "saturated", mean_of_rows, SATURATED, NULL},
    {ATTENTION, "score_deviation", score_deviation, 0, NULL},
    {SCORES, "score_gradient_median", median_of_rows, GRADIENT, NULL},
    {SCORES, "score_gradient_mean", mean_of_rows, GRADIENT, NULL},
    {GRADIENTS, "gradient.", weight_gradient, 0, NULL},
    {RANK, "rank_m", NULL, 0, mean_rank},
    {RANK, "rank_n", NULL, 1, mean_rank},
    {DISTANCE, "distance_m", NULL, 0, distance},
    {DISTANCE, "distance_n", NULL, 1, distance},
    {RANGE, "values_beyond", NULL, 0, share_beyond},
    {RANGE, "output_beyond", NULL, 1, share_beyond},
};
enum { ROWS = sizeof table / sizeof *table };

/* Adds column i of a row; its name has _ for ^, as a weight's file has. */
static void
add_column(Observer *o, const Observed *row, size_t i)
{
    char *name = o->names[o->count];
    const char *of = row->kind == GRADIENTS ? o->model->weights[i].name : "";
    snprintf(name, COLUMN_SIZE, "%s%s", row->name, of);
    for (; *name; name++)
        *name = *name == '^' ? '_' : *name;
    o->columns[o->count] = *row;
    o->columns[o->count++].i = i;
}

static void
add_columns(Observer *o)
{
    const Model *m = o->model;
    size_t weights = (size_t)m->count, most = ROWS + weights;
    o->names = allocate(most, sizeof *o->names);
    o->columns = allocate(most, sizeof *o->columns);
    for (const Observed *row = table; row < table + ROWS; row++) {
        size_t end = row->kind == GRADIENTS ? weights : row->i + 1;
        for (size_t i = row->i; o->kinds & row->kind && i < end; i++)
            if (row->kind != GRADIENTS || m->weights[i].attention)
                add_column(o, row, i);
    }
}

/* The kinds that --log names: each the bit of its place in `words`. */
static int
kinds_of(const char *log)
{
    int bits = 0;
    while (*log) {
        int n = (int)strcspn(log, "+");
        char *word = format_text("%.*s", n, log);
        int k = index_in(words, word);
        if (k < 0)
            usage("log: \"%s\" is not one of: %s; join several with +", word,
                  words);
        free(word);
        bits |= 1 << k;
        log += log[n] ? n + 1 : n;
    }
    return bits;
}

static Canonical *
forms_of(const Model *m)
{
    Canonical *forms = allocate((size_t)m->places, sizeof *forms);
    for (int p = 0; p < m->places; p++)
        forms[p] = model_form(m, p);
    return forms;
}

static void
free_forms(const Model *m, Canonical *forms)
{
    for (int p = 0; forms && p < m->places; p++)
        canonical_free(&forms[p]);
    free(forms);
}

Observer
observer_new(Model *m, const Dataset *data)
{
    Observer o = {.kinds = kinds_of(m->config.log), .model = m};
    if (!o.kinds)
        return o;
    add_columns(&o);
    size_t lines = (size_t)(m->config.steps / m->config.log_every) + 1;
    o.values = allocate(lines * (size_t)o.count, sizeof *o.values);
    int d = m->config.d_model, tokens = d > 64 ? 2 * d : 128;
    Sizes z = data->sizes;
    int longest = z.tokens > z.source ? z.tokens : z.source;
    int most = tokens > longest ? tokens / longest : 1;
    Batch b = batch_new(z, most < m->config.batch ? most : m->config.batch);
    Random r = dataset_stream(data, VALIDATION);
    int filled = dataset_draw(data, VALIDATION, &r, 0, &b);
    o.batch = batch_part(&b, 0, filled);
    if (o.kinds & DISTANCE)
        o.start = forms_of(m);
    return o;
}

void
observer_free(Observer *o)
{
    free_forms(o->model, o->start);
    if (o->kinds)
        batch_free(&o->batch);
    free(o->columns);
    free(o->names);
    free(o->values);
}

/* Of values of a place, the mean; NaN where one has no canonical form. */
static double
observed(const Observation *s, const Observed *column)
{
    if (column->value)
        return column->value(s, column->i);
    double sum = 0;
    int places = s->observer->model->places;
    for (int p = 0; p < places; p++)
        sum += column->of_place(s, p, column->i) / places;
    return sum;
}

void
observe(Observer *o)
{
    if (!o->kinds)
        return;
    Observation s = {.observer = o,
                     .pass = pass_captured(o->model, &o->batch, true)};
    if (o->kinds & (ATTENTION | SCORES))
        observe_rows(&s);
    if (o->kinds & (RANK | DISTANCE))
        s.forms = forms_of(o->model);
    double *line = o->values + o->lines++ * o->count;
    for (int i = 0; i < o->count; i++)
        line[i] = observed(&s, &o->columns[i]);
    free_forms(o->model, s.forms);
    for (int i = 0; i < FINDINGS; i++)
        free(s.found[i]);
    pass_free(s.pass);
}
