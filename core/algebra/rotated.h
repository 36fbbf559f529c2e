/* rotated.h - a head whose queries and keys are rotated by their positions.

   RoPE turns each pair of columns of q and of k by an angle that grows with the
   position (heart/positions.c). Then M depends on the distance i - j of query
   and key. Pair p of columns, which turns by t_p for each token, is one complex
   matrix of rank one, C_p = A_p + i B_p:

       C_p = (q_2p - i q_2p+1) (k_2p + i k_2p+1)'
       M(distance) = sum over p of cos(distance t_p) A_p + sin(distance t_p) B_p

   C_p is what a head really is. What is left to choose, the gauge, is one
   complex number for each pair: q times z, k by its conjugate, for only what
   turns and stretches all of a pair commutes with the rotation. */
#ifndef ROTATED_H
#define ROTATED_H

#include <qkv/variant.h>

/* q (d_model x width) and k (rows x width) of a head, before their rotation. */
typedef struct Rotated {
    int d_model, rows, width;
    const double *q, *k;
} Rotated;

/* M (d_model x rows) at that distance. */
void rotated_product(const Rotated *head, int distance, double *m);

/* A_p, or with `imaginary` B_p, of the pair p that turns as fast as pair `pair`
   of a head `width` wide; 0 where there is none. (d_model x rows) */
void rotated_term(const Rotated *head, int pair, int width, bool imaginary,
                  double *term);

/* scale left_i shared' = M_i at every distance, for `count` heads one after the
   other in `left`, as factor_scores has it. A pair that turns at another speed
   than any of the head's is lost. */
void rotated_factor(const Rotated *head, int count, double scale, Part left,
                    Part shared);

/* scale w w' = M, likewise: factor_symmetric. */
void rotated_symmetric(const Rotated *head, double scale, Part w);

/* The rows that all C_p read of y: |q_p| k_2p' and |q_p| k_2p+1' of each pair.
   (width x rows); their squares sum to those of all C_p. */
void rotated_reads(const Rotated *head, double *reads);

#endif
