/* observe.c - the columns that --log adds to the log.

   `table`, below, has a row for each column: the word of --log that adds it,
   its name, and the function that computes it. A new column needs a function
   and a row. A line of the log is computed from an Observation. First,
   observe_rows adds up findings about the rows of attention weights; each query
   has a row in each head. Then the functions of the table read these sums, the
   weights, or the canonical form of a place of the model. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/svd.h"
#include "heart/heads.h"
#include "heart/embedding_and_loss.h"
#include "heart/numbers.h"
#include "math/statistics.h"
#include "watch/gauge.h"
#include "watch/observe.h"
#include "watch/turn.h"

/* The findings in a row of attention weights. The first three are only for rows
   whose query sees several keys, and GRADIENT is only for rows whose gradient
   is not 0. */
enum {
    ENTROPY,   /* the entropy of the row, in nats */
    LARGEST,   /* the largest weight */
    SATURATED, /* 1 if the largest weight is above 0.99, else 0 */
    GRADIENT,  /* the norm of the gradient of the loss by the row's scores */
    FINDINGS
};

/* The data from which a line of the log is computed. */
typedef struct Observation {
    const Observer *observer;
    Pass *pass;
    double sum_of[FINDINGS]; /* over the rows that have the finding */
    int rows[FINDINGS];      /* the number of these rows */
    double *gradients;       /* GRADIENT of each row that has one */
    int capacity;            /* how many gradients fit in memory */
    double scores;           /* the number of unmasked scores */
    double score_sum;        /* the sum of these scores */
    double score_squares;    /* the sum of their squares */
    int place;               /* the place whose columns are computed now */
    Canonical form;          /* its canonical form, if a column needs it */
} Observation;

/* Adds x, a row's finding of this kind, such as ENTROPY. */
static void
add_finding(Observation *s, int finding, double x)
{
    s->sum_of[finding] += x;
    s->rows[finding]++;
}

/* Adds the unmasked scores in row i of a head in call c, and the findings in
   row i of its weights. The findings are NaN if a weight is NaN. A query that
   sees only one key gives it the weight 1, whatever was learned, so its row has
   no findings. */
static void
observe_row(Observation *s, const Call *c, Matrix scores, Matrix weights, int i)
{
    const double nearly_all = 0.99;
    double entropy = 0, largest = 0;
    int seen = 0;
    for (int j = 0; j < scores.cols; j++) {
        double p = (double)weights.at[i * weights.down + j];
        double score = (double)scores.at[i * scores.down + j];
        if (isnan(p) || p >= DBL_MIN) /* p log p is 0 at p = 0 */
            entropy -= p * logarithm(p);
        if (isnan(p) || p > largest) /* nothing is > NaN, so NaN stays */
            largest = p;
        if (!call_sees(c, scores, i, j))
            continue;
        seen++;
        s->scores++;
        s->score_sum += score;
        s->score_squares += score * score;
    }
    if (seen == 1)
        return;
    add_finding(s, ENTROPY, entropy);
    add_finding(s, LARGEST, largest);
    add_finding(s, SATURATED, isnan(largest) ? NAN : largest > nearly_all);
}

/* Adds the norm of row i of `gradient`, the gradient of the loss by a head's
   scores. The loss is the mean over the batch's answers, so the norm is
   multiplied by their number. A row of zeros is left out, because no answer
   depends on its scores. */
static void
observe_gradient(Observation *s, Matrix gradient, int i)
{
    const Batch *b = &s->observer->batch;
    double squares = 0;
    for (int j = 0; j < gradient.cols; j++)
        squares += pow((double)gradient.at[i * gradient.down + j], 2);
    if (squares == 0)
        return;
    double norm = sqrt(squares) * counted_rows(b->targets, b->rows);
    int n = s->rows[GRADIENT];
    s->gradients = grow(s->gradients, n, &s->capacity, sizeof norm);
    s->gradients[n] = norm;
    add_finding(s, GRADIENT, norm);
}

/* The node of a call's scores, which is the operand of its softmax. */
static const Node *
scores_of(const Call *c)
{
    return c->weights->in[0];
}

/* Adds the findings in all rows of one head of call c in one sequence. */
static void
observe_head(Observation *s, const Call *c, int sequence, int head)
{
    const Node *n = scores_of(c);
    Matrix scores = call_scores(c, sequence, head);
    Matrix weights = call_weights(c, sequence, head);
    for (int i = 0; i < scores.rows; i++)
        observe_row(s, c, scores, weights, i);
    if (!n->trained) /* then the scores have no gradient */
        return;
    /* n may be a view; its root has the gradient. */
    Matrix gradient = head_of(n, n->root->gradient, sequence, head);
    for (int i = 0; i < scores.rows; i++)
        observe_gradient(s, gradient, i);
}

/* Adds the findings in the rows of all heads, in all calls and sequences. */
static void
observe_rows(Observation *s)
{
    const Capture *r = &s->pass->capture;
    for (const Call *c = r->call; c < r->call + r->calls; c++)
        for (int head = 0; head < scores_of(c)->heads; head++)
            for (int k = 0; k < scores_of(c)->sequences; k++)
                observe_head(s, c, k, head);
}

