/* attention_operands.h - the operands of attention: their shapes, their
   positions, and the rows of earlier tokens that a decoder keeps.

   attend (attend_and_norm.c), and the operators that do its steps one by one
   (operators/scores_and_softmax.c), prepare and check their operands with these functions.
 */
#ifndef ATTENTION_OPERANDS_H
#define ATTENTION_OPERANDS_H

#include "heart/operators.h"
#include "heart/tape.h"

/* The arguments of attend, and of operators that do one of its steps. */
typedef struct ScaleAndMask {
    double scale; /* of the scores */
    int causal;   /* 1: later keys are masked */
} ScaleAndMask;

/* A model that puts positions into the scores of every variant sets
   Attention.relative to one of these. The variant need not know about it. A
   hook that is not used is NULL. */
typedef struct Relative {
    /* Rotates queries or keys whose first token is at `position`. */
    Node *(*rotated)(Node *n, int position);
    /* Adds a bias to scores. attend never returns its scores, so a model with a
       bias also sets `attend`, which is called instead of it. */
    Node *(*biased)(Attention *a, Node *s);
    AttendFunction *attend;
} Relative;

/* The function that attend must call instead of its own operator: the hook of
   a->relative or, if that has none, of q's tape. NULL if neither has one. */
AttendFunction *other_attend(const Attention *a, const Node *q);

/* Returns n, which is queries or keys, after the rotation that the model asks
   for, if any. `position` is the position of n's first token, FROM_START for
   the first token of a sequence. */
enum { FROM_START = 0 };
Node *positioned(const Attention *a, Node *n, int position);

/* Like cached (<qkv/tape.h>), for keys, which it also rotates by the positions
   of attention a. */
Node *all_keys(const Attention *a, Node *keys);

/* Prepares the operands of attend: rotates q and k by their positions if the
   model does that, and adds the rows that a decoder keeps. Aborts if the shapes
   do not fit. */
void attend_operands(const Attention *a, Node **q, Node **k, Node **v);

/* Both abort, in the name of an operator, if q and k have different numbers of
   sequences, or if k's number of heads does not divide q's.
   check_queries_and_keys also aborts if a head of q is not as wide as a head of
   k. */
void check_heads(const char *name, const Node *q, const Node *k);
void check_queries_and_keys(const char *name, const Node *q, const Node *k);

/* Aborts if a is causal and the sequences do not have a query for each of their
   `keys` keys. q is the queries or the scores; both have the same rows. */
void check_mask(const char *name, const Attention *a, const Node *q, int keys);

#endif
