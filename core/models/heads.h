/* heads.h - the attention of a layer of a published model: its maps, one matrix
   for each whatever its file makes of them, what they are, and what of them is
   gauge.

   All four are (d_model x columns of heads): W^Q, W^K, W^V, and W^O turned
   over, so that head i of a pair of maps is a product of two parts of equal
   shape, M_i = q_i k_i' and N_i = v_i o_i'. Rotated columns are in the order of
   rotate() (attend.h): the two of a pair side by side. */
#ifndef MODELS_HEADS_H
#define MODELS_HEADS_H

#include "models/checkpoint.h"
#include "models/published.h"

enum { QUERY, KEY, VALUE, OUTPUT };

typedef struct Projection {
    Tensor *weight, *bias; /* bias: NULL where there is none */
    int heads, width;      /* of columns: so many, each so wide */
    double *w; /* head after head, each (d_model + 1 x width): of q, k and v the
                  last row is the bias */
} Projection;

typedef struct Heads {
    const Published *model;
    int number; /* of the layer, from 0 */
    Projection of[4];
    double *constant; /* the bias of o */
} Heads;

/* What a map has for one of the model's heads, which may share it with others.
 */
double *head_map(const Heads *l, int projection, int head);

/* An entry of a map, its columns counted over all heads; of q, k and v row
   d_model is the bias. */
double map_entry(const Heads *l, int projection, int row, int col);

/* Reads the maps of a layer; fails with what its tensors lack. heads_free
   them. */
Heads heads_read(const Checkpoint *c, const Published *p, int layer);
void heads_free(Heads *l);

/* Puts them into the checkpoint, in this process's copy. */
void heads_store(Heads *l);

/* What a head is: how many singular values have 99% of the squares, of M and of
   N; and how symmetric M is, |M + M'|^2 / |2 M|^2. Norms, rotations and biases
   are left out of M. `squares` gets the squares of the singular values of M,
   d_k of them, and behind them those of N, d_v. */
enum { RANK_M, RANK_N, SYMMETRIC, FACTS };
void head_facts(const Heads *l, int head, double facts[FACTS], double *squares);

/* The norm of a bias, of all heads; NaN where there is none. */
double bias_norm(const Heads *l, int projection);

#endif
