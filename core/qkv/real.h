/* real.h - the type of every matrix entry.

   float in `qkv`, double in `qkv-double`: the same sources, compiled with
   -DQKV_DOUBLE for the second. Gradients and exact identities are checked in
   double, where rounding is 1e-16 and a wrong sign cannot hide. */
#ifndef QKV_REAL_H
#define QKV_REAL_H

#ifdef QKV_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
