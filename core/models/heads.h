/* heads.h - the attention of a layer of a published model: its maps, however
   the file stores them.

   Every map is a matrix of (d_model + 1) rows and a column for each column of
   its heads: W^Q, W^K and W^V with their biases as row d_model, W^O turned
   over, and b^O as one column. So head i of a pair of maps is a product of two
   parts of equal shape, M_i = q_i k_i' and N_i' = o_i v_i'. Rotated columns are
   in the order of rotate() (attend.h): the two of a pair are side by side.

   Nothing is copied: a map is where its tensors are, and whoever looks at a
   part of it reads that part. */
#ifndef MODELS_HEADS_H
#define MODELS_HEADS_H

#include "models/checkpoint.h"
#include "models/published.h"

enum { QUERY, KEY, VALUE, OUTPUT, CONSTANT, QUERY_LATENT, LATENT, MAPS };

/* Where a map is. Several may be in one tensor: this one begins with column
   `first` there, and its heads are `every` columns apart. */
typedef struct Projection {
    Tensor *weight, *bias; /* of the other rows, of the last; NULL: all 0 */
    int heads, width;      /* number of heads of columns, and their width */
    int rows;              /* those stored, without the bias */
    int first, every;
    bool upright; /* a column of ours is a row there */
    Tensor *gain; /* of the norm behind a latent */
} Projection;

typedef struct Heads {
    const Published *model; /* the model, with the sizes of this layer */
    int number;             /* of the layer, from 0 */
    Projection of[MAPS];
    Tensor *gain, *shift; /* of the norm that these maps read; NULL: left out */
    bool stored; /* are map_columns those of the stored matrices, even behind a
                    latent? */
} Heads;

/* Finds the maps of a layer. Fails if a tensor is missing or has another shape.

   If keys and values are made from a latent, c = norm(x D), each head has two
   matrices M: one without rotations, which heads_of has, and one of only
   rotated columns, whose keys all heads share, which rotated_heads has. D is
   the map LATENT; QUERY_LATENT, if there is one, is that of the queries. A norm
   only divides a token by a number. Without these numbers, x D gain W^K are the
   keys of the tokens, and these are what map_columns has, unless `stored` asks
   for W^K. */
Heads heads_of(const Checkpoint *c, const Published *model, int layer);
Heads rotated_heads(Heads l);

/* The map of the latent that a map reads, or NULL. */
const Projection *latent_of(const Heads *l, int map);

/* Finds the norm before a layer, too. From then on map_columns include its gain
   and its bias: they are for the token before these. A gain and the rows of
   W^Q, W^K and W^V only have an effect as a product, so one may move into the
   other.
 */
void heads_take_norm(Heads *l, const Checkpoint *c);

/* Are queries and keys normed, so that no matrix M says what scores are? */
bool scores_are_normed(const Published *p);

/* An entry of a map. If `set` is not NULL, it becomes that first, rounded, if
   it is stored at all. */
double entry_of(const Heads *l, int map, int row, int col, const double *set);

/* The number of the group of heads whose columns of a map head `head` uses. */
int group_of(const Heads *l, int map, int head);

/* n columns of a map from one on (d_model + 1 x n, or as many rows as are
   stored). The caller frees them. */
double *map_columns(const Heads *l, int map, int from, int n);

/* Does the bias of this column change what a head computes? A key's bias does
   not, because the softmax cancels it, unless its column is rotated or there
   are sinks. A value's bias does not if there is a b^O, which can absorb it
   since the weights sum to 1, unless there are sinks. */
bool bias_counts(const Heads *l, int map, int column);

/* The row that the layer adds to every token: b^O, and the products with W^O of
   the biases of values that count for no head. The caller frees its d_model
   entries. */
double *constant_of(const Heads *l);

/* Writes that into b^O of `to`. */
void move_biases(const Heads *l, const Heads *to);

/* The norm of n entries of a bias from one on; NaN if there is none. */
double bias_norm(const Heads *l, int map, int from, int n);

#endif
