/* random.c - xoshiro256++, and the integers, reals and orders drawn with it.
   The long constants come from the published algorithms. */

#include "heart/numbers.h"
#include "heart/random.h"

/* The next number of splitmix64 (Vigna 2015), whose state is *x. It turns
   neighbouring seeds into unrelated numbers. */
static uint64_t
mix(uint64_t *x)
{
    *x += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *x;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The state comes from the seed and from the FNV-1a hash of the purpose. */
Random
random_stream(uint64_t seed, const char *purpose)
{
    Random r;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *letter = purpose; *letter; letter++)
        hash = (hash ^ (unsigned char)*letter) * UINT64_C(0x100000001b3);
    uint64_t x = mix(&seed) ^ hash;
    for (int i = 0; i < 4; i++)
        r.state[i] = mix(&x);
    return r;
}

uint64_t
random_bits(Random *r)
{
    uint64_t *s = r->state;
    uint64_t sum = s[0] + s[3], t = s[1] << 17;
    uint64_t bits = (sum << 23 | sum >> 41) + s[0]; /* rotated by 23 */
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return bits;
}

/* The remainder of 64 random bits by n would favour small results, because n
   need not divide 2^64. So bits from `end` on, the largest multiple of n that
   fits 64 bits, are not used, but drawn again. */
int
random_below(Random *r, int n)
{
    uint64_t range = (uint64_t)n, end = UINT64_MAX - UINT64_MAX % range, bits;
    do
        bits = random_bits(r);
    while (bits >= end);
    return (int)(bits % range);
}

double
random_uniform(Random *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53; /* 53 bits, over 2^53 */
}

/* (u, v) is a random point of the unit disc, at distance sqrt(s) from its
   centre. s is kept away from 0, where log s / s overflows. */
double
random_normal(Random *r)
{
    double u, v, s;
    do {
        u = 2 * random_uniform(r) - 1;
        v = 2 * random_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s < 1e-300);
    return u * sqrt(-2 * logarithm(s) / s);
}

/* Before step i, order[0 .. i - 1] is a random order of the numbers below i.
   The step puts i at a random index j, and moves what was there to the end. */
void
random_order(Random *r, int *order, int n)
{
    for (int i = 0; i < n; i++) {
        int j = random_below(r, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
