/* likeness.h - two layers of one shape, compared in what their heads compute.

       Likeness both = likeness_of(a, b);
       match_heads(&both, partner);
       Gap gap = head_gap(&both, GAP_M, head, partner[head]);
       likeness_free(&both);

   The maps of a head say little about it: W^Q A and W^K A^-T give the same
   scores for every invertible A, because M = W^Q W^K' stays the same. So M is
   compared with M, and N with N. The distance of two matrices is the Frobenius
   norm of their difference over that of the first one.

   With rotary positions, M is another matrix for each distance between query
   and key. Then both squared norms are means over all distances (columns.h). */
#ifndef LIKENESS_H
#define LIKENESS_H

#include "models/columns.h"

/* The squared Frobenius norm of a difference, and that of the first of the two
   matrices. Both may be summed over heads (gap_add). */
typedef struct Gap {
    double apart, size;
} Gap;

/* The distance, sqrt(apart / size); NaN or infinite if size is 0. */
double gap_relative(Gap g);
void gap_add(Gap *sum, Gap g);

/* M is the product of the maps QUERY and KEY, N' that of OUTPUT and VALUE.
   `left` has the columns of QUERY and of OUTPUT, for each head; `shared` has
   the columns of KEY and of VALUE, for each group of heads. */
enum { GAP_M, GAP_N };
typedef struct Likeness {
    const Heads *layers[2];
    HeadColumns left[2], shared[2]; /* indexed by GAP_M and GAP_N */
} Likeness;
Likeness likeness_of(const Heads *a, const Heads *b);
void likeness_free(Likeness *l);

/* How far head i of the first layer is from head j of the second one, in M or N
   (`which`, GAP_M or GAP_N). */
Gap head_gap(Likeness *l, int which, int i, int j);

/* Sets gap[GAP_M] and gap[GAP_N] to the distances between two layers over all
   heads, each compared with the head of the same number. */
void layer_gaps(const Heads *a, const Heads *b, double gap[2]);

/* Pairs each head i of the first layer with a head of the second one,
   partner[i]. The two heads that are most alike are paired first. Heads that
   share keys and values get partners that share theirs. */
void match_heads(Likeness *l, int *partner);

/* Returns the distance between the same map of two heads, compared entry by
   entry as stored, without biases. */
Gap map_gap(const Heads *a, int head_a, const Heads *b, int head_b, int map);

/* Returns the distance between the rows that two layers add to every token
   (constant_of). */
Gap constant_gap(const Heads *a, const Heads *b);

/* The largest distance between two layers in M (left out if scores are normed),
   in N, in the row that they add to every token and, with a latent, in the M of
   the rotated columns. */
double heads_apart(const Heads *a, const Heads *b);

#endif
