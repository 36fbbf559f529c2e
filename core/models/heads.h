/* heads.h - the maps of attention in one layer of a published model, however
   its files store them.

   A map here is a matrix with d_model + 1 rows and, head by head, a column for
   each column of its heads: W^Q, W^K and W^V with their biases as the last row;
   W^O transposed; and b^O as one column. So M and N of head i are products of
   two factors of equal shape, M_i = q_i k_i' and N_i' = o_i v_i'. The columns
   that a rotation takes as a pair are adjacent, as in rotate() (attend.h).

   Heads that share their keys and values are a group; KEY and VALUE have one
   head for each group. Nothing is copied: a map only says where its entries are
   in the tensors, and entry_of and map_columns read them.

   If keys and values are made from a latent, c = norm(x D), each head has two
   matrices M: one without rotations, which heads_of has, and one of only
   rotated columns, whose keys all heads share, which rotated_heads has. D is
   the map LATENT; QUERY_LATENT is the map of the latent that queries are made
   from, if there is one. The norm divides a latent by a number and multiplies
   it by gains. Without that number the keys of the tokens x are x D gain W^K,
   so D gain W^K are the columns that map_columns returns, unless `as_stored`
   asks for W^K. */
#ifndef MODELS_HEADS_H
#define MODELS_HEADS_H

#include "models/checkpoint.h"
#include "models/published.h"

enum { QUERY, KEY, VALUE, OUTPUT, CONSTANT, QUERY_LATENT, LATENT, MAPS };

/* Where a map is stored. Several maps may be in one tensor. Column j of head i
   is then the tensor's row (or column) first + i stride + j. */
typedef struct Projection {
    Tensor *weight;        /* all rows except the bias; NULL: they are 0 */
    Tensor *bias;          /* the bias, a vector; NULL: it is 0 */
    int heads, width;      /* how many heads, and the columns of each */
    int rows;              /* rows of the map in `weight` */
    int first, stride;     /* in the tensor, see above */
    bool columns_are_rows; /* a column of the map is a row of the tensor */
    Tensor *gain; /* of a latent: the gains of the norm after this map */
} Projection;

typedef struct Heads {
    const Published *model; /* the model, with the sizes of this layer */
    int number;             /* of the layer, from 0 */
    int rope;               /* rotated columns of each head of QUERY and KEY */
    Projection maps[MAPS];
    Tensor *gain, *shift; /* gain and bias of the norm before the layer; NULL
                             until heads_read_norm finds them */
    bool as_stored;       /* true if map_columns returns W^K instead of D gain
                             W^K */
} Heads;

/* Finds the maps of a layer, counted from 0. Fails if a tensor is missing or
   has another shape. */
Heads heads_of(const Checkpoint *c, const Published *model, int layer);

/* Of a layer with latents, the maps of the rotated columns: only QUERY and KEY,
   whose one head all heads share. */
Heads rotated_heads(Heads l);

/* How many columns of each head of a map are rotated: the first ones. 0 for all
   maps except QUERY and KEY. */
int rotated_width(const Heads *l, int map);

/* Returns whether a map reads a latent: QUERY_LATENT if it is QUERY, LATENT if
   it is KEY or VALUE. */
bool reads_latent(const Heads *l, int map);

/* Also finds the norm before a layer. From then on map_columns includes the
   gain and the bias of the norm, so the maps read tokens that were only divided
   by their norm. A gain and the rows of W^Q, W^K and W^V only have an effect as
   a product: models that differ in how they split it are the same. */
void heads_read_norm(Heads *l, const Checkpoint *c);

/* Returns whether queries and keys are normed; if they are, no matrix M
   determines the scores. */
bool scores_are_normed(const Published *p);

/* Returns the number of the group whose columns of a map head `head` uses. */
int group_of(const Heads *l, int map, int head);

/* An entry of a map, 0 if it is not stored. set_entry rounds the value to the
   tensor's type, and does nothing if the entry is not stored. Both use the map
   as it is stored, without norms and latents. */
double entry_of(const Heads *l, int map, int row, int col);
void set_entry(const Heads *l, int map, int row, int col, double value);

/* Columns from .. from + n - 1 of a map, row by row: d_model + 1 rows, or one
   more than the latent has entries if `as_stored`. The caller frees them. */
double *map_columns(const Heads *l, int map, int from, int n);

/* All columns of a map, as map_columns returns them. */
double *all_columns(const Heads *l, int map);

/* Writes w into columns from .. from + n - 1 of a map, row by row, bias
   included, as set_entry does. */
void set_columns(const Heads *l, int map, int from, int n, const double *w);

/* Returns whether the bias of this column changes the output of a head. A key's
   bias does not, because the softmax cancels it, unless the column is rotated
   or there are sinks. A value's bias does not if there is a b^O, which can
   absorb it since the weights sum to 1, unless there are sinks. */
bool bias_counts(const Heads *l, int map, int column);

/* The row that the layer adds to every token: b^O, and the biases of values
   times W^O, if b^O can absorb them. The caller frees its d_model entries. */
double *constant_of(const Heads *l);

/* Writes constant_of(l) into b^O of `to`. */
void write_constant(const Heads *l, const Heads *to);

/* The Euclidean norm of entries from .. from + n - 1 of a map's bias; NaN if it
   has none. */
double bias_norm(const Heads *l, int map, int from, int n);

#endif
