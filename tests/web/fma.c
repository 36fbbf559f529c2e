/* fma.c - the fused multiply-add of math/vector.h on hard cases: sums beside
   the middle between two numbers, denormal ones, infinities, NaNs. Prints a
   checksum of the results: the same with and without an instruction for it.
   -DLIBRARY: by the C library; -DQKV_DOUBLE: of doubles. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "math/vector.h"

/* A number's bits: its sign, its exponent, its fraction. */
#ifdef QKV_DOUBLE
typedef uint64_t Bits;
enum { FRACTION = 52, BIAS = 1023 };
#define LIBRARY_FMA fma
#else
typedef uint32_t Bits;
enum { FRACTION = 23, BIAS = 127 };
#define LIBRARY_FMA fmaf
#endif
static const Bits sign = (Bits)1 << (8 * sizeof(Bits) - 1);
static const Bits fraction = ((Bits)1 << FRACTION) - 1;

static uint64_t state = 88172645463325252;

static Bits
draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (Bits)(state * 2685821657736338717u >> (64 - 8 * sizeof(Bits)));
}

static real
with_bits(Bits bits)
{
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* +- 1.m times 2 to the power e; at e = -BIAS denormal. */
static real
number(Bits m, int e)
{
    return with_bits((draw() & sign) | (Bits)(e + BIAS) << FRACTION |
                     (m & fraction));
}

static real
operand(void)
{
    Bits r = draw(), kind = draw() % 6;
    int e = (int)(draw() % 60);
    switch (kind) {
    case 0:
        return with_bits(r); /* any, NaN too */
    case 1:
        return number(r, -BIAS + e % 2); /* denormal, or nearly */
    case 2:
        return number(fraction, BIAS); /* the greatest */
    case 3:
        return number(r & (fraction << (FRACTION - 3)), e - 27);
    case 4:
        return (real)(int)(r % 7) - 3; /* 0 too */
    default:
        return number(r, e % 30 - 17);
    }
}

/* a b is half of c's last bit, or so little more or less that a number of twice
   as many bits does not show it. */
static void
beside_the_middle(real *a, real *b, real *c)
{
    int e = (int)(draw() % 200) - 100;
    Bits m = draw() & fraction, n = draw();
    *c = number(n, e);
    *a = number(m, e - FRACTION - 1);
    *b = (real)(1 / (1 + (double)m / (double)(fraction + 1)));
}

/* The same where it is denormal, or in the middle. */
static void
beside_a_denormal(real *a, real *b, real *c)
{
    Bits m = draw(), n = draw(), few = draw() % 16;
    Bits top = few & 1 ? fraction << (FRACTION - 2) : fraction;
    *a = number(m & top, -BIAS / 2 - FRACTION / 2);
    *b = number(n & top, -BIAS / 2 - FRACTION / 2 + (int)(n & 3));
    *c = number(few, -BIAS);
}

int
main(void)
{
    uint64_t sum = 0;
    for (int n = 0; n < 1000000; n++) {
        V16 a, b, c;
        for (int i = 0; i < FEW; i++) {
            real x = operand(), y = operand(), z = operand();
            if (n % 4 == 1)
                beside_the_middle(&x, &y, &z);
            else if (n % 4 == 2)
                beside_a_denormal(&x, &y, &z);
            else if (n % 4 == 3) /* little is left */
                z = -x * y;
            a[i] = x, b[i] = y, c[i] = z;
        }
#ifdef LIBRARY
        for (int i = 0; i < FEW; i++)
            c[i] = LIBRARY_FMA(a[i], b[i], c[i]);
#else
        c = FMA_V16(a, b, c);
#endif
        for (int i = 0; i < FEW; i++) {
            Bits bits = 0;
            real x = c[i];
            if (x == x)
                memcpy(&bits, &x, sizeof bits);
            sum = (sum ^ bits) * 1099511628211u;
        }
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
