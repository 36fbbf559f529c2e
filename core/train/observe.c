/* observe.c - what happens inside attention while it learns. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/elementary.h"
#include "math/svd.h"
#include "tape/attend.h"
#include "tape/layers.h"
#include "tape/tape.h"
#include "variant/canonical.h"
#include "train/observe.h"
#include "train/train.h"
#include "train/watched.h"

enum {
    ATTENTION = 1,
    SCORES = 2,
    GRADIENTS = 4,
    RANK = 8,
    DISTANCE = 16,
    MODES = 32
};
static const char kinds[] = "attention scores gradients rank distance modes";
enum { KINDS_THERE = 6 };

static void
put(Observer *o, double value)
{
    o->values[o->count++] = value;
}

/* Adds a column, whose name has _ for ^ as a weight's file has. */
PRINTF(2, 3)
static void
name(Observer *o, const char *format, ...)
{
    va_list args;
    o->names = grow(o->names, o->count, &o->room, sizeof *o->names);
    va_start(args, format);
    vsnprintf(o->names[o->count], COLUMN_SIZE, format, args);
    va_end(args);
    for (char *c = o->names[o->count++]; *c; c++)
        *c = *c == '^' ? '_' : *c;
}

static int
kinds_of(const char *log)
{
    int bits = 0;
    while (*log) {
        int n = (int)strcspn(log, "+");
        char *word = format_text("%.*s", n, log);
        int k = index_in(kinds, word);
        if (k < 0)
            usage("--log: \"%s\" is none of: %s; several with + between", word,
                  kinds);
        free(word);
        bits |= 1 << k;
        log += log[n] ? n + 1 : n;
    }
    return bits;
}

static const char *const fixed[KINDS_THERE][5] = {
    {"entropy", "largest_weight", "saturated", "score_deviation"},
    {"score_gradient_median", "score_gradient_mean"},
    {NULL},
    {"rank_m", "rank_n"},
    {"distance_m", "distance_n"},
    {NULL}};

bool
is_observed(const char *column)
{
    for (int k = 0; k < KINDS_THERE; k++)
        for (int i = 0; fixed[k][i]; i++)
            if (!strcmp(fixed[k][i], column))
                return true;
    if (!strncmp(column, "mode", 4))
        return column[4] && !column[4 + strspn(column + 4, "0123456789")];
    return !strncmp(column, "gradient.", 9) &&
           !column[strspn(column, NAME_LETTERS ".")];
}

static void
name_columns(Observer *o)
{
    const Model *m = o->model;
    for (int k = 0; k < KINDS_THERE; k++) {
        for (int i = 0; (o->kinds & 1 << k) && fixed[k][i]; i++)
            name(o, "%s", fixed[k][i]);
        for (int i = 0; (o->kinds & 1 << k & GRADIENTS) && i < m->count; i++)
            if (m->weights[i].attention)
                name(o, "gradient.%s", m->weights[i].name);
    }
    for (int i = 0; o->kinds & MODES && i < m->config.length; i++)
        name(o, "mode%d", i + 1);
}

Observer
observer_new(Model *m, const Dataset *data)
{
    Observer o = {.kinds = kinds_of(m->config.log), .model = m};
    if (!o.kinds)
        return o;
    if (!(o.kinds & MODES) != !m->config.depth ||
        (m->config.depth && o.kinds != MODES))
        usage("--log %s: modes, and nothing else, is for the task linear",
              m->config.log);
    name_columns(&o);
    o.values = allocate((size_t)o.count, sizeof *o.values);
    int d = m->config.d_model, tokens = d > 64 ? 2 * d : 128;
    o.all = batch_new(data->sizes,
                      sequences_within(data->sizes, tokens, m->config.batch));
    o.watch = allocate(1, sizeof *o.watch);
    Random r = dataset_stream(data, VALIDATION);
    int filled = dataset_draw(data, VALIDATION, &r, 0, &o.all);
    o.batch = batch_part(&o.all, data->sizes, 0, filled);
    Tape *measured = tape_measure();
    model_loss(m, model_forward(m, measured, &o.batch), o.batch.all.targets,
               o.batch.rows);
    o.tape = tape_keeping(measured);
    tape_free(measured);
    if (o.kinds & DISTANCE) {
        o.start = allocate((size_t)m->places, sizeof *o.start);
        for (int p = 0; p < m->places; p++)
            o.start[p] = model_form(m, p);
    }
    return o;
}

