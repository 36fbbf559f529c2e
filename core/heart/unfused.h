/* unfused.h - attention in three operators: what the nodes of scores and
   weights are. */
#ifndef UNFUSED_H
#define UNFUSED_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* Did `scores` make n? Was its last step a bias of scores; which, if by
   fixed_bias, else NULL? */
bool is_scores(const Node *n);
bool has_bias(const Node *n);
Bias *bias_of(const Node *n);

/* Scores before any bias was added; and the sink of weights in head `head`,
   -INFINITY where there is none. */
Node *unbiased(Node *scores);
double sink_of(const Node *weights, int head);

/* The arguments of fixed_bias, and of score_bias: what it adds, and the
   attention that it was called for, as it was then. */
typedef struct Added {
    Attention attention;
    Bias *bias;
    Bucket *bucket;
} Added;

#endif
