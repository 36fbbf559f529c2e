/* layer.h - the attention of a layer of a published model: its four maps, one
   table for each whatever its file makes of them.

   All four are (d_model x columns of heads): W^Q, W^K, W^V, and W^O turned
   over, so that head i of a pair of maps is a product of two parts of equal
   shape, M_i = q_i k_i' and N_i = v_i o_i'. Rotated columns are in the order of
   rotate() (attend.h): the two of a pair side by side. */
#ifndef LAYER_H
#define LAYER_H

#include "models/checkpoint.h"
#include "models/published.h"

typedef struct Projection {
    Tensor *weight, *bias; /* bias: NULL where there is none */
    int cols, width;       /* of all heads, and of one */
    double *w, *b;         /* b: of q, k and v `cols` long, of o d_model */
} Projection;

typedef struct Heads {
    const Published *model;
    int number; /* of the layer, from 0 */
    Projection of[4];
} Heads;

/* Reads the maps of a layer; fails with what its tensors lack. heads_free
   them. */
Heads heads_read(const Checkpoint *c, const Published *p, int layer);
void heads_free(Heads *l);

/* Puts them into the checkpoint, in this process's copy. */
void heads_store(const Heads *l);

#endif
