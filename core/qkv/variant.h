/* variant.h - how to write a variant of attention: the whole manual.

   A variant is a shared object built from one short C file that includes this
   header and defines `qkv_variant`. It declares its matrices and writes its
   equation with the operators of tape.h and attend.h. The core then provides
   initial values, gradients, training, parameter and FLOP counts, and figures.
   Read variants/standard.c first (installed: below share/qkv).
   `qkv new mine` writes a first version, and

       qkv check ./mine.c
       qkv compare -v standard,./mine.c

   test it and train it. Every command that takes a variant also takes ./mine.c,
   and compiles it into ./mine.so first. A plugin's output, even to stdout, is
   printed on stderr, so that results stay whole. In a run it is discarded.

   The notation is from "Attention Is All You Need" (Vaswani et al. 2017): a
   token is a row, so maps are applied from the right, q = x W^Q; A' is A
   transposed. */
#ifndef QKV_VARIANT_H
#define QKV_VARIANT_H

#include <math.h>
#include <stdlib.h>

#include <qkv/attend.h>
#include <qkv/tape.h>

/* Changes whenever a structure in these headers does. A plugin built for a
   different number is refused: rebuild it. */
#define QKV_ABI 10

/* The matrices that a variant declares. */
typedef struct Weights Weights;

/* The canonical form that fit must match, and the entries that it fills. */
typedef struct Form Form;
typedef struct Entries Entries;

/* The calls that a variant supports: any; only self-attention, in which y is x;
   or only self-attention with a causal mask, in which a->causal is 1. */
typedef enum Calls { ANY_CALL, SELF_ONLY, CAUSAL_ONLY } Calls;

typedef struct Variant {
    unsigned abi; /* QKV_ABI; the first field in every version */
    /* The output, as a paper writes it: "softmax(x W_i^Q (y W_i^K)' /
       sqrt(d_k)) y W_i^V W_i^O". lessons/16-your-own.md has the language; ";"
       ends a line. `check` compares it with the code, unless it begins with
       "note:". */
    const char *equation;
    const char *family; /* optional: its group, such as "low rank", in the
                           output of `qkv list --columns family` */
    const char *shape;  /* the shape options that it uses, from "heads kv-heads
                           d-k d-v latent"; the other options are fixed: 1 for
                           heads, d_model for widths */

    /* Declares the matrices by calling weight() for each, in the order of their
       indices: the same matrices in every block. Their initialisation may
       depend on a->layer. */
    void (*weights)(Weights *w, const Attention *a);

    /* The equation. Queries come from x (tokens x d_model), keys and values
       from y (keys x d_model); in self-attention y is x. w[i] is the matrix
       declared with index i. Returns (tokens x d_model). A plugin allocates
       nothing and keeps nothing between calls. A plugin can ignore positions:
       with --positions rope or alibi, attend and scores apply them. A decoder
       calls it with only the new tokens: attend and the steps keep the keys and
       values of earlier ones; use cached() for anything else that needs them.
     */
    Node *(*forward)(Attention *a, Node *x, Node *y, Node **w);

    /* Optional: fills the matrices, which are all 0 at first, so that each head
       i computes softmax([x 1] M_i y') [y 1] N_i with the M_i and N_i of f, or
       comes as near to that as its matrices allow. (This M_i includes the
       scale: it is the s M_i of `qkv inspect`.) The 1 is multiplied by the last
       row of M_i and N_i, the bias; a variant without biases fits the other
       rows. A few calls of the functions below suffice. Other variants can be
       converted into any variant that has a fit. */
    void (*fit)(const Form *f, const Attention *a, Entries *w);

    /* Optional: its own settings and their defaults, which are numbers:
       "window=4 base=10000". Each becomes an option of qkv, `--window 2,4,8`,
       and setting(a, "window") reads it. A name has small letters, digits and
       -, and must not be one of qkv's own options. Several variants may declare
       the same name. */
    const char *settings;

    /* Optional: the only calls in which its equation has a meaning, such as
       CAUSAL_ONLY if it sums over earlier tokens, or SELF_ONLY if a matrix has
       the length of the sequence. `qkv check` and `qkv count` make only these
       calls, and tasks that need others are refused. Such a variant has no
       canonical form, which is found by passing different tokens as x and y. */
    Calls calls;
} Variant;

