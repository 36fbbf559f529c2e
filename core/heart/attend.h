/* attend.h - the inner loops of attend: core/heart/attend.c has them as the
   formula reads, core/fast/attend.c fast. */
#ifndef ATTEND_H
#define ATTEND_H

#include <qkv/operator.h>

/* What attend and its steps are called with besides matrices: the arguments of
   their nodes. */
typedef struct Attended {
    double scale; /* of attend and scores */
    int causal;   /* of attend, softmax and mask_zero */
    double sink;  /* of softmax, if it is not learned; -INFINITY if none */
} Attended;

/* The work of attend on its node c, and how many entries a node of q, k and v
   keeps in c->kept from the forward pass to the backward pass. */
size_t attend_keeps(Node *const *in);
void attend_forward(Node *c);
void attend_backward(Node *c);

#endif
