/* plain.h - what the plain kernels have in common.

   tests/plain has each fast kernel of core/ once more, as its formula reads:
   matrix.c, attend.c, softmax.c. Linked into the program instead of the fast
   ones they train every weight to the same bits (tests/plain.sh). What they
   share with them is the order in which a sum is added up. */
#ifndef PLAIN_H
#define PLAIN_H

#include <math.h>

#include <qkv/real.h>

#include "math/elementary.h"

/* a b + c, rounded once. */
static inline real
fused(real a, real b, real c)
{
    return sizeof(real) == 4 ? fmaf((float)a, (float)b, (float)c)
                             : (real)fma((double)a, (double)b, (double)c);
}

/* e^x, by the program's own series (math/elementary.h). */
static inline real
e_to(real x)
{
    return exponential(broadcast(x))[0];
}

/* A sum over a row is kept in 16 lanes, entry j in lane j mod 16; in the end
   the lanes are folded in halves. */
enum { LANES = 16 };
static inline real
sum_of(real *lane)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

#endif