void
observer_free(Observer *o)
{
    for (int p = 0; o->start && p < o->model->places; p++)
        canonical_free(&o->start[p]);
    if (o->kinds) {
        batch_free(&o->all);
        tape_free(o->tape);
    }
    free(o->start);
    free(o->watch);
    free(o->names);
    free(o->values);
}

/* Sums over rows of weights. */
typedef struct Rows {
    double rows, entropy, largest, saturated;
} Rows;

static void
add_row(Rows *r, const double *weights, int asked)
{
    double entropy = 0, largest = 0;
    for (int j = 0; j < asked; j++) {
        if (weights[j] >= DBL_MIN)
            entropy -= weights[j] * logarithm(weights[j]);
        largest = fmax(largest, weights[j]);
    }
    r->rows++;
    r->entropy += entropy;
    r->largest += largest;
    r->saturated += largest > 0.99;
}

/* Entropy and size of the weights, over all rows that see more than one
   token. */
static void
observe_weights(Observer *o)
{
    Rows sum = {0};
    const Watch *w = o->watch;
    for (int p = 0; p < w->places; p++) {
        int tokens = watched_tokens(w, p), asked = watched_asked(w, p);
        int first = w->place[p].causal; /* whether row 0 sees itself alone */
        double *all = allocate((size_t)(tokens * asked), sizeof *all);
        for (int h = 0; h < watched_heads(w, p); h++)
            for (int s = 0; s < o->batch.sequences; s++) {
                watched_weights(w, p, h, s, all);
                for (int i = first; i < tokens; i++)
                    add_row(&sum, all + i * asked, asked);
            }
        free(all);
    }
    put(o, sum.entropy / sum.rows);
    put(o, sum.largest / sum.rows);
    put(o, sum.saturated / sum.rows);
}

/* Goes through every head of every call in every sequence, with its scores and
   weights (tokens x asked). */
typedef void See(const Call *c, int sequence, int head, const double *scores,
                 const double *weights, void *to);
static void
each_head(const Observer *o, See *see, void *to)
{
    const Watch *w = o->watch;
    for (int i = 0; i < w->calls && i < MOST_CALLS; i++) {
        const Call *c = &w->call[i];
        size_t size = (size_t)(c->q->rows / c->q->sequences) *
                      (size_t)(c->k->rows / c->k->sequences);
        double *scores = allocate(2 * size, sizeof *scores);
        for (int s = 0; s < c->q->sequences; s++)
            for (int h = 0; h < c->q->heads; h++) {
                call_weights(c, s, h, scores, scores + size);
                see(c, s, h, scores, scores + size, to);
            }
        free(scores);
    }
}

/* Sums of what is not masked. */
typedef struct Moments {
    double n, sum, squares;
} Moments;

static void
add_scores(const Call *c, int sequence, int head, const double *scores,
           const double *weights, void *to)
{
    Moments *m = to;
    int size = c->q->rows / c->q->sequences * (c->k->rows / c->k->sequences);
    (void)sequence, (void)head, (void)weights;
    for (int i = 0; i < size; i++)
        if (isfinite(scores[i])) {
            m->n++;
            m->sum += scores[i];
            m->squares += scores[i] * scores[i];
        }
}

/* Norms of dL/dS, row by row. */
typedef struct Norms {
    double *norm;
    int count, room, counted;
} Norms;

/* Has row i of the gradient anything in it? */
static bool
asked_of(Matrix d, int i)
{
    for (int l = 0; l < d.cols; l++)
        if (d.at[i * d.down + l] != 0)
            return true;
    return false;
}

