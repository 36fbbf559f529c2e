/* fused.h - FMA_V16 of vector.h, a * b + c rounded once, for vectors of floats
   on processors that have no instruction for it.

   The sum is computed in double and then rounded to float. Rounding twice is
   wrong in one case: the double is in the middle between two floats, while the
   exact sum is beside the middle. Rounding to odd avoids that: of the two
   doubles around an inexact sum it chooses the odd one, whose last bit is 1. An
   odd double is never in the middle (Boldo and Melquiond 2008, Emulation of FMA
   and correctly rounded sums). Comparing vectors gives -1 in a lane if it is
   true, and 0 otherwise. */
#ifndef FUSED_H
#define FUSED_H

/* Is any lane of a vector of 16 bytes not 0? */
typedef int64_t Pair __attribute__((vector_size(16)));
#ifdef __wasm__
#include <wasm_simd128.h>
#define ANY(lanes) wasm_i32x4_bitmask((v128_t)(lanes))
#else
#define ANY(lanes) (((Pair)(lanes))[0] | ((Pair)(lanes))[1])
#endif

/* For the 4 floats of a V16: their doubles, the bits of these, and integers of
   32 bits. */
typedef double Doubles __attribute__((vector_size(32)));
typedef int64_t Long __attribute__((vector_size(32)));
typedef uint32_t Word __attribute__((vector_size(16)));
typedef int32_t Signed __attribute__((vector_size(16)));

#ifdef __wasm__
typedef union Halves {
    Doubles whole;
    v128_t half[2];
} Halves;

/* Conversions, written with the instructions of browsers, because clang 14
   would convert one number at a time. */
static inline Doubles
to_doubles(V16 v)
{
    v128_t low = (v128_t)v, high = wasm_i64x2_shuffle(low, low, 1, 1);
    Halves of = {.half = {wasm_f64x2_promote_low_f32x4(low),
                          wasm_f64x2_promote_low_f32x4(high)}};
    return of.whole;
}

static inline V16
to_floats(Doubles d)
{
    Halves of = {d};
    return (V16)wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(of.half[0]),
                                   wasm_f32x4_demote_f64x2_zero(of.half[1]), 0,
                                   2);
}
#else
#define to_doubles(floats) __builtin_convertvector(floats, Doubles)
#define to_floats(doubles) __builtin_convertvector(doubles, V16)
#endif

/* a * b + c, rounded to odd in double and then to float, so that the second
   rounding gives the float that is nearest to the exact result. In double the
   product of two floats is exact, and the error of the sum is found exactly
   (Knuth's TwoSum). If there is an error and the last bit of the sum is 0, the
   exact result is between the sum and the next double on the side of the error.
   That double is odd. As doubles are ordered like their bits, it is one more in
   bits if it is farther from 0 than the sum, and one less if it is nearer. */
static __attribute__((noinline, unused)) V16
fma_by_odd(V16 a, V16 b, V16 c)
{
    Doubles product = to_doubles(a) * to_doubles(b), addend = to_doubles(c);
    Doubles sum = product + addend, part = sum - product; /* TwoSum */
    Doubles error = (product - (sum - part)) + (addend - part);
    Long inexact = error != 0, even = ((Long)sum & 1) == 0;
    Long farther = (error > 0) == (sum > 0);
    Long to_neighbour = -(farther | 1); /* 1 if farther, else -1 */
    Long odd = (Long)sum + (to_neighbour & even & inexact);
    return to_floats((Doubles)odd);
}

/* Rounding to odd is seldom needed. The sum in double can be in the middle
   between two floats only if its last 28 bits are 0 (4 of the low 32 bits are
   shifted out) and it is not itself a float. */
static inline V16
FMA_V16(V16 a, V16 b, V16 c)
{
    Doubles sum = to_doubles(a) * to_doubles(b) + to_doubles(c);
    V16 rounded = to_floats(sum);
    Signed middle = __builtin_convertvector((Long)sum, Word) << 4 == 0;
    if (ANY(middle)) {
        middle &= __builtin_convertvector(to_doubles(rounded) != sum, Signed);
        if (ANY(middle))
            return fma_by_odd(a, b, c);
    }
    return rounded;
}

#endif
