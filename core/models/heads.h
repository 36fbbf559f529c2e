/* heads.h - the maps of attention in one layer of a published model, however
   its files store them.

   A map here is a matrix with d_model + 1 rows and, head by head, the columns
   of its heads: W^Q, W^K and W^V, each with its bias as the last row; W^O
   transposed; and b^O as one column. So M and N of head i are products of two
   factors of equal shape, M_i = q_i k_i' and N_i' = o_i v_i'. The two columns
   of a rotated pair are adjacent, as in rotate() (attend.h).

   Heads that share their keys and values are a group; KEY and VALUE have one
   head for each group. Nothing is copied: a map only says where its entries are
   in the tensors, and entry_of and map_columns read them.

   Keys and values may be made from a latent, c = norm(x D). Then each head has
   two matrices M: heads_of has the one without rotated columns, and
   rotated_heads has the one of only rotated columns, whose keys all heads
   share. D is the map LATENT; QUERY_LATENT is the map of the latent that
   queries are made from, if there is one. A map that reads a latent has a row
   for each entry of the latent and one for the bias. The norm divides the
   latent of a token by a number and multiplies it by gains. Without the
   division, the keys of the tokens x are x D gain W^K. So map_columns returns D
   gain W^K, unless `as_stored` asks for W^K. */
#ifndef MODELS_HEADS_H
#define MODELS_HEADS_H

#include "models/checkpoint.h"
#include "models/published.h"

/* The maps; CONSTANT is b^O, and MAPS is how many there are. */
enum { QUERY, KEY, VALUE, OUTPUT, CONSTANT, QUERY_LATENT, LATENT, MAPS };

/* Where a map is stored. Several maps may be in one tensor. Column j of head i
   is row (or column) first + i stride + j of the tensor. */
typedef struct Projection {
    Tensor *weight;        /* all rows except the bias; NULL: they are 0 */
    Tensor *bias;          /* the last row, a vector; NULL: it is 0 */
    int heads, width;      /* how many heads, and the columns of each */
    int rows;              /* the rows of the map, without its bias */
    int first, stride;     /* where the columns are in the tensor, see above */
    bool columns_are_rows; /* a column of the map is a row of the tensor */
    Tensor *gain;          /* in the map of a latent: the gains of the latent's
                              norm; in other maps NULL */
} Projection;

typedef struct Heads {
    const Published *model; /* the entry of this layer in Published.each */
    int number;             /* the layer's number, from 0 */
    int rope;               /* rotated columns of each head of QUERY and KEY */
    Projection maps[MAPS];
    Tensor *gain, *shift; /* gain and bias of the norm before the layer; NULL
                             until heads_read_norm finds them */
    bool as_stored;       /* true if map_columns returns a map that reads a
                             latent as it is stored, W^K, not D gain W^K */
} Heads;

/* Finds the maps of a layer, counted from 0. Fails if the tensors of the family
   are not known, or if a tensor is missing or has another shape. */
Heads heads_of(const Checkpoint *c, const Published *model, int layer);

/* The maps of the rotated columns of a layer with latents: only QUERY and KEY.
   KEY has one head, which all heads share. */
Heads rotated_heads(Heads l);

/* How many columns of each head of a map are rotated, always the first ones. 0
   for all maps except QUERY and KEY. */
int rotated_width(const Heads *l, int map);

/* Returns whether a map reads a latent. QUERY may read that of QUERY_LATENT;
   KEY and VALUE may read that of LATENT. */
bool reads_latent(const Heads *l, int map);

/* Finds the norm before a layer, if the family has one. From then on
   map_columns includes its gain and its bias, so the maps read tokens that are
   normed without gain and bias. Only the products of the gains and the rows of
   W^Q, W^K and W^V have an effect, so two models with equal products are the
   same, even if their gains differ. */
void heads_read_norm(Heads *l, const Checkpoint *c);

/* Returns whether queries and keys are normed. If they are, the scores are not
   determined by a matrix M. */
bool scores_are_normed(const Published *p);

/* Returns which of the heads of a map (groups, of KEY and VALUE) head `head` of
   the layer uses. */
int group_of(const Heads *l, int map, int head);

/* An entry of a map as it is stored, without norms and latents; 0 if it is not
   stored. set_entry changes it to the value, rounded to the tensor's type; an
   entry that is not stored stays 0. */
double entry_of(const Heads *l, int map, int row, int col);
void set_entry(const Heads *l, int map, int row, int col, double value);

/* Columns from .. from + n - 1 of a map, row by row. There are d_model + 1 rows
   or, if the map reads a latent and `as_stored`, one more than the latent has
   entries. The last row is the bias. The caller frees the columns. */
double *map_columns(const Heads *l, int map, int from, int n);

/* All columns of a map, as map_columns returns them. */
double *all_columns(const Heads *l, int map);

/* Writes w, n columns row by row with the bias, into columns from ..
   from + n - 1 of a map, as set_entry does. */
void set_columns(const Heads *l, int map, int from, int n, const double *w);

/* Returns whether the bias of this column changes the output of the layer in a
   way that b^O cannot. A key's bias does not, because the softmax cancels it,
   unless the column is rotated or there are sinks. A value's bias does not if
   there is a b^O, since the weights sum to 1, unless there are sinks. */
bool bias_counts(const Heads *l, int map, int column);

/* The row that the layer adds to every token: b^O and, if b^O can absorb the
   biases of values, these times W^O. The caller frees its d_model entries. */
double *constant_of(const Heads *l);

/* Writes constant_of(l) into b^O of `to`. */
void write_constant(const Heads *l, const Heads *to);

/* The Euclidean norm of entries from .. from + n - 1 of a map's bias; NaN if
   the map has no bias. */
double bias_norm(const Heads *l, int map, int from, int n);

#endif