/* Each function of `table` computes a column from the observation and one
   argument, whose meaning depends on the function. A function that needs none
   gets NONE. */
enum { NONE, EACH_WEIGHT = -1 };

/* The mean of a finding, such as ENTROPY, over the rows that have it. */
static double
mean_of_rows(const Observation *s, int finding)
{
    return s->sum_of[finding] / s->rows[finding];
}

/* The median of GRADIENT over the rows that have it. */
static double
median_gradient(const Observation *s, int unused)
{
    (void)unused;
    if (isnan(s->sum_of[GRADIENT])) /* the order of NaN is not defined */
        return NAN;
    return median_interval(s->gradients, s->rows[GRADIENT]).mean;
}

/* The standard deviation of all unmasked scores; NaN if there are none. */
static double
score_deviation(const Observation *s, int unused)
{
    (void)unused;
    double n = s->scores, mean = s->score_sum / n;
    return n > 0 ? sqrt(fmax(s->score_squares / n - mean * mean, 0)) : NAN;
}

/* The norm of the gradient of one of the model's weights, by its index. */
static double
weight_gradient(const Observation *s, int weight)
{
    const Weight *w = &s->observer->model->weights[weight];
    double squares = 0;
    for (int k = 0; k < w->rows * w->cols; k++)
        squares += (double)w->gradient[k] * (double)w->gradient[k];
    return sqrt(squares);
}

/* In the functions below, `piece` is M_PIECE, for M_i or for W_Q and W_K; or
   N_PIECE, for N_i or for W_V and W_O. */

/* Returns all M_i of a form, one after the other, or all N_i. */
static const double *
maps_of_form(const Canonical *c, int piece)
{
    return piece == M_PIECE ? c->m : c->n;
}

/* Returns the mean effective rank of all M_i of the place, or of all N_i; NaN
   if the place has no canonical form. */
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

/* Returns |M - M at the start| / |M at the start|, with the Frobenius norm over
   all heads, or the same ratio for N; NaN without a canonical form. */
static double
distance(const Observation *s, int piece)
{
    const Canonical *c = &s->form, *start = &s->observer->start_forms[s->place];
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

/* Gradient flow conserves W_Q' W_Q - W_K' W_K. Returns how far this matrix has
   moved since the start of training, relative to its length at the start; or
   the same ratio for W_V and W_O'. If the place has no pairs of matrices, both
   lengths are 0 (gauge_move), and the result is NaN. */
static double
drift(const Observation *s, int piece)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->start_weights, piece);
    return sqrt(g.change / g.conserved);
}

/* Returns the share of the squared length of the step since the last line that
   is along the gauge; NaN if the place has no pairs of matrices. */
static double
share_of_gauge(const Observation *s, int piece)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->previous_weights, piece);
    return g.along / g.step;
}

/* Returns the share of the squared length of a random step that is along the
   gauge, on average, whatever step was taken; NaN if the place has no pairs of
   matrices. */
static double
gauge_by_chance(const Observation *s, int piece)
{
    const Observer *o = s->observer;
    GaugeMove g = gauge_move(o->model, s->place, o->previous_weights, piece);
    return g.by_chance > 0 ? g.by_chance : NAN;
}

/* The lifts of M or of N (turn.h) at a place. They exist only with --log turn.
   In o->lifts, the lifts of M at all places come before the lifts of N. */
static Lifts *
lifts_of(const Observer *o, int place, int piece)
{
    int first = piece == N_PIECE ? o->model->places : 0; /* of these lifts */
    return &o->lifts[first + place];
}

/* How far the heads of the place have turned against their lifts. */
static double
turn_of(const Observation *s, int piece)
{
    return lifts_turn(lifts_of(s->observer, s->place, piece)).angle;
}

/* How far the heads of the place have stretched against their lifts. */
static double
stretch_of(const Observation *s, int piece)
{
    return lifts_turn(lifts_of(s->observer, s->place, piece)).stretch;
}

/* A column of the log. Its number in a line is the mean of `value` over all
   places of the model, and NaN if `value` is NaN at one place. (If a function
   reads all places at once, `value` is the same at each.) */
typedef struct Observed {
    const char *word; /* the word of --log that adds it */
    const char *name;
    double (*value)(const Observation *s, int argument);
    int argument; /* of `value`. EACH_WEIGHT in the table makes a column for
                     each weight of attention, whose argument is the weight's
                     index */
} Observed;

