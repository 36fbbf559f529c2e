/* canonical.c - what a variant computes, found by probing it.

   With unit vectors for x and y, the scores of a head are its M. If each token
   of this head then attends only to itself, and all other heads have weights of
   0, the output is the head's N. A last token that is 0 shows what biases add.
   This holds if the variant is affine except for its softmax; random tokens
   show whether it is.

   A BlockRun (capture.h) runs one block's attention without a model. It
   captures the calls of attend, and can replace their attention weights:
   EVERY_HEAD leaves all unchanged, and NO_HEAD makes all of them 0. A call may
   compute several heads: `own` is the number of a head within its call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/capture.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "training/rope_and_alibi.h"

/* The form is checked on this many random tokens of x and of y. The two numbers
   differ, so that a variant that confuses x and y fails the check. */
enum { X_TOKENS = 5, Y_TOKENS = 7 };

/* Tokens of two standard deviations, SMALL and LARGE, check the form, because a
   variant that is not linear may look linear at one of them. If scores depend
   on positions, the first token of x is once at position LATER instead of 0. */
enum { SMALL = 1, LARGE = 8, LATER = 3 };

/* A form holds if no score or output differs from the form's by more than this
   share of the largest value. */
#define MOST_DEVIATION (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* Runs the variant on `rows` tokens as x and rows + 1 as y. The first `units`
   tokens are unit vectors, the others are 0. If `only` is the number of a head,
   each token of that head attends only to itself, and all other weights are 0;
   if it is NO_HEAD, all weights are 0. */
static void
run_on_units(BlockRun *run, int units, int rows, int only)
{
    int d = run->attention.d_model;
    real *tokens = allocate((size_t)(rows + 1) * d, sizeof *tokens);
    for (int i = 0; i < units; i++)
        tokens[i * d + i] = 1;
    run_block(run, tokens, rows, tokens, rows + 1, only);
    free(tokens);
}

void
product_of(double *c, const double *a, const double *b, int m, int k, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

void
product_with_transposed(double *c, const double *a, const double *b, int m,
                        int k, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[j * k + l];
            c[i * n + j] = sum;
        }
}

void
compare_entries(Difference *d, double found, double wanted)
{
    if (isinf(wanted) && found == wanted) /* both masked, or no sink */
        return;
    d->apart = isnan(found) ? INFINITY : fmax(d->apart, fabs(found - wanted));
    if (isfinite(wanted))
        d->largest = fmax(d->largest, fabs(wanted));
}

void
compare_arrays(Difference *d, const double *found, const double *wanted,
               int count)
{
    for (int i = 0; i < count; i++)
        compare_entries(d, found[i], wanted[i]);
}

double
relative_difference(Difference d)
{
    return d.apart / (d.largest > 0 ? d.largest : 1);
}

/* Entry (i, j) of a matrix that is not transposed. */
static double
entry(Matrix m, int i, int j)
{
    return (double)m.at[i * m.down + j];
}

/* Returns the sink of a head of the softmax `weights`, which is one more score
   in each row of the head; or -INFINITY if the head has no sink. If
   softmax_sink has no operand with the sinks, every sink is 0. */
static double
sink_of(const Node *weights, int head)
{
    enum { SINKS = 1 }; /* the number of the operand: a sink for each head */
    if (weights->op != &softmax_sink_op)
        return -INFINITY;
    if (weights->inputs <= SINKS) /* it has no such operand */
        return 0;
    return (double)weights->in[SINKS]->value[head];
}

/* Returns whether a head has no sink. Without a sink, adding the same number to
   a whole row of scores does not change the weights. */
static bool
row_constants_cancel(const Canonical *c, int head)
{
    return c->sink[head] == -INFINITY;
}

/* Finds the bias by position of a head, from its scores for tokens that are all
   0. These scores are the bias plus a constant, which comes from the biases of
   queries and keys. Returns whether any entry of the bias is not 0. */
