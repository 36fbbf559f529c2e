/* heads.h - the heads of a matrix, and what attention requires of their shapes.
 */
#ifndef HEADS_H
#define HEADS_H

#include <qkv/attend.h>
#include <qkv/operator.h>

#include "heart/matrix.h"

/* Head `head` of sequence s of a matrix at `at` that has n's shape; its step
   leads to the same head of the next sequence. */
Matrix head_of(const Node *n, real *at, int s, int head);

/* That head of n which serves head h of c: fewer heads of keys and of values
   are shared by neighbours. */
Matrix head_for(const Node *c, int h, const Node *n, real *at, int s);

/* Checks, which abort with the shapes: of the heads of queries and keys (or
   values), of their widths, of the lengths that a mask by position asks for. */
void check_heads(const char *name, const Node *q, const Node *k);
void check_scores(const char *name, const Node *q, const Node *k);
void check_mask(const char *name, const Attention *a, const Node *q, int keys);

/* n->op of a node that mix_heads made. */
extern const Operator mix_heads_op;

#endif
