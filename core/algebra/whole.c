/* whole.c - how many parameters of a whole model are really there.

   A backward pass of the model gives a row of the Jacobian: the gradient, by
   all weights, of a random combination of the logits for a random sequence. The
   factors of each token's logits sum to 0, so that adding a constant to all
   logits of a token does not change the combination. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/real_parameters.h"
#include "algebra/whole.h"
#include "heart/random.h"
#include "training/architectures.h"
#include "training/rope_and_alibi.h"

/* The model that is measured. A row of the Jacobian is the gradient of
   sum(factors . logits) by all weights, for one sequence. */
typedef struct Measured {
    Model *model;
    Tape *tape;
    Batch sequence;
    Random random;
    real *factors; /* one for each logit, in the order of the logits */
} Measured;

/* Draws a sequence, and factors for the logits of each token. The first factor
   of a token is minus the sum of the others, so that all sum to 0. */
static void
draw_sequence(Measured *d)
{
    Sizes s = d->model->sizes;
    for (int t = 0; t < s.tokens; t++) {
        real *factors = d->factors + t * s.classes;
        d->sequence.ids[t] = random_below(&d->random, s.vocabulary);
        factors[0] = 0;
        for (int j = 1; j < s.classes; j++) {
            factors[j] = (real)random_normal(&d->random);
            factors[0] -= factors[j];
        }
    }
}

/* Implements NextRows: a backward pass for each row of the Jacobian. */
static void
differentiate(void *measured, int rows, real *jacobian)
{
    Measured *d = measured;
    Model *m = d->model;
    for (int i = 0; i < rows; i++) {
        draw_sequence(d);
        memset(m->gradients, 0, m->parameters * sizeof *m->gradients);
        Node *logits = model_forward(m, d->tape, &d->sequence);
        add_gradient(logits, d->factors);
        backward(logits);
        memcpy(jacobian + (size_t)i * m->parameters, m->gradients,
               m->parameters * sizeof *jacobian);
        tape_reset(d->tape);
    }
}

/* The seed of all weights and sequences. Any number would do. */
enum { SEED = 19 };

/* The rank of the Jacobian at random weights; NAN if matrix_rank cannot tell
   it. */
static double
measured_rank(Model *m)
{
    Sizes s = m->sizes;
    const int one_sequence = 1;
    Measured d = {.model = m, .tape = tape_new(COMPUTE)};
    d.sequence = batch_new(s, one_sequence);
    d.random = random_stream(SEED, "whole");
    d.factors = allocate(matrix_entries(s.tokens, s.classes), sizeof(real));
    for (Weight *w = m->weights; w < m->weights + m->count; w++)
        draw_entries(w, w->value, &d.random);
    Rank found = matrix_rank(differentiate, &d, (int)m->parameters);
    free(d.factors);
    batch_free(&d.sequence);
    tape_free(d.tape);
    return found.rank == UNKNOWN_RANK ? NAN : found.rank;
}

/* The number of contexts that can have different logits, summed over the places
   in a sequence. The logits at place t depend on t tokens under a causal mask,
   and on the whole sequence without a mask. */
static double
contexts_of(const Model *m)
{
    double contexts = 0;
    int length = m->sizes.tokens;
    for (int t = 1; t <= length; t++)
        contexts += pow(m->sizes.vocabulary, m->attention.causal ? t : length);
    return contexts;
}

/* The dimension of the set of all matrices (rows x cols) whose rank is at most
   r: r (rows + cols - r). */
static double
dimension_of_rank(double rows, double cols, double r)
{
    r = fmin(r, fmin(rows, cols));
    return r * (rows + cols - r);
}

/* The most real parameters that any model with this unembedding can have. The
   logits, up to the constant that softmax ignores, are a matrix with a row for
   each context and classes - 1 columns. It is the product of the stream's last
   states and the unembedding, so its rank is at most d_model. */
static double
most_real(const Model *m)
{
    double contexts = contexts_of(m), logits = m->sizes.classes - 1;
    double d = m->config.d_model;
    /* LayerNorm (NORM_PRE) subtracts the mean of a state, which leaves rank
       d - 1, and its bias adds the same row to every row. So one row of logits
       is free, and the differences of the others from it have rank d - 1. */
    if (m->config.norm == NORM_PRE)
        return dimension_of_rank(contexts - 1, logits, d - 1) + logits;
    return dimension_of_rank(contexts, logits, d);
}

/* Fills in all parts of the formula. The parts within attention are measured,
   and NAN if this is not possible; the others follow from sizes. */
static void
fill_parts(double part[PARTS], const Model *m)
{
    const Config *c = &m->config;
    Attention a = positioned_attention(c);
    int d = c->d_model, hidden_units = c->layers * c->mlp * d;
    int block_norms = c->mlp ? 2 : 1; /* before attention and before the MLP */
    int norms = c->layers * block_norms + 1; /* one more after all blocks */
    int learned = c->positions == POSITIONS_LEARNED ? m->sizes.tokens : 0;
    RealCount any = real_count(m->variant, a, ANY_TOKENS);
    double any_real = any.real == UNKNOWN_RANK ? NAN : any.real;
    part[HEADS] = any.stored - any_real;
    part[LOGITS] = d;
    part[BASIS] = d * d; /* the dimension of GL(d), all changes of basis */
    part[POSITIONS] = learned ? d : 0;
    if (c->norm == NORM_RMS) {
        part[NORMS] = norms * d;       /* gains */
        part[BASIS] = d * (d - 1) / 2; /* of O(d), all rotations */
    }
    if (c->norm == NORM_PRE) {
        int normed = real_count(m->variant, a, NORMED_TOKENS).real;
        double in_attention = normed == UNKNOWN_RANK ? NAN : any_real - normed;
        part[NORMS] = norms * 2 * d; /* gains and biases */
        /* LayerNorm ignores the mean of a token, so each row of a matrix that
           writes to the stream has one entry too many. Outside attention these
           are the rows of the embedding, of the learned positions, and of the
           second matrix of each MLP, one for each hidden unit. */
        part[MEAN] =
            in_attention + m->sizes.vocabulary + learned + hidden_units;
        part[BASIS] = (d - 1) * (d - 2) / 2; /* of O(d - 1) */
        /* The mean of the vector that can be moved is counted in MEAN. */
        part[POSITIONS] = learned ? d - 1 : 0;
    }
}

/* Makes the outline of the model, which has its sizes. Gives the weights their
   memory and values, as model_new does, only if the model is small enough to be
   measured. two_sequences is the architecture of all models, also of those with
   one sequence. */
Whole
whole_count(const Config *c, Sizes sizes, const Variant *v)
{
    Model *m = model_outline(c, sizes, v, &two_sequences);
    Whole w = {.stored = (double)m->parameters};
    if (w.stored <= MOST_MEASURED) {
        model_fill_onehot(m);
        model_start(m);
        fill_parts(w.part, m);
        w.formula = w.stored;
        for (int i = 0; i < PARTS; i++)
            w.formula -= w.part[i];
        if (w.formula > most_real(m)) /* false for NAN, which stays */
            w.formula = most_real(m);
        w.real = measured_rank(m);
    }
    model_free(m);
    return w;
}