static bool
find_bias(Canonical *c, int head, Matrix scores)
{
    int count = c->positions;
    double *bias = c->bias + head * count * count;
    double constant = 0, first_score = (double)scores.at[0];
    bool any = false;
    /* If the softmax cancels constants, the bias is known only up to one. Then
       its first entry becomes 0, unless this entry is masked (-INFINITY). */
    if (row_constants_cancel(c, head) && isfinite(first_score))
        constant = first_score;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double b = entry(scores, i, j) - constant;
            bias[i * count + j] = b;
            any |= b != 0;
        }
    return any;
}

/* Finds the sinks and biases by position of all heads. The latest run must be
   on tokens that are all 0. c->bias becomes NULL if all biases are 0. */
static void
find_biases(const BlockRun *run, Canonical *c)
{
    int count = c->positions, own;
    bool any_bias = false;
    c->bias =
        allocate(matrix_entries(c->heads * count, count), sizeof *c->bias);
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&run->capture, ONLY_PLACE, head, &own);
        c->sink[head] = sink_of(call->weights, own);
        any_bias |= find_bias(c, head, call_scores(call, ONLY_SEQUENCE, own));
    }
    if (!any_bias) {
        free(c->bias);
        c->bias = NULL;
    }
}

/* The scores of unit vectors are added to M_i, and the scores of tokens that
   are 0 are subtracted. A bias by position is the same in both, so the
   difference has none. (Call.product has no such bias either, unless the
   variant mixes the heads' scores after it added one.) */
enum { ADDED = 1, SUBTRACTED = -1 };

/* Adds `sign` times the scores of the latest run, scale * Call.product, to each
   s_i M_i. Token d of that run is 0. Its score as a key is the number that the
   bias of keys adds to all scores of a row. The form leaves that bias out, so
   the number is subtracted. */
static void
add_scores(const BlockRun *run, Canonical *c, int sign)
{
    int d = c->d_model, own;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&run->capture, ONLY_PLACE, head, &own);
        Matrix unscaled =
            head_of(call->product, call->product->value, ONLY_SEQUENCE, own);
        double *m = c->m + head * c->size, factor = sign * call->scale;
        for (int i = 0; i <= d; i++) { /* M_i has d + 1 rows */
            double from_key_bias = entry(unscaled, i, d);
            for (int j = 0; j < d; j++)
                m[i * d + j] +=
                    factor * (entry(unscaled, i, j) - from_key_bias);
        }
    }
}

/* Subtracts the last row of a (d + 1) x d matrix, which is the bias, from the
   rows above it. The last row comes from a token that is 0. Each other row
   comes from a unit vector, and is a row of the matrix plus the bias. */
static void
subtract_last(double *matrix, int d)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            matrix[i * d + j] -= matrix[d * d + j];
}

/* Finds the constant, all M_i and all N_i. The latest run must be on tokens
   that are 0, with weights of 0. */
static void
find_maps(BlockRun *run, Canonical *c)
{
    int d = c->d_model, own;
    for (int j = 0; j < d; j++) /* every row of that output is the constant */
        c->constant[j] = (double)run->out->value[j];
    add_scores(run, c, SUBTRACTED);
    /* Each N_i takes a run on unit vectors in which only head i has weights. */
    for (int head = 0; head < c->heads; head++) {
        double *n = c->n + head * c->size;
        const Call *call = capture_head(&run->capture, ONLY_PLACE, head, &own);
        int only = call->first_head + own; /* counted over all calls */
        run_on_units(run, d, d + 1, only);
        for (int i = 0; i < c->size; i++)
            n[i] = (double)run->out->value[i] - c->constant[i % d];
        subtract_last(n, d);
    }
    /* Weights are replaced only after the scores are made. So these runs have
       the same scores, and those of the last run are as good as any. */
    add_scores(run, c, ADDED);
    for (int head = 0; head < c->heads; head++)
        subtract_last(c->m + head * c->size, d);
}

/* Moves the last row of N_i into the constant, unless the head has a sink.
   Without a sink its weights sum to 1, so the row is added to every token, as
   the bias of W^O is. */
