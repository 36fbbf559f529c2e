/* fused.h - FMA_V16 of vector.h, a * b + c rounded once, for floats where no
   instruction does that for a vector.

   Rounded twice it is wrong only where the first result is in the middle
   between two numbers of the second kind, and the exact one beside it. Rounded
   to odd the first result never is in the middle: of the two numbers around an
   inexact one, that whose last bit is 1 (Boldo and Melquiond 2008, Emulation of
   FMA and correctly rounded sums). */
#ifndef FUSED_H
#define FUSED_H

typedef int64_t Pair __attribute__((vector_size(16)));
#ifdef __wasm__
#include <wasm_simd128.h>
#define ANY(lanes) wasm_i32x4_bitmask((v128_t)(lanes))
#else
#define ANY(lanes) (((Pair)(lanes))[0] | ((Pair)(lanes))[1])
#endif

typedef double Doubles __attribute__((vector_size(32)));
typedef int64_t Long __attribute__((vector_size(32)));
typedef uint32_t Word __attribute__((vector_size(16)));
typedef int32_t Signed __attribute__((vector_size(16)));

#ifdef __wasm__
typedef union Halves {
    Doubles whole;
    v128_t half[2];
} Halves;

/* As the engines of browsers know them: clang 14 asks for more, or goes number
   by number. */
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

/* In double a product of floats is exact, and so is this error of the sum. */
static __attribute__((noinline, unused)) V16
fma_to_odd(V16 a, V16 b, V16 c)
{
    Doubles product = to_doubles(a) * to_doubles(b), rest = to_doubles(c);
    Doubles sum = product + rest, part = sum - product;
    Doubles error = (product - (sum - part)) + (rest - part);
    Long away = (error > 0) == (sum > 0), inexact = error != 0;
    Long even = ((Long)sum & 1) - 1, one = (away << 1) + 1;
    return to_floats((Doubles)((Long)sum - (one & even & inexact)));
}

/* That is seldom needed: the rounded sum is a middle only if its last 28 bits
   are zeros, and none if it is a float. */
static inline V16
FMA_V16(V16 a, V16 b, V16 c)
{
    Doubles sum = to_doubles(a) * to_doubles(b) + to_doubles(c);
    V16 rounded = to_floats(sum);
    Signed middle = __builtin_convertvector((Long)sum, Word) << 4 == 0;
    if (ANY(middle)) {
        middle &= __builtin_convertvector(to_doubles(rounded) != sum, Signed);
        if (ANY(middle))
            return fma_to_odd(a, b, c);
    }
    return rounded;
}

#endif
