/* attention_operands.h - the operands of attention: their shapes, their
   positions, and the rows of earlier tokens that a decoder keeps.

   attend (attend_and_norm.c) and the operators on scores
   (operators/scores_and_softmax.c, operators/biases.c) prepare and check their
   operands with these functions. */
#ifndef ATTENTION_OPERANDS_H
#define ATTENTION_OPERANDS_H

#include "heart/operators.h"
#include "heart/tape.h"

/* The arguments of attend, and of the operators that mask scores. */
typedef struct ScaleAndMask {
    double scale; /* the factor of the scores */
    int causal;   /* 1: keys of later tokens are masked */
} ScaleAndMask;

/* A model that puts positions into the scores of every variant sets
   Attention.relative to one of these. The variant need not know. A hook that
   the model does not need is NULL. */
typedef struct Relative {
    /* Rotates queries or keys whose first token is at `position`. */
    Node *(*rotated)(Node *n, int position);
    /* Adds a bias to scores. The operator attend makes no node of its scores,
       so a model with a bias also sets the hook `attend`, which is called
       instead. */
    Node *(*biased)(Attention *a, Node *s);
    AttendFunction *attend;
} Relative;

/* The function that attend must call instead of making its own node: the hook
   `attend` of a->relative or, if that has none, of q's tape. NULL if neither
   has one. */
AttendFunction *other_attend(const Attention *a, const Node *q);

/* Returns n, which is queries or keys, after the rotation that the model asks
   for, if any. `position` is the position of n's first token, FROM_START for
   the first token of a sequence. */
enum { FROM_START = 0 };
Node *positioned(const Attention *a, Node *n, int position);

/* Like cached (<qkv/tape.h>), for keys: if a->relative rotates, the result is
   also rotated, each key by its position. */
Node *all_keys(const Attention *a, Node *keys);

/* Prepares the operands of attend: rotates q and k by their positions if
   a->relative does that and, in a decoder, adds the rows of earlier tokens to k
   and v. Aborts if the shapes do not fit. */
void attend_operands(const Attention *a, Node **q, Node **k, Node **v);

/* Both abort, with a message that begins with `name`, an operator, if q and k
   have different numbers of sequences, or if k's number of heads does not
   divide q's. check_queries_and_keys also aborts if a head of q is not as wide
   as a head of k. */
void check_heads(const char *name, const Node *q, const Node *k);
void check_queries_and_keys(const char *name, const Node *q, const Node *k);

/* Aborts if a is causal and a sequence does not have a token for each of its
   `keys` keys: a row of q or, in a decoder, an earlier token. q is the queries
   or the scores; both have the same rows. */
void check_mask(const char *name, const Attention *a, const Node *q, int keys);

#endif