static void
join_constants(Canonical *c)
{
    int d = c->d_model;
    for (int head = 0; head < c->heads; head++) {
        double *last = c->n + head * c->size + d * d;
        if (!row_constants_cancel(c, head))
            continue;
        for (int j = 0; j < d; j++) {
            c->constant[j] += last[j];
            last[j] = 0;
        }
    }
}

/* to = [x 1] matrix, for the tokens x and a matrix ((d_model + 1) x d_model),
   whose last row is a bias. */
static void
multiply_affine(double *to, const Node *x, const double *matrix)
{
    int d = x->cols;
    const double *bias = matrix + d * d;
    for (int i = 0; i < x->rows; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int l = 0; l < d; l++)
                sum += (double)x->value[i * d + l] * matrix[l * d + j];
            to[i * d + j] = sum + bias[j];
        }
}

/* Returns entry k of a head's bias by position, which is stored row by row; 0
   if no head has a bias, or if the form lacks this head. */
static double
bias_entry(const Canonical *c, int head, int k)
{
    int size = c->positions * c->positions;
    return head < c->heads && c->bias ? c->bias[head * size + k] : 0;
}

/* to = s_i [x 1] M_i y' + the head's bias by position: the head's scores
   (queries x keys) according to the form, for x and y of the latest run. */
static void
scores_by_form(double *to, const Canonical *c, int head, const BlockRun *run)
{
    int d = c->d_model, keys = run->y->rows;
    double *xm = allocate((size_t)run->x->rows * d, sizeof *xm);
    multiply_affine(xm, run->x, c->m + head * c->size);
    for (int i = 0; i < run->x->rows; i++) {
        int position = run->attention.position + i; /* key j is at position j */
        for (int j = 0; j < keys; j++) {
            double sum = 0;
            for (int l = 0; l < d; l++)
                sum += xm[i * d + l] * (double)run->y->value[j * d + l];
            to[i * keys + j] =
                sum + bias_entry(c, head, position * c->positions + j);
        }
    }
    free(xm);
}

/* Compares a row of scores with `wanted`, the row according to the form. If the
   softmax cancels constants, the two rows may differ by a constant: then the
   score of the first key that is not masked is subtracted from each row. */
static void
compare_row(Difference *apart, Matrix found, int row, const double *wanted,
            bool constants_cancel)
{
    double found_constant = 0, wanted_constant = 0;
    int first = 0; /* becomes the first key that is not masked by -INFINITY */
    while (first < found.cols && !isfinite(wanted[first]))
        first++;
    bool all_masked = first == found.cols;
    if (constants_cancel && !all_masked) {
        found_constant = entry(found, row, first);
        wanted_constant = wanted[first];
    }
    for (int j = 0; j < found.cols; j++)
        compare_entries(apart, entry(found, row, j) - found_constant,
                        wanted[j] - wanted_constant);
}

/* Returns whether each call has a query for each token of x, and a key for each
   token of y. */
static bool
one_for_each_token(const BlockRun *run, int x_tokens, int y_tokens)
{
    for (int i = 0; i < run->capture.calls; i++) {
        const Node *weights = run->capture.call[i].weights;
        int keys = weights->cols / weights->heads;
        if (weights->rows != x_tokens || keys != y_tokens)
            return false;
    }
    return true;
}

/* Returns random tokens of standard deviation `size`: X_TOKENS of x, followed
   by `keys` of y. Under a causal mask y is a copy of x, and keys is X_TOKENS.
 */
static real *
random_tokens(const BlockRun *run, double size, int keys)
{
    int d = run->attention.d_model, x_count = X_TOKENS * d, y_count = keys * d;
    Random r = random_stream(1, "probe"); /* the same in each run */
    real *x = allocate((size_t)(x_count + y_count), sizeof *x);
    for (int i = 0; i < x_count + y_count; i++)
        x[i] = (real)(size * random_normal(&r));
    if (run->attention.causal)
        memcpy(x + x_count, x, (size_t)y_count * sizeof *x);
    return x;
}

/* out += weights [y 1] N, for the N of a head ((d_model + 1) x d_model), whose
   entries are n. */
