/* observe.c - the columns that --log adds to the log.

   Each is a row of `table`, below: the word of --log that asks for it, its
   name, and the function that computes it. A new observer is a function and a
   row. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/layers.h"
#include "heart/numbers.h"
#include "math/statistics.h"
#include "watch/gauge.h"
#include "watch/observe.h"

/* What is found of a row of weights: a query of a head. */
enum {
    ENTROPY,
    LARGEST,
    SATURATED, /* these three not where a token sees itself alone */
    GRADIENT,  /* of the loss by its scores, unless it is 0 */
    FINDINGS
};

/* What a line is computed from: each finding, added up over the rows that have
   it, and how many these are. */
typedef struct Observation {
    const Observer *observer;
    Pass *pass;
    double of_rows[FINDINGS];
    int rows[FINDINGS], capacity;
    double *gradients;           /* of each row, GRADIENT */
    double scores, sum, squares; /* of the scores that are not masked */
    int place;                   /* that is looked at, and */
    Canonical form;              /* its form */
} Observation;

static void
add_finding(Observation *s, int which, double x)
{
    s->of_rows[which] += x;
    s->rows[which]++;
}

/* Row i of a head. A weight that is no number makes the findings none. */
static void
observe_row(Observation *s, const Call *c, Matrix scores, Matrix weights, int i)
{
    double entropy = 0, largest = 0;
    int seen = 0;
    for (int j = 0; j < scores.cols; j++) {
        double p = (double)weights.at[i * weights.down + j];
        double score = (double)scores.at[i * scores.down + j];
        if (!(p < DBL_MIN))
            entropy -= p * logarithm(p);
        largest = p <= largest ? largest : p;
        if (!call_sees(c, scores, i, j))
            continue;
        seen++;
        s->scores++;
        s->sum += score;
        s->squares += score * score;
    }
    if (seen == 1)
        return;
    add_finding(s, ENTROPY, entropy);
    add_finding(s, LARGEST, largest);
    add_finding(s, SATURATED, isnan(largest) ? NAN : largest > 0.99);
}

/* Row i of a head's gradient, times the answers that the loss is a mean of. It
   is 0 if the answer of its token does not count. */
static void
observe_gradient(Observation *s, Matrix d, int i)
{
    const Batch *b = &s->observer->batch;
    double squares = 0;
    for (int j = 0; j < d.cols; j++)
        squares += pow((double)d.at[i * d.down + j], 2);
    if (squares == 0)
        return;
    double norm = sqrt(squares) * counted_rows(b->targets, b->rows);
    int n = s->rows[GRADIENT];
    s->gradients = grow(s->gradients, n, &s->capacity, sizeof norm);
    s->gradients[n] = norm;
    add_finding(s, GRADIENT, norm);
}

static void
observe_rows(Observation *s)
{
    const Capture *r = &s->pass->capture;
    for (const Call *c = r->call; c < r->call + r->calls; c++) {
        const Node *n = c->weights->in[0];
        for (int k = 0; k < n->heads * n->sequences; k++) {
            int head = k / n->sequences, sequence = k % n->sequences;
            Matrix scores = call_scores(c, sequence, head), d = {0};
            if (n->trained)
                d = head_of(n, n->root->gradient, sequence, head);
            for (int i = 0; i < scores.rows; i++) {
                observe_row(s, c, scores, call_weights(c, sequence, head), i);
                observe_gradient(s, d, i);
            }
        }
    }
}

static double
mean_of_rows(const Observation *s, size_t which)
{
    return s->of_rows[which] / s->rows[which];
}

static double
median_gradient(const Observation *s, size_t which)
{
    double mean = mean_of_rows(s, which); /* NaN if one is */
    return isnan(mean) ? NAN : median(s->gradients, s->rows[which]);
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
mean_rank(const Observation *s, size_t which)
{
    const Canonical *c = &s->form;
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
distance(const Observation *s, size_t which)
{
    const Canonical *c = &s->form, *start = &s->observer->start[s->place];
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

/* Without a pair both are 0 / 0. */
static double
drift(const Observation *s, size_t which)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->first, which);
    return sqrt(g.change / g.conserved);
}

static double
share_of_gauge(const Observation *s, size_t which)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->before, which);
    return g.along / g.step;
}

static double
gauge_by_chance(const Observation *s, size_t which)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->before, which);
    return g.by_chance > 0 ? g.by_chance : NAN;
}

/* The columns. The value of one is the mean over all places of attention, NaN
   if one has none: most functions look at one place, the others ignore which it
   is. */
