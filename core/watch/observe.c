/* observe.c - the columns that --log adds to the log.

   Each is a row of `table`, below: the word of --log that adds it, its name,
   and the function that computes it. A new column is a function and a row. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/svd.h"
#include "heart/heads.h"
#include "heart/layers.h"
#include "heart/numbers.h"
#include "math/statistics.h"
#include "watch/gauge.h"
#include "watch/observe.h"
#include "watch/turn.h"

/* The findings about one row of weights, which belongs to a query of a head. */
enum {
    ENTROPY,   /* these three only if the query sees several keys */
    LARGEST,   /* the largest weight */
    SATURATED, /* 1 if the largest weight is above 0.99, else 0 */
    GRADIENT, /* the norm of the gradient by the row's scores, unless it is 0 */
    FINDINGS
};

/* The numbers that a line is computed from: the sum of each finding over the
   rows that have it, and the number of these rows. */
typedef struct Observation {
    const Observer *observer;
    Pass *pass;
    double sum_of[FINDINGS];
    int rows[FINDINGS];
    double *gradients;           /* GRADIENT of each row */
    int capacity;                /* of gradients */
    double scores, sum, squares; /* of all unmasked scores: count and sums */
    int place;                   /* the place whose columns are computed now */
    Canonical form;              /* its canonical form, if a column needs it */
} Observation;

static void
add_finding(Observation *s, int which, double x)
{
    s->sum_of[which] += x;
    s->rows[which]++;
}

/* Adds the findings about row i of a head. They are NaN if a weight is. */
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
        if (!(p <= largest)) /* larger, or NaN */
            largest = p;
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

/* Adds the norm of row i of a head's gradient, times the number of answers that
   the loss is a mean of. It is 0 if the answer of its token does not count. */
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

/* Adds the findings about all rows of all heads in all calls of attention. */
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
mean_of_rows(const Observation *s, int which)
{
    return s->sum_of[which] / s->rows[which];
}

static double
median_gradient(const Observation *s, int which)
{
    if (isnan(mean_of_rows(s, which))) /* a gradient is NaN, or there is none */
        return NAN;
    return median(s->gradients, s->rows[which]);
}

/* The standard deviation of all scores. */
static double
score_deviation(const Observation *s, int unused)
{
    double n = s->scores, mean = s->sum / n;
    (void)unused;
    return n > 0 ? sqrt(fmax(s->squares / n - mean * mean, 0)) : NAN;
}

/* The norm of the gradient of weight i. */
static double
weight_gradient(const Observation *s, int i)
{
    const Weight *w = &s->observer->model->weights[i];
    double squares = 0;
    for (int k = 0; k < w->rows * w->cols; k++)
        squares += (double)w->gradient[k] * (double)w->gradient[k];
    return sqrt(squares);
}

/* Some functions have a piece as their argument: M_PIECE for M_i, or for W^Q
   and W^K; N_PIECE for N_i, or for W^V and W^O. */
static const double *
maps_of_form(const Canonical *c, int piece)
{
    return piece == M_PIECE ? c->m : c->n;
}

/* The mean effective rank of the M_i of a place's form, or of its N_i. */
static double
mean_rank(const Observation *s, int piece)
{
    const Canonical *c = &s->form;
    double sum = 0;
    if (!c->m)
        return NAN;
    for (int h = 0; h < c->heads; h++) {
        const double *map = maps_of_form(c, piece) + h * c->size;
        sum += spectrum_of(map, c->d_model).effective_rank / c->heads;
    }
    return sum;
}

/* |M - M at the start| / |M at the start|, in the Frobenius norm; or of N. */
static double
distance(const Observation *s, int piece)
{
    const Canonical *c = &s->form, *start = &s->observer->start[s->place];
    if (!c->m || !start->m)
        return NAN;
    const double *now = maps_of_form(c, piece);
    const double *from = maps_of_form(start, piece);
    size_t count = (size_t)c->heads * (size_t)c->size;
    double apart = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        apart += (now[i] - from[i]) * (now[i] - from[i]);
        size += from[i] * from[i];
    }
    return sqrt(apart / size);
}

/* How far C = W_Q' W_Q - W_K' W_K, which gradient flow conserves, is from its
   value at the start, in parts of that; or the same of W^V and W^O. gauge_move
   (gauge.h) gives both lengths squared. They are 0 if the place has no such
   pair of matrices: then the result is 0 / 0, NaN. */
static double
drift(const Observation *s, int piece)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->first, piece);
    return sqrt(g.change / g.conserved);
}

/* The share of the squared length of the step since the line before that is
   along the gauge. */
static double
share_of_gauge(const Observation *s, int piece)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->before, piece);
    return g.along / g.step;
}

/* The share of the squared length of a step in random direction that is along
   the gauge, on average. */
static double
gauge_by_chance(const Observation *s, int piece)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->before, piece);
    return g.by_chance > 0 ? g.by_chance : NAN;
}

/* The lifts of a place, which --log turn has. */
static Lifts *
lifts_of(const Observer *o, int place, int piece)
{
    return &o->lifts[2 * place + (piece == N_PIECE)];
}

static double
turn_of(const Observation *s, int piece)
{
    return lifts_turn(lifts_of(s->observer, s->place, piece)).angle;
}

static double
stretch_of(const Observation *s, int piece)
{
    return lifts_turn(lifts_of(s->observer, s->place, piece)).stretch;
}

/* A column. Its value is the mean of the function over all places of attention,
   and NaN if it is NaN at one. (A function that has the rows or the weights of
   all places returns the same number for each.) */
typedef struct Observed {
    const char *word; /* of --log */
    const char *name;
    double (*value)(const Observation *s, int i);
    int i;     /* the argument of the function */
    bool each; /* is it a column for each weight of attention? Then i is the
                  weight's number */
} Observed;