static void
add_head_output(double *out, Matrix weights, const Node *y, const double *n)
{
    int d = y->cols;
    double *values = allocate(size_of(y), sizeof *values);
    multiply_affine(values, y, n);
    for (int i = 0; i < weights.rows; i++)
        for (int key = 0; key < weights.cols; key++)
            for (int j = 0; j < d; j++)
                out[i * d + j] += entry(weights, i, key) * values[key * d + j];
    free(values);
}

/* Compares the scores of the latest run with the scores according to the form.
 */
static Difference
compare_scores(const BlockRun *run, const Canonical *c)
{
    Difference apart = {0};
    double wanted[X_TOKENS * Y_TOKENS];
    int own;
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&run->capture, ONLY_PLACE, head, &own);
        scores_by_form(wanted, c, head, run);
        for (int i = 0; i < X_TOKENS; i++)
            compare_row(&apart, call_scores(call, ONLY_SEQUENCE, own), i,
                        wanted + i * run->y->rows,
                        row_constants_cancel(c, head));
    }
    return apart;
}

/* Compares the output of the latest run with the form's output, computed with
   the weights of that run. */
static Difference
compare_output(const BlockRun *run, const Canonical *c)
{
    int d = c->d_model, own;
    Difference apart = {0};
    double *out = allocate((size_t)X_TOKENS * d, sizeof *out);
    for (int i = 0; i < X_TOKENS * d; i++)
        out[i] = c->constant[i % d];
    for (int head = 0; head < c->heads; head++) {
        const Call *call = capture_head(&run->capture, ONLY_PLACE, head, &own);
        add_head_output(out, call_weights(call, ONLY_SEQUENCE, own), run->y,
                        c->n + head * c->size);
    }
    for (int i = 0; i < X_TOKENS * d; i++)
        compare_entries(&apart, (double)run->out->value[i], out[i]);
    free(out);
    return apart;
}

/* Runs the variant on random tokens of standard deviation `size`, with the
   first token of x at `position`. Returns the largest difference of its scores,
   or of its outputs, from the form, relative to the form's largest. Notes in
   run->not_finite whether an output was not finite. */
static double
deviation(BlockRun *run, const Canonical *c, double size, int position)
{
    int keys = run->attention.causal ? X_TOKENS : Y_TOKENS;
    real *x = random_tokens(run, size, keys), *y = x + X_TOKENS * c->d_model;
    run->attention.position = position;
    run_block(run, x, X_TOKENS, y, keys, EVERY_HEAD);
    Difference scores = compare_scores(run, c), output = compare_output(run, c);
    /* an entry that is NaN makes `apart` INFINITY, too */
    run->not_finite |= isinf(output.apart);
    free(x);
    return fmax(relative_difference(scores), relative_difference(output));
}

void
canonical_allocate(Canonical *c, int heads)
{
    int d = c->d_model;
    size_t size = matrix_entries(heads * (d + 1), d);
    c->heads = heads;
    c->size = (d + 1) * d;
    c->m = allocate(2 * size + (size_t)(d + heads), sizeof *c->m);
    c->n = c->m + size;
    c->constant = c->n + size;
    c->sink = c->constant + d;
}

/* Checks the form without a mask, on small tokens and on large ones, the large
   ones at a later position if the scores depend on positions
   (attention.relative). If the form holds, it is checked under a causal mask as
   well. Sets c->deviation and c->unmasked_only. Returns whether the form holds
   without a mask and, if `causal`, under the causal mask, too. */
static bool
form_holds(BlockRun *run, Canonical *c, bool causal)
{
    const int start = 0;
    int later = run->attention.relative ? LATER : start;
    double small = deviation(run, c, SMALL, start);
    c->deviation = fmax(small, deviation(run, c, LARGE, later));
    if (c->deviation > MOST_DEVIATION)
        return false;
    run->attention.causal = 1;
    double masked = deviation(run, c, SMALL, start);
    c->unmasked_only = masked > MOST_DEVIATION;
    if (causal)
        c->deviation = masked;
    return !causal || !c->unmasked_only;
}