#pragma GCC visibility push(default)

/* The value of a setting that .settings declares. */
double setting(const Attention *a, const char *name);

/* Declares matrix `index` (0, 1, 2, ...), rows x cols, with its name as a paper
   writes it, "W^Q". Its entries are initialised from N(0, 1 / rows). The
   columns of a variant's matrices are drawn one after another, so two variants
   that divide the same columns into matrices differently start as the same
   function. For a bias or a gain (1 x columns), N(0, 1) is not what you want:
   see initialise. */
void weight(Weights *w, int index, const char *name, int rows, int cols);

/* Declares `count` matrices of one shape, from `index` on. The first "i" in the
   name becomes 1, 2, ..., as in "W_i^Q"; a name without an "i" gets the number
   at its end. */
void weight_each(Weights *w, int index, int count, const char *name, int rows,
                 int cols);

/* Initialises matrix `index` from N(mean, deviation^2) instead: (1, 0) gives
   ones, (0, 0) zeros, (0, k / sqrt(rows)) k times the default. */
void initialise(Weights *w, int index, double mean, double deviation);

/* A declared matrix, or `count` of its columns or rows. */
typedef struct Part {
    double *at;
    int rows, cols;
    int down, across; /* element r, c is at[r * down + c * across] */
} Part;
Part matrix_of(Entries *w, int index);
Part columns_of(Entries *w, int index, int from, int count);
Part rows_of(Entries *w, int index, int from, int count);

/* Sets q and k so that scale q_i k_i' = M_i for every head i. q (d_model x
   heads*r) and k have their heads side by side, as in attend. By SVD; each
   factor gets the square roots of the singular values, and only the r largest
   of these are kept. As in attend, k may have fewer heads, each of which serves
   neighbouring heads of q: then the nearest key for all of them is found. */
void factor_scores(const Form *f, double scale, Part q, Part k);

/* factor_scores for queries with a bias, q = x W + b: also sets b (1 x
   heads*r), from the last row of M_i. Leave a bias of keys at 0: it adds the
   same number to all scores of a row, which the softmax cancels. */
void factor_biased_scores(const Form *f, double scale, Part q, Part b, Part k);

/* Sets the bias (1 x d_model) that is added to every output. A bias of values
   can be left at 0: as weights sum to 1, the bias of the output includes its
   effect. */
void put_constant(const Form *f, Part bias);

/* Sets v and o so that scale v_i o_i = N_i, by SVD as in factor_scores. o
   (heads*r x d_model) has its heads one below the other. */
void factor_values(const Form *f, double scale, Part v, Part o);

/* Sets w (d_model x heads*r) so that scale w_i w_i' = M_i, or the nearest
   positive semi-definite matrix to M_i (Higham 1988). scale must be positive,
   since no eigenvalue of w_i w_i' is negative. */
void factor_symmetric(const Form *f, double scale, Part w);

/* Copies instead of factoring: sets m (d_model x heads*d_model) so that scale
   m_i = M_i, and n (heads*d_model x d_model) so that scale n_i = N_i, both
   without the bias row. */
void put_scores(const Form *f, double scale, Part m);
void put_values(const Form *f, double scale, Part n);

/* The form of head i only. */
const Form *one_head(const Form *f, int i);

/* For variants that compute keys and values from c = y C, with C (d_model x r):
   sets C for all heads together, and returns the form to fit next, in which
   keys and values are made from c: without the bias row, the M_i of the result
   is (d_model x r) and its N_i (r x d_model). */
const Form *through(const Form *f, Part c);

/* For variants that compute values from the keys k = y K, with K (d_model x r)
   already set: returns the form to fit next, which has only values. The N_i of
   the result is K^-1 N_i with the N_i of f, or the nearest to that if K has no
   inverse. */
const Form *values_behind(const Form *f, Part k);

/* Sets a square matrix to the identity. */
void put_identity(Entries *w, int index);

/* The symbol that every plugin exports. */
extern const Variant qkv_variant;

#pragma GCC visibility pop

#endif
