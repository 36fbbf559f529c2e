/* vector.h - vectors of reals, and a fused multiply-add on them. */
#ifndef VECTOR_H
#define VECTOR_H

#include <math.h>
#include <stdint.h>

#include <qkv/real.h>

#include "heart/numbers.h"

/* V16, V32 and V64 are vectors of 16, 32 and 64 bytes, if the instruction set
   has them, and V1 is one real. FMA_V16, FMA_V32 and FMA_V64 return a * b + c,
   rounded once: by one instruction if the processor has it, and otherwise with
   the same bits by other means. */
#define VECTOR(BYTES) \
    __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias))
typedef real V1;
typedef real V16 VECTOR(16);
typedef real V32 VECTOR(32);
typedef real V64 VECTOR(64);
enum { FEW = 16 / sizeof(real) }; /* lanes of a V16, the narrowest vector */
#define UNROLL _Pragma("GCC unroll 16")

#if defined __FMA__
#include <immintrin.h>
#ifdef QKV_DOUBLE
#define FMA_V16(a, b, c) (V16) _mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c)
#define FMA_V32(a, b, c) \
    (V32) _mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c)
#define FMA_V64(a, b, c) \
    (V64) _mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c)
#else
#define FMA_V16(a, b, c) (V16) _mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c)
#define FMA_V32(a, b, c) (V32) _mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c)
#define FMA_V64(a, b, c) (V64) _mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c)
#endif
#elif defined __ARM_NEON && !defined QKV_DOUBLE
#include <arm_neon.h>
#define FMA_V16(a, b, c) \
    (V16) vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b)
#elif defined __wasm_relaxed_simd__
/* The result is rounded only once if the processor can do that;
   lessons/web/worker.js finds out whether it can. */
#include <wasm_simd128.h>
#if __clang_major__ < 15
#define MADD(type) __builtin_wasm_fma_##type
#else
#define MADD(type) __builtin_wasm_relaxed_madd_##type
#endif
#ifdef QKV_DOUBLE
#define FMA_V16(a, b, c) (V16) MADD(f64x2)((__f64x2)a, (__f64x2)b, (__f64x2)c)
#else
#define FMA_V16(a, b, c) (V16) MADD(f32x4)((__f32x4)a, (__f32x4)b, (__f32x4)c)
#endif
#elif defined QKV_DOUBLE
/* The C library's fma uses the processor's instruction if there is one. In a
   browser it cannot, and is slow. */
static inline V16
FMA_V16(V16 a, V16 b, V16 c)
{
    for (int i = 0; i < FEW; i++)
        c[i] = fma(a[i], b[i], c[i]);
    return c;
}
#else
#include "fast/fused.h"
#endif

/* FMA_V1 is for one number. Without the processor's instruction, the C
   library's function would be slow. */
#if defined __FMA__ || defined __ARM_NEON
#define FMA_V1 FUSED
#else
#define FMA_V1(a, b, c) (FMA_V16((V16){a}, (V16){b}, (V16){c}))[0]
#endif

/* An integer as wide as a real. */
#ifdef QKV_DOUBLE
typedef int64_t Whole;
#else
typedef int32_t Whole;
#endif

/* LANES_OF(a, b, i, j, ...) is a vector of lanes i, j, ... of a and b, where
   the lanes of b are numbered after the lanes of a. */
typedef Whole LaneNumbers VECTOR(16);
#ifdef __clang__
#define LANES_OF(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LANES_OF(a, b, ...) __builtin_shuffle(a, b, (LaneNumbers){__VA_ARGS__})
#endif

/* The widest vector that has a fused multiply-add here. */
#if defined __AVX512F__
typedef V64 Widest;
#define FMA_WIDEST FMA_V64
#elif defined __AVX__ && defined __FMA__
typedef V32 Widest;
#define FMA_WIDEST FMA_V32
#else
typedef V16 Widest;
#define FMA_WIDEST FMA_V16
#endif

/* x in every lane: C repeats a number that meets a vector. (x - 0 is x, even if
   x is -0.) */
static inline Widest
broadcast(real x)
{
    return x - (Widest){0};
}

/* The result of comparing vectors: in each lane, all bits are 1 or all are 0.
 */
typedef Whole Lanewise VECTOR(sizeof(Widest));

/* Takes each lane from a if the bits of this lane of `chosen` are 1, and from b
   if they are 0. */
static inline Widest
select_lanes(Lanewise chosen, Widest a, Widest b)
{
    return (Widest)(((Lanewise)a & chosen) | ((Lanewise)b & ~chosen));
}

/* The larger of a and b in each lane; b if one of them is NaN. */
static inline Widest
larger(Widest a, Widest b)
{
    return select_lanes(a > b, a, b);
}

static inline V16
larger_16(V16 a, V16 b)
{
    LaneNumbers first = a > b;
    return (V16)(((LaneNumbers)a & first) | ((LaneNumbers)b & ~first));
}

#endif
