/* attend.h - the inner loops of attend: core/heart/attend.c has them as the
   formula reads, core/fast/attend.c fast. */
#ifndef ATTEND_H
#define ATTEND_H

#include <qkv/operator.h>

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

#endif