static const Observed table[] = {
    {"attention", "entropy", mean_of_rows, ENTROPY, false},
    {"attention", "largest_weight", mean_of_rows, LARGEST, false},
    {"attention", "saturated", mean_of_rows, SATURATED, false},
    {"attention", "score_deviation", score_deviation, 0, false},
    {"scores", "score_gradient_median", median_gradient, GRADIENT, false},
    {"scores", "score_gradient_mean", mean_of_rows, GRADIENT, false},
    {"gradients", "gradient.", weight_gradient, 0, true},
    {"rank", "rank_m", mean_rank, M_PIECE, false},
    {"rank", "rank_n", mean_rank, N_PIECE, false},
    {"distance", "distance_m", distance, M_PIECE, false},
    {"distance", "distance_n", distance, N_PIECE, false},
    {"conserved", "conserved_qk", drift, M_PIECE, false},
    {"conserved", "conserved_vo", drift, N_PIECE, false},
    {"gauge", "gauge_qk", share_of_gauge, M_PIECE, false},
    {"gauge", "gauge_vo", share_of_gauge, N_PIECE, false},
    {"gauge", "gauge_qk_random", gauge_by_chance, M_PIECE, false},
    {"gauge", "gauge_vo_random", gauge_by_chance, N_PIECE, false},
    {"turn", "turn_qk", turn_of, M_PIECE, false},
    {"turn", "turn_vo", turn_of, N_PIECE, false},
    {"turn", "stretch_qk", stretch_of, M_PIECE, false},
    {"turn", "stretch_vo", stretch_of, N_PIECE, false},
};
enum { ROWS = sizeof table / sizeof *table };
static const char words[] =
    "attention scores gradients rank distance conserved gauge turn";

/* Does --log have that word? */
static bool
has_word(const Observer *o, const char *word)
{
    return index_in(o->log, word) >= 0;
}

/* Adds a column. In its name _ replaces ^, as in the name of a weight's file.
 */
static void
add_column(Observer *o, const Observed *row, int i, const char *weight)
{
    char *name = format_text("%s%s", row->name, weight);
    replace_in(name, "^", '_');
    values_add(&o->names, name);
    o->columns[o->count] = *row;
    o->columns[o->count].i = i;
    o->count++;
}

/* Adds the columns of all words of --log, in the order of the table. */
static void
add_columns(Observer *o)
{
    const Model *m = o->model;
    o->columns = allocate(ROWS + (size_t)m->count, sizeof *o->columns);
    for (const Observed *row = table; row < table + ROWS; row++) {
        if (!has_word(o, row->word))
            continue;
        if (!row->each) {
            add_column(o, row, row->i, "");
            continue;
        }
        for (int i = 0; i < m->count; i++)
            if (m->weights[i].attention)
                add_column(o, row, i, m->weights[i].name);
    }
}

char *
observed_words(const char *log)
{
    char *all = copy_text(log);
    replace_in(all, "+", ',');
    if (!*all)
        return all;
    Values list = values_split(all);
    for (int i = 0; i < list.count; i++)
        if (index_in(words, list.text[i]) < 0)
            usage("log: %s (join several with +)",
                  not_one_of(list.text[i], words));
    return all;
}

/* The batch that is observed: a few sequences of validation data, with about
   128 tokens, or 2 d_model if that is more. */
static Batch
observed_batch(const Model *m, const Dataset *data)
{
    Sizes z = data->sizes;
    int d = m->config.d_model, tokens = d > 64 ? 2 * d : 128;
    int longest = z.tokens > z.source ? z.tokens : z.source;
    int sequences = tokens > longest ? tokens / longest : 1;
    if (sequences > m->config.batch)
        sequences = m->config.batch;
    Batch b = batch_new(z, sequences);
    Random r = dataset_stream(data, VALIDATION);
    return batch_part(&b, 0, dataset_draw(data, VALIDATION, &r, 0, &b));
}

static real *
copy_of_weights(const Model *m)
{
    real *copy = allocate(m->parameters, sizeof *copy);
    memcpy(copy, m->values, m->parameters * sizeof *copy);
    return copy;
}

/* Begins to follow the weights of all places. */
static void
add_lifts(Observer *o)
{
    int places = o->model->places;
    o->lifts = allocate((size_t)2 * places, sizeof *o->lifts);
    for (int p = 0; p < places; p++) {
        *lifts_of(o, p, M_PIECE) = lifts_new(o->model, p, M_PIECE);
        *lifts_of(o, p, N_PIECE) = lifts_new(o->model, p, N_PIECE);
    }
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
    o.batch = observed_batch(m, data);
    o.start = allocate((size_t)m->places, sizeof *o.start);
    if (has_word(&o, "distance"))
        for (int p = 0; p < m->places; p++)
            o.start[p] = model_form(m, p);
    if (has_word(&o, "turn"))
        add_lifts(&o);
    o.first = copy_of_weights(m);
    o.before = copy_of_weights(m);
    return o;
}

void
observe_step(Observer *o)
{
    if (!o->lifts)
        return;
    for (int i = 0; i < 2 * o->model->places; i++)
        lifts_follow(&o->lifts[i]);
}

/* Runs one forward and backward pass, and adds each place's share to the mean
   of every column. */
void
observe(Observer *o)
{
    if (!o->count)
        return;
    Observation s = {.observer = o,
                     .pass = pass_captured(o->model, &o->batch, true)};
    if (has_word(o, "attention") || has_word(o, "scores"))
        observe_rows(&s);
    double *line = o->values + o->lines * o->count;
    int places = o->model->places;
    o->lines++;
    for (s.place = 0; s.place < places; s.place++) {
        if (has_word(o, "rank") || has_word(o, "distance"))
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
