/* variant.h - how to write a variant of attention: the whole manual.

   A variant is a shared object built from one short C file that includes this
   header and defines `qkv_variant`. It declares its matrices and writes down
   its equation with the operators of tape.h and attend.h; the core gives it
   its initial values, its gradient, its training, its accounts and figures.
   variants/standard.c is the one to read first (installed: below share/qkv).
   `qkv new mine` begins one, and

       qkv check ./mine.c
       qkv compare -v standard,./mine.c

   test and train it. Wherever a variant is named, ./mine.c is compiled first,
   into ./mine.so beside it.

   Notation is that of "Attention Is All You Need" (Vaswani et al. 2017): a
   token is a row, so a map is applied from the right, q = x W^Q; A' is A
   transposed. */
#ifndef QKV_VARIANT_H
#define QKV_VARIANT_H

#include <math.h>
#include <stdlib.h>

#include <qkv/attend.h>
#include <qkv/tape.h>

/* Changes whenever a structure here does. A plugin built against another one
   is refused: rebuild it. */
#define QKV_ABI 7

/* The matrices that a variant declares. */
typedef struct Weights Weights;

/* A canonical form to be fitted, and the entries that fit fills. */
typedef struct Form Form;
typedef struct Entries Entries;

typedef struct Variant {
    unsigned abi;         /* QKV_ABI, first in every version */
    const char *equation; /* what one head computes, in one line */
    const char *family;   /* optional: what `qkv list --family` puts it under,
                             "low rank" */
    const char *shape;    /* the shape options that it uses, of "heads
                             kv-heads d-k d-v latent": nobody can set another
                             one, which is 1 for heads, d_model for a width */

    /* Declares the matrices, by calling weight() for each, in the order of
       their indices: the same in every block. What they start as may depend on
       a->layer. */
    void (*weights)(Weights *w, const Attention *a);

    /* The equation. Queries come from x (tokens x d_model), keys and values
       from y (keys x d_model): in self-attention y is x. w[i] is the matrix
       declared with index i. Returns (tokens x d_model). A plugin allocates
       nothing and keeps nothing between calls. Positions are no business of
       its: with --positions rope or alibi attend and scores see to them. A
       decoder calls it with the new tokens alone: attend and the steps keep
       keys and values of those before; for what else needs them see cached. */
    Node *(*forward)(Attention *a, Node *x, Node *y, Node **w);

    /* Optional: fills the matrices, all 0 before, so that head i of a->heads
       computes softmax(x M_i y') y N_i for the M_i and N_i of f, or comes as
       near as its matrices can. (The scale is in this M_i: it is the s M_i of
       `qkv inspect`.) A few calls of the functions below; with it, other
       variants can be converted into this one. */
    void (*fit)(const Form *f, const Attention *a, Entries *w);

    /* Optional: settings of its own, which are numbers, and what each is unless
       it is given: "window=4 base=10000". They are options of qkv then,
       `--window 2,4,8`, and setting(a, "window") reads one. A name has small
       letters, digits and -, and is no option of qkv already. Variants may
       share it. */
    const char *settings;
} Variant;

#pragma GCC visibility push(default)

/* The value of a setting that .settings declares. */
double setting(const Attention *a, const char *name);

/* Declares matrix `index` (0, 1, 2, ...): rows x cols, its name as a paper
   writes it, "W^Q". It starts as N(0, 1 / rows): the columns of all of a
   variant's matrices are drawn one after the other, so that two variants that
   slice the same columns differently start as the same function. A bias
   (1 x columns) would start as N(0, 1), and a gain too: see initialise. */
void weight(Weights *w, int index, const char *name, int rows, int cols);

/* Declares `count` matrices of one shape, from `index` on; the "i" of the name
   becomes 1, 2, ...: "W_i^Q". */
void weight_each(Weights *w, int index, int count, const char *name, int rows,
                 int cols);

/* Matrix `index` starts as N(mean, deviation^2) instead: as ones (1, 0), zeros
   (0, 0), or k times as large (0, k / sqrt(rows)). */
void initialise(Weights *w, int index, double mean, double deviation);

/* A declared matrix, or a block of it: `count` of its columns, or rows. */
typedef struct Part {
    double *at;
    int rows, cols;
    int down, across; /* element r, c is at[r * down + c * across] */
} Part;
Part matrix_of(Entries *w, int index);
Part columns_of(Entries *w, int index, int from, int count);
Part rows_of(Entries *w, int index, int from, int count);

/* scale q_i k_i' = M_i for every head i: q (d_model x heads*r) and k have their
   heads side by side, as attend has. By the singular values, shared out evenly
   between q_i and k_i; the r largest where M_i has more. As in attend k may
   have fewer heads, each of which serves neighbouring heads of q: the nearest
   key for all of them is found. */
void factor_scores(const Form *f, double scale, Part q, Part k);

/* scale v_i o_i = N_i, for v, and o (heads*r x d_model) with its heads below
   each other, likewise. */
void factor_values(const Form *f, double scale, Part v, Part o);

/* scale w_i w_i' = M_i, for w (d_model x heads*r): the positive semi-definite
   part of what of M_i is symmetric, the nearest there is (Higham 1988). */
void factor_symmetric(const Form *f, double scale, Part w);

/* scale m_i = M_i, for m (d_model x heads*d_model); and scale n_i = N_i, for n
   (heads*d_model x d_model). */
void put_scores(const Form *f, double scale, Part m);
void put_values(const Form *f, double scale, Part n);

/* Head i alone: a form of one head. */
const Form *one_head(const Form *f, int i);

/* Where keys and values are made from c = y C, C (d_model x r): sets C, for all
   heads at once, and returns what is left to do behind it: a form whose M_i are
   (d_model x r) and whose N_i (r x d_model). */
const Form *through(const Form *f, Part c);

/* Where values are made from keys, k = y K with K (d_model x r) already set:
   what is left to do behind it, a form of values alone. Its N_i are K^-1 N_i,
   or the nearest there is where K cannot be inverted. */
const Form *values_behind(const Form *f, Part k);

/* A square matrix becomes the identity. */
void put_identity(Entries *w, int index);

/* What a plugin exports. */
extern const Variant qkv_variant;

#pragma GCC visibility pop

#endif
