/* attend.h - what the core sees of a variant's calls to attend.

   A variant is a black box but for what it hands to attend and what it makes
   of the result. Whoever wants to know what happens inside hangs a watch on
   the Attention that forward is called with. */
#ifndef ATTEND_H
#define ATTEND_H

#include <qkv/attend.h>
#include <qkv/operator.h>

enum { MOST_CALLS = 256 };

typedef struct Call {
    Node *q, *k, *v, *out;
    double scale;
} Call;

typedef struct Watch {
    Call call[MOST_CALLS];
    int calls;     /* to attend, those past MOST_CALLS counted too */
    int softmaxes; /* outside attend */
    int replaced;  /* the call whose result becomes the identity, while those of
                      all others become 0; -1: none */
} Watch;

#endif
