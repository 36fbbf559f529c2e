/* attend.h - what attend, and scores, softmax and weigh, have in common: the
   heads of a matrix, and the checks of their shapes. */
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
void check_mask(const char *name, const Attention *a, int tokens, int asked);

/* Into how many groups the heads of q fall that share no head of k or of v. */
int head_groups(const Node *k, const Node *v);

/* FLOPs of a product of every query with every key (or weight with value),
   `width` numbers each. Masked pairs are counted too. */
double pair_flops(const Node *q, int asked, int width);

#endif
