/* heads.h - the attention of a layer of a published model: its four maps, each
   as one matrix however the file stores it, and facts about its heads.

   All four are (d_model x columns of heads): W^Q, W^K, W^V, and W^O transposed,
   so that head i of a pair of maps is a product of two parts of equal shape,
   M_i = q_i k_i' and N_i = v_i o_i'. Rotated columns are in the order of
   rotate() (attend.h): the two columns of a pair are side by side. */
#ifndef MODELS_HEADS_H
#define MODELS_HEADS_H

#include "models/checkpoint.h"
#include "models/published.h"

enum { QUERY, KEY, VALUE, OUTPUT };

typedef struct Projection {
    Tensor *weight, *bias; /* bias: NULL if there is none */
    int heads, width;      /* number of heads of columns, and their width */
    double *w; /* head after head, each (d_model + 1 x width); the last row of
                  q, k and v is the bias */
} Projection;

typedef struct Heads {
    const Published *model;
    int number; /* of the layer, from 0 */
    Projection of[4];
    double *constant; /* the bias of o */
} Heads;

/* Reads the maps of a layer; fails with what its tensors lack. Free `constant`,
   behind which are the maps. */
Heads heads_read(const Checkpoint *c, const Published *p, int layer);

/* Puts them into the checkpoint, in this process's copy. */
void heads_store(const Heads *l);

/* The part of a map that a head uses; heads may share one. */
double *head_map(const Heads *l, int map, int head);

/* An entry of a map, its columns counted over all heads. Row d_model of q, k
   and v is the bias. */
double *entry_of(const Heads *l, int map, int row, int col);

/* The norm of a bias over all heads; NaN if there is none. */
double bias_norm(const Heads *l, int map);

/* left shared' of a head (d_model x d_model), to be freed: M of QUERY and KEY,
   N transposed of OUTPUT and VALUE. It leaves out norms, rotations and biases.
 */
double *head_product(const Heads *l, int left, int shared, int head);

/* Puts its singular values, as many as its parts have columns, into `values`,
   and returns how many of them have 99% of the sum of squares. Those of
   left shared' are those of left V S, if U S V' is `shared`. */
int energy_rank(const Heads *l, int left, int shared, int head, double *values);

#endif
