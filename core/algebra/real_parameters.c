/* real_parameters.c - how many of a variant's parameters are really there.

   A backward pass gives a row of the Jacobian: the gradient, by all weights, of
   a random combination of the outputs for random tokens. Both are drawn anew
   for each row. Rows are added until the rank stops growing. */
#include <math.h>
#include <stdlib.h>

#include "algebra/capture.h"
#include "algebra/cost.h"
#include "algebra/real_parameters.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"

/* The length of a sequence. It is enough to use every row of a variant's table
   with a row for each distance from 0 to 15. */
enum { TOKENS = 16 };

/* A weight is drawn with at least this standard deviation, even if its
   initialisation is a constant. */
#define LEAST_DEVIATION 0.1

/* RMSNorm divides a token by the root of its mean square, which may be 0. So it
   adds this to the mean square first. */
#define NORM_EPSILON 1e-5

/* The function whose Jacobian is taken: one block, or several, each of which
   reads the output of the one before. */
typedef struct Layers {
    const Variant *variant;
    Attention attention; /* attention.layers blocks */
    Weights declared;    /* the matrices of one block; each block that runs sets
                            where their values and gradients are */
    int parameters;      /* the number of entries of all blocks' matrices */
    Tokens tokens;
    Random random;
    Tape *tape;
    real *values;    /* the entries of all matrices, block by block */
    real *x;         /* the tokens (TOKENS x d_model) */
    real *direction; /* the gradient of the output, with which a backward pass
                        begins; it has the shape of x and follows x in memory */
} Layers;

/* A leaf for data of one sequence. Data have no gradient. */
static Node *
data_leaf(const Layers *l, int rows, int cols, real *value)
{
    const int one_sequence = 1;
    real *no_gradient = NULL;
    return leaf(l->tape, rows, cols, one_sequence, value, no_gradient);
}

/* x with its mean subtracted from each row: x (I - C), where every entry of
   C (d x d) is 1 / d. */
static Node *
centred(const Layers *l, Node *x)
{
    int d = l->attention.d_model;
    real *centring = keep(x, matrix_entries(d, d)); /* I - C */
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            centring[i * d + j] = (real)((i == j) - 1. / d);
    return matmul(x, data_leaf(l, d, d, centring));
}

/* LayerNorm(x) with all gains and biases 1. Almost all other values would give
   the same count, since a change of the matrices that read the result undoes
   them. */
static Node *
normed(const Layers *l, Node *x)
{
    int d = l->attention.d_model;
    real *ones = keep(x, (size_t)d);
    for (int j = 0; j < d; j++)
        ones[j] = 1;
    return add(rms_norm(centred(l, x), NORM_EPSILON), data_leaf(l, 1, d, ones));
}

/* Runs forward of all blocks, with a residual around each if there are several,
   and returns the last output, centred if the tokens are normed. A backward
   pass from this node writes the gradients of the weights to `gradients`, in
   the order of l->values. */
static Node *
run_blocks(Layers *l, real *gradients)
{
    Attention a = l->attention;
    bool is_normed = l->tokens == NORMED_TOKENS;
    size_t offset = 0; /* of the next matrix, in values and in gradients */
    Node *x = data_leaf(l, TOKENS, a.d_model, l->x);
    for (a.layer = 0; a.layer < a.layers; a.layer++) {
        for (int i = 0; i < l->declared.count; i++) {
            Weight *m = &l->declared.list[i];
            m->value = l->values + offset;
            m->gradient = gradients + offset;
            offset += entries_of(m);
        }
        Node **w = leaves_of(l->tape, &l->declared);
        Node *read = is_normed ? normed(l, x) : x;
        Node *out = plugin_forward(l->variant, &a, read, read, w);
        x = a.layers > 1 ? add(x, out) : out;
        free(w);
    }
    return is_normed ? centred(l, x) : x;
}

void
draw_entries(const Weight *w, real *entries, Random *r)
{
    double deviation = fmax(w->deviation, LEAST_DEVIATION);
    for (size_t k = 0; k < entries_of(w); k++)
        entries[k] = (real)(w->mean + deviation * random_normal(r));
}

/* Implements NextRows: a backward pass for each row of the Jacobian, from a
   random direction of the output for random tokens. The entries of both are
   uniform, with mean 0 and variance 1: a uniform number in [0, 1] has mean 1/2
   and variance 1/12. A row stays 0 if the output depends on no weight. */
static void
differentiate(void *layers, int rows, real *jacobian)
{
    Layers *l = layers;
    int drawn = 2 * TOKENS * l->attention.d_model; /* x, and then direction */
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < drawn; k++)
            l->x[k] = (real)(sqrt(12) * (random_uniform(&l->random) - 0.5));
        Node *out = run_blocks(l, jacobian + matrix_entries(i, l->parameters));
        if (out->trained) {
            add_gradient(out, l->direction);
            backward(out);
        }
        tape_reset(l->tape);
    }
}

/* The seed of all matrices, tokens and directions. Any number would do. */
enum { SEED = 17 };

/* The rank of the Jacobian at random weights. The caller has set the variant,
   attention, declared, parameters and tokens of l. */
static Rank
rank_of_jacobian(Layers *l)
{
    size_t size = matrix_entries(TOKENS, l->attention.d_model);
    l->random = random_stream(SEED, "real");
    l->tape = tape_new(COMPUTE);
    l->values = allocate((size_t)l->parameters, sizeof *l->values);
    l->x = allocate(2 * size, sizeof *l->x);
    l->direction = l->x + size;
    real *values = l->values; /* of the next matrix */
    for (int layer = 0; layer < l->attention.layers; layer++)
        for (int i = 0; i < l->declared.count; i++) {
            draw_entries(&l->declared.list[i], values, &l->random);
            values += entries_of(&l->declared.list[i]);
        }
    Rank found = matrix_rank(differentiate, l, l->parameters);
    free(l->x);
    free(l->values);
    tape_free(l->tape);
    return found;
}

/* Measures one block and multiplies its rank by the number of blocks. If a
   block uses what an earlier block remembered, measures all blocks together. */
RealCount
real_count(const Variant *v, Attention a, Tokens tokens)
{
    RealCount c = {.found = {.last = NAN, .next = NAN}};
    Layers l = {
        .variant = v, .declared = weights_declared(v, &a), .tokens = tokens};
    int layers = a.layers > 1 ? a.layers : 1; /* 0 also means one block */
    int block_parameters = 0;
    for (int i = 0; i < l.declared.count; i++)
        block_parameters += (int)entries_of(&l.declared.list[i]);
    c.stored = layers * block_parameters;
    if (c.stored > 0) { /* a variant without parameters has no Jacobian */
        a.causal |= v->calls == CAUSAL_ONLY;
        bool together = cost_of(v, a, TOKENS, Y_IS_X).recalls;
        a.layers = together ? layers : 1; /* from here on, those measured */
        l.attention = a;
        l.parameters = a.layers * block_parameters;
        c.found = rank_of_jacobian(&l);
        c.real = c.found.rank;
        if (c.real != UNKNOWN_RANK && !together)
            c.real *= layers;
    }
    free(l.declared.list);
    return c;
}
