/* fma.c - the fused multiply-add of math/vector.h on hard cases: sums beside
   the middle between two floats, denormal ones, infinities, NaNs. Prints a
   checksum of the results: the same with and without an instruction for it.
   -DFMAF: by fmaf. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "math/vector.h"

static uint64_t state = 88172645463325252;

static uint32_t
draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static float
with_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float
operand(void)
{
    uint32_t r = draw(), sign = r & 0x80000000;
    switch (draw() % 5) {
    case 0:
        return with_bits(r); /* any, NaN too */
    case 1:
        return with_bits(r & 0x80ffffff); /* denormal, or nearly */
    case 2:
        return with_bits(sign | 0x7f7fffff); /* the greatest */
    case 3:
        return with_bits(sign | (r & 0x700000) | (100 + r % 54) << 23);
    default:
        return with_bits((r & 0x807fffff) | (110 + r % 30) << 23);
    }
}

/* a b is half of c's last bit, or so little more or less that a double does not
   show it. */
static void
beside_the_middle(float *a, float *b, float *c)
{
    uint32_t exponent = draw() % 254, m = 0x800000 | (draw() & 0x7fffff);
    double half = exponent ? ldexp(1, (int)exponent - 151) : 0x1p-150;
    *c = with_bits((draw() & 0x807fffff) | exponent << 23);
    *a = (float)(m * 0x1p-23 * (draw() & 1 ? 1 : -1) * (half * 0x1p60));
    *b = (float)(floor(0x1p47 / m + .5) * 0x1p-24 * 0x1p-60);
}

int
main(void)
{
    uint32_t sum = 0;
    for (int n = 0; n < 1000000; n++) {
        V16 a, b, c;
        for (int i = 0; i < FEW; i++) {
            float x = operand(), y = operand(), z = operand();
            if (n % 2)
                beside_the_middle(&x, &y, &z);
            if (n == 0) /* rounded up to the least float that is not denormal */
                x = 0x1.fffffep-64f, y = 0x1.000002p-64f, z = 0x1.fffffcp-127f;
            a[i] = x, b[i] = y, c[i] = z;
        }
#ifdef FMAF
        for (int i = 0; i < FEW; i++)
            c[i] = fmaf(a[i], b[i], c[i]);
#else
        c = FMA_V16(a, b, c);
#endif
        for (int i = 0; i < FEW; i++) {
            uint32_t bits = 0x7fc00000;
            float x = c[i];
            if (x == x)
                memcpy(&bits, &x, sizeof bits);
            sum = (sum ^ bits) * 16777619u;
        }
    }
    printf("%08x\n", sum);
    return 0;
}