/* Finds the form and checks it (form_holds). The latest run must be on tokens
   that are 0, with weights of 0. Returns NULL, or the reason why there is no
   form. */
static const char *
find_form(BlockRun *run, Canonical *c, bool causal)
{
    canonical_allocate(c, run->capture.place[ONLY_PLACE].heads);
    find_biases(run, c);
    find_maps(run, c);
    join_constants(c);
    if (form_holds(run, c, causal))
        return NULL;
    if (c->unmasked_only)
        return "its form holds only without a mask, and its mask is causal";
    if (run->not_finite)
        return "its output is not finite, as after a training that diverged";
    if (run->capture.rotated)
        return "its own code rotates by position, so M_i is a different "
               "matrix at each distance";
    return "it is not linear in its tokens, or depends on their positions";
}

/* Runs the variant on tokens that are 0, and then finds its form, which has to
   hold under a causal mask if `causal` is set. Returns NULL, or the reason why
   there is no form. */
static const char *
probe(BlockRun *run, Canonical *c, bool causal)
{
    int d = run->attention.d_model;
    /* find_bias reads the scores of `positions` tokens; add_scores reads those
       of d + 1, as many as M_i has rows. */
    int rows = (c->positions > d ? c->positions : d) + 1;
    if (run->variant->calls != ANY_CALL) /* it restricts x and y */
        return "it is for self-attention only, but a form can only be found "
               "with different tokens as x and y";
    const int no_units = 0;
    run_on_units(run, no_units, rows, NO_HEAD);
    if (run->recalled)
        return "it recalls what an earlier block remembered, so it is not a "
               "function of its own tokens only";
    if (!run->capture.calls)
        return "it never calls attend or softmax";
    if (!one_for_each_token(run, rows, rows + 1))
        return "it does not make one query, key and value for each token";
    return find_form(run, c, causal);
}

Canonical
canonical_form(const Variant *v, Attention a, Weights w, int positions)
{
    Canonical c = {.d_model = a.d_model, .rotated = a.relative == &rope};
    BlockRun run = {.variant = v, .attention = a, .weights = w};
    c.deviation = NAN; /* until the form is checked */
    run.attention.causal = 0;
    if (c.rotated) /* the form has M at distance 0, where nothing is rotated */
        run.attention.relative = NULL;
    int least = LATER + X_TOKENS; /* the check needs this many positions */
    c.positions = positions > least ? positions : least;
    const char *why = probe(&run, &c, a.causal);
    if (why) {
        canonical_free(&c);
        bool is_measured = !isnan(c.deviation) && !run.not_finite;
        c.why = is_measured ? format_text("%s: off by %.2g", why, c.deviation)
                            : why;
    }
    tape_free(run.tape);
    return c;
}

Canonical
model_form(const Model *m, int place)
{
    const ModelPlace *p = &m->place[place];
    Sizes s = m->sizes; /* `tokens` in a sequence, `source` in an encoder's */
    int longest = s.tokens > s.source ? s.tokens : s.source;
    return canonical_form(p->variant, p->attention, place_weights(m, place),
                          longest);
}

bool
equal_biases(const Canonical *a, const Canonical *b)
{
    Difference apart = {0};
    for (int h = 0; h < a->heads || h < b->heads; h++) {
        double sink_a = h < a->heads ? a->sink[h] : -INFINITY;
        double sink_b = h < b->heads ? b->sink[h] : -INFINITY;
        compare_entries(&apart, sink_a, sink_b);
        for (int k = 0; k < a->positions * a->positions; k++)
            compare_entries(&apart, bias_entry(a, h, k), bias_entry(b, h, k));
    }
    double rounding = sizeof(real) == 4 ? 1e-5 : 1e-12;
    return relative_difference(apart) <= rounding;
}

void
canonical_free(Canonical *c)
{
    free(c->m); /* n, constant and sink are in the same block of memory */
    free(c->bias);
    c->m = c->bias = NULL;
}