/* dS_ij = P_ij (dP_ij - sum_j P_ij dP_ij),  dP = dO V' */
static void
add_norms(const Call *c, int sequence, int head, const double *scores,
          const double *weights, void *to)
{
    Norms *n = to;
    const Node *v = c->v, *out = c->out;
    int v_head = head / (out->heads / v->heads);
    int tokens = out->rows / out->sequences, asked = v->rows / v->sequences;
    if (!out->gradient) /* nothing below it is trained */
        return;
    Matrix d = head_of(out, out->gradient, sequence, head);
    Matrix value = head_of(v, v->value, sequence, v_head);
    double *dp = allocate((size_t)asked, sizeof *dp);
    (void)scores;
    for (int i = 0; i < tokens; i++) {
        const double *p = weights + i * asked;
        double mean = 0, squares = 0;
        for (int j = 0; j < asked; j++) {
            dp[j] = 0;
            for (int l = 0; l < d.cols; l++)
                dp[j] += (double)d.at[i * d.down + l] *
                         (double)value.at[j * value.down + l];
            mean += p[j] * dp[j];
        }
        for (int j = 0; j < asked; j++)
            squares += p[j] * p[j] * (dp[j] - mean) * (dp[j] - mean);
        if (!asked_of(d, i)) /* nobody asks for what it says */
            continue;
        n->norm = grow(n->norm, n->count, &n->room, sizeof *n->norm);
        n->norm[n->count++] = sqrt(squares) * n->counted;
    }
    free(dp);
}

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
observe_score_gradients(Observer *o)
{
    Norms n = {.counted = counted_rows(o->batch.all.targets, o->batch.rows)};
    double sum = 0;
    each_head(o, add_norms, &n);
    for (int i = 0; i < n.count; i++)
        sum += n.norm[i];
    if (n.count)
        qsort(n.norm, (size_t)n.count, sizeof *n.norm, ascending);
    put(o,
        n.count ? (n.norm[(n.count - 1) / 2] + n.norm[n.count / 2]) / 2 : NAN);
    put(o, n.count ? sum / n.count : NAN);
    free(n.norm);
}

static void
observe_gradients(Observer *o)
{
    for (int i = 0; i < o->model->count; i++) {
        const Weight *w = &o->model->weights[i];
        double squares = 0;
        for (int k = 0; k < w->rows * w->cols; k++)
            squares += (double)w->gradient[k] * (double)w->gradient[k];
        if (w->attention)
            put(o, sqrt(squares));
    }
}

/* The mean effective rank of `heads` square matrices, one after the other. */
static double
mean_rank(const double *m, int heads, int d)
{
    size_t size = (size_t)d * (size_t)d;
    double *room = allocate(2 * size + (size_t)d, sizeof *room), sum = 0;
    for (int h = 0; h < heads; h++) {
        svd(m + (size_t)h * size, d, d, room, room + 2 * size, room + size);
        sum += effective_rank(room + 2 * size, d) / heads;
    }
    free(room);
    return sum;
}

/* |now - then| / |then|, Frobenius. */
static double
moved(const double *now, const double *then, size_t count)
{
    double apart = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        apart += (now[i] - then[i]) * (now[i] - then[i]);
        size += then[i] * then[i];
    }
    return sqrt(apart / size);
}

/* Means over the places; no numbers where one has no canonical form. */
static void
observe_forms(Observer *o, int kind)
{
    const Model *m = o->model;
    double sum[2] = {0, 0};
    for (int p = 0; p < m->places; p++) {
        Canonical c = model_form(m, p);
        size_t count = (size_t)c.heads * (size_t)c.d_model * (size_t)c.d_model;
        for (int i = 0; i < 2; i++) {
            double x = NAN;
            if (c.m && kind == RANK)
                x = mean_rank(i ? c.n : c.m, c.heads, c.d_model);
            else if (c.m && o->start[p].m)
                x = moved(i ? c.n : c.m, i ? o->start[p].n : o->start[p].m,
                          count);
            sum[i] += x / m->places;
        }
        canonical_free(&c);
    }
    put(o, sum[0]);
    put(o, sum[1]);
}

void
observe(Observer *o)
{
    Model *m = o->model;
    int counted = counted_rows(o->batch.all.targets, o->batch.rows);
    if (!o->kinds)
        return;
    o->count = 0;
    memset(o->watch, 0, sizeof *o->watch);
    o->watch->replaced = -1;
    m->attention.watch = o->watch;
    tape_reset(o->tape);
    Node *logits = model_forward(m, o->tape, &o->batch);
    backward(model_loss(m, logits, o->batch.all.targets, counted));
    m->attention.watch = NULL;
    if (o->kinds & ATTENTION) {
        Moments s = {0};
        observe_weights(o);
        each_head(o, add_scores, &s);
        double mean = s.sum / s.n, square = s.squares / s.n;
        put(o, s.n > 0 ? sqrt(fmax(square - mean * mean, 0)) : NAN);
    }
    if (o->kinds & SCORES)
        observe_score_gradients(o);
    if (o->kinds & GRADIENTS)
        observe_gradients(o);
    if (o->kinds & RANK)
        observe_forms(o, RANK);
    if (o->kinds & DISTANCE)
        observe_forms(o, DISTANCE);
    for (int i = 0; o->kinds & MODES && i < logits->rows; i++)
        put(o, (double)logits->value[i * (logits->cols + 1)] /
                   (double)m->table[i * (logits->cols + 1)]);
}