static const Observed table[] = {
    {"attention", "entropy", mean_of_rows, ENTROPY},
    {"attention", "largest_weight", mean_of_rows, LARGEST},
    {"attention", "saturated", mean_of_rows, SATURATED},
    {"attention", "score_deviation", score_deviation, NONE},
    {"scores", "score_gradient_median", median_gradient, NONE},
    {"scores", "score_gradient_mean", mean_of_rows, GRADIENT},
    {"gradients", "gradient.", weight_gradient, EACH_WEIGHT},
    {"rank", "rank_m", mean_rank, M_PIECE},
    {"rank", "rank_n", mean_rank, N_PIECE},
    {"distance", "distance_m", distance, M_PIECE},
    {"distance", "distance_n", distance, N_PIECE},
    {"conserved", "conserved_qk", drift, M_PIECE},
    {"conserved", "conserved_vo", drift, N_PIECE},
    {"gauge", "gauge_qk", share_of_gauge, M_PIECE},
    {"gauge", "gauge_vo", share_of_gauge, N_PIECE},
    {"gauge", "gauge_qk_random", gauge_by_chance, M_PIECE},
    {"gauge", "gauge_vo_random", gauge_by_chance, N_PIECE},
    {"turn", "turn_qk", turn_of, M_PIECE},
    {"turn", "turn_vo", turn_of, N_PIECE},
    {"turn", "stretch_qk", stretch_of, M_PIECE},
    {"turn", "stretch_vo", stretch_of, N_PIECE},
};
enum { ROWS = sizeof table / sizeof *table };
static const char words[] =
    "attention scores gradients rank distance conserved gauge turn";

/* Returns whether --log has that word. */
static bool
has_word(const Observer *o, const char *word)
{
    return index_in(o->log, word) >= 0;
}

/* Adds a column for a row of the table, with this argument for its function.
   The column's name is the row's name followed by `weight`, a weight's name or
   "". */
static void
add_column(Observer *o, const Observed *row, int argument, const char *weight)
{
    char *name = format_text("%s%s", row->name, weight);
    replace_in(name, "^", '_'); /* as in the names of files */
    values_add(&o->names, name);
    o->columns[o->count] = *row;
    o->columns[o->count].argument = argument;
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
        if (row->argument != EACH_WEIGHT) {
            add_column(o, row, row->argument, "");
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
    if (!*all) /* there is no word to check */
        return all;
    Values list = values_split(all);
    for (int i = 0; i < list.count; i++)
        if (index_in(words, list.text[i]) < 0)
            usage("log: %s (join several with +)",
                  not_one_of(list.text[i], words));
    return all;
}

/* The batch that is observed: a few sequences of validation data, at most as
   many as a batch of training has. Together they have about 128 tokens, or 2
   d_model tokens if that is more. */
static Batch
observed_batch(const Model *m, const Dataset *data)
{
    enum { FEWEST_TOKENS = 128 };
    Sizes z = data->sizes;
    int d = m->config.d_model;
    int tokens = 2 * d > FEWEST_TOKENS ? 2 * d : FEWEST_TOKENS;
    /* The length of the longer sequence, the model's or the encoder's. */
    int longest = z.tokens > z.source ? z.tokens : z.source;
    int sequences = tokens > longest ? tokens / longest : 1;
    if (sequences > m->config.batch)
        sequences = m->config.batch;
    Batch b = batch_new(z, sequences);
    Random r = dataset_stream(data, VALIDATION);
    const int first_batch = 0, first_sequence = 0;
    int drawn = dataset_draw(data, VALIDATION, &r, first_batch, &b);
    return batch_part(&b, first_sequence, drawn);
}

/* A copy of all weights of the model. */
static real *
copy_of_weights(const Model *m)
{
    real *copy = allocate(m->parameters, sizeof *copy);
    memcpy(copy, m->values, m->parameters * sizeof *copy);
    return copy;
}

/* Starts the lifts of M and of N at all places. */
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
    o.start_forms = allocate((size_t)m->places, sizeof *o.start_forms);
    if (has_word(&o, "distance"))
        for (int p = 0; p < m->places; p++)
            o.start_forms[p] = model_form(m, p);
    if (has_word(&o, "turn"))
        add_lifts(&o);
    o.start_weights = copy_of_weights(m);
    o.previous_weights = copy_of_weights(m);
    return o;
}

void
observe_step(Observer *o)
{
    if (!o->lifts)
        return;
    for (int p = 0; p < o->model->places; p++) {
        lifts_follow(lifts_of(o, p, M_PIECE));
        lifts_follow(lifts_of(o, p, N_PIECE));
    }
}

/* The new line of o->values is 0 at first. At every column, each place adds its
   share of the mean over all places. */
void
observe(Observer *o)
{
    if (!o->count)
        return;
    Observation s = {.observer = o,
                     .pass = pass_with_gradients(o->model, &o->batch)};
    if (has_word(o, "attention") || has_word(o, "scores"))
        observe_rows(&s);
    double *line = o->values + o->lines * o->count;
    int places = o->model->places;
    o->lines++;
    for (s.place = 0; s.place < places; s.place++) {
        if (has_word(o, "rank") || has_word(o, "distance"))
            s.form = model_form(o->model, s.place);
        for (int i = 0; i < o->count; i++) {
            const Observed *c = &o->columns[i];
            line[i] += c->value(&s, c->argument) / places;
        }
        canonical_free(&s.form);
    }
    memcpy(o->previous_weights, o->model->values,
           o->model->parameters * sizeof *o->previous_weights);
    free(s.gradients);
    pass_free(s.pass);
}
