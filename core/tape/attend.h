/* attend.h - what attend, and scores, softmax and apply_weights, have in
   common: the heads of a matrix, and the checks of their shapes; and their
   inner loops, of which tests/plain has a version each that is one page long.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include <qkv/attend.h>
#include <qkv/operator.h>

#include "math/matrix.h"

/* Head `head` of sequence s of a matrix with n's shape that is at `at`; and
   checks, which abort with the shapes: of the heads of queries and keys (or
   values), of their widths, of the lengths that a mask by position asks for. */
Matrix head_of(const Node *n, real *at, int s, int head);
void check_heads(const char *name, const Node *q, const Node *k);
void check_scores(const char *name, const Node *q, const Node *k);
void check_mask(const char *name, const Attention *a, int tokens, int keys);

/* FLOPs of a product of every query with every key (or weight with value),
   each `width` wide. Masked pairs are counted too. */
double pair_flops(const Node *q, int keys, int width);

/* What attend was called with besides q, k and v: the arguments of its node. */
typedef struct Attended {
    double scale;
    int causal;
} Attended;

/* The work of attend on its node c, and how many entries it keeps in c->kept
   from the forward pass to the backward pass. */
size_t attend_keeps(const Node *c);
void attend_forward(Node *c);
void attend_backward(Node *c);

/* P = softmax(mask(S)), row by row, of one head; and
   dS += P (dP - rowsum(P dP)). */
void softmax_rows(Matrix p, Matrix s, int causal);
void softmax_rows_backward(Matrix ds, Matrix p, Matrix dp);

#endif
