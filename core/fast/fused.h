/* fused.h - FMA_V16 of vector.h, a * b + c rounded once, where no instruction
   does that for a vector.

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

#ifdef QKV_DOUBLE
static __attribute__((noinline, unused)) V16
fma_of_each(V16 a, V16 b, V16 c)
{
    for (int i = 0; i < FEW; i++) {
        int exact = a[i] == 0 || b[i] == 0;
        c[i] = exact ? a[i] * b[i] + c[i] : fma(a[i], b[i], c[i]);
    }
    return c;
}

/* a without its lower 26 bits (Dekker 1971). */
static inline V16
upper_half(V16 a)
{
    V16 times = a * 0x8000001p0;
    return times - (times - a);
}

/* a + b = sum + error (Knuth). */
static inline V16
sum_and_error(V16 a, V16 b, V16 *error)
{
    V16 sum = a + b, part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

/* a * b + c is exactly high + low + lower, and low + lower is rounded to odd:
   where nothing overflows, which leaves a NaN, and the sum is not so small that
   a double lacks some of its bits. */
static inline V16
FMA_V16(V16 a, V16 b, V16 c)
{
    V16 low, lower, error;
    V16 a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
    V16 product = a * b;
    V16 rest = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
    V16 high = sum_and_error(product, sum_and_error(c, rest, &lower), &low);
    V16 small = sum_and_error(low, lower, &error);
    Pair away = (error > 0) == (small > 0);
    Pair even = ((Pair)small & 1) - 1, inexact = error != 0;
    V16 sum = high + (V16)((Pair)small - (((away << 1) + 1) & even & inexact));
    V16 size = (V16)((Pair)sum & INT64_MAX);
    return ANY(~(size > 0x1p-800)) ? fma_of_each(a, b, c) : sum;
}
#else
/* In double a product of floats is exact. */
static __attribute__((noinline, unused)) V16
fma_to_odd(V16 a, V16 b, V16 c)
{
    for (int i = 0; i < FEW; i++) {
        double product = (double)a[i] * b[i], sum = product + c[i];
        double part = sum - product;
        double error = (product - (sum - part)) + (c[i] - part);
        union {
            double value;
            int64_t bits;
        } odd = {sum};
        if ((error > 0 || error < 0) && !(odd.bits & 1))
            odd.bits += (error > 0) == (sum > 0) ? 1 : -1;
        c[i] = (float)odd.value;
    }
    return c;
}

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

#endif