typedef struct Observed {
    const char *word, *name;
    double (*value)(const Observation *s, size_t i);
    size_t i;  /* what the function is to look at */
    bool each; /* a column for each weight of attention, whose number is i */
} Observed;

static const Observed table[] = {
    {"attention", "entropy", mean_of_rows, ENTROPY, false},
    {"attention", "largest_weight", mean_of_rows, LARGEST, false},
    {"attention", "saturated", mean_of_rows, SATURATED, false},
    {"attention", "score_deviation", score_deviation, 0, false},
    {"scores", "score_gradient_median", median_gradient, GRADIENT, false},
    {"scores", "score_gradient_mean", mean_of_rows, GRADIENT, false},
    {"gradients", "gradient.", weight_gradient, 0, true},
    {"rank", "rank_m", mean_rank, 0, false},
    {"rank", "rank_n", mean_rank, 1, false},
    {"distance", "distance_m", distance, 0, false},
    {"distance", "distance_n", distance, 1, false},
    {"conserved", "conserved_qk", drift, 0, false},
    {"conserved", "conserved_vo", drift, 1, false},
    {"gauge", "gauge_qk", share_of_gauge, 0, false},
    {"gauge", "gauge_vo", share_of_gauge, 1, false},
    {"gauge", "gauge_qk_random", gauge_by_chance, 0, false},
    {"gauge", "gauge_vo_random", gauge_by_chance, 1, false},
};
enum { ROWS = sizeof table / sizeof *table };
static const char words[] =
    "attention scores gradients rank distance conserved gauge";

/* Does --log ask for that word? */
static bool
asks(const Observer *o, const char *word)
{
    return index_in(o->log, word) >= 0;
}

/* Adds a column; its name has _ for ^, as a weight's file has. */
static void
add_column(Observer *o, const Observed *row, size_t i, const char *of)
{
    char *name = format_text("%s%s", row->name, of);
    values_add(&o->names, name);
    for (; *name; name++)
        *name = *name == '^' ? '_' : *name;
    o->columns[o->count] = *row;
    o->columns[o->count++].i = i;
}

static void
add_columns(Observer *o)
{
    const Model *m = o->model;
    o->columns = allocate(ROWS + (size_t)m->count, sizeof *o->columns);
    for (const Observed *row = table; row < table + ROWS; row++) {
        if (!asks(o, row->word))
            continue;
        if (!row->each)
            add_column(o, row, row->i, "");
        for (int i = 0; row->each && i < m->count; i++)
            if (m->weights[i].attention)
                add_column(o, row, (size_t)i, m->weights[i].name);
    }
}

char *
observed_words(const char *log)
{
    char *all = copy_text(log);
    for (char *at = all; (at = strchr(at, '+'));)
        *at = ',';
    Values asked = values_cut(all);
    for (int i = 0; i < asked.count && *all; i++)
        if (index_in(words, asked.text[i]) < 0)
            usage("log, whose words + joins: %s",
                  not_one_of(asked.text[i], words));
    return all;
}

Observer
observer_new(Model *m, const Dataset *data)
{
    Observer o = {.log = observed_words(m->config.log), .model = m};
    if (!*o.log)
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
    o.start = allocate((size_t)m->places, sizeof *o.start);
    for (int p = 0; p < m->places && asks(&o, "distance"); p++)
        o.start[p] = model_form(m, p);
    o.first = allocate(2 * m->parameters, sizeof *o.first);
    o.before = o.first + m->parameters;
    memcpy(o.first, m->values, m->parameters * sizeof *o.first);
    memcpy(o.before, m->values, m->parameters * sizeof *o.first);
    return o;
}

void
observe(Observer *o)
{
    if (!o->count)
        return;
    Observation s = {.observer = o,
                     .pass = pass_captured(o->model, &o->batch, true)};
    if (asks(o, "attention") || asks(o, "scores"))
        observe_rows(&s);
    double *line = o->values + o->lines++ * o->count;
    int places = o->model->places;
    for (s.place = 0; s.place < places; s.place++) {
        if (asks(o, "rank") || asks(o, "distance"))
            s.form = model_form(o->model, s.place);
        for (int i = 0; i < o->count; i++)
            line[i] += o->columns[i].value(&s, o->columns[i].i) / places;
        canonical_free(&s.form);
    }
    memcpy(o->before, o->model->values,
           o->model->parameters * sizeof *o->before);
    free(s.gradients);
    pass_free(s.pass);
}
