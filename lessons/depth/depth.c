/* depth.c - how a product of matrices learns (lesson 04).

   W_1 ... W_depth, all (N x N), are trained by plain gradient descent until
   their product is a diagonal matrix, whose entries are the modes. Prints, for
   each depth, seed and step, the loss and how much of each mode is learned.
   cc -std=c11 -O3 -march=native -ffp-contract=off depth.c -lm */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 6, DEEPEST = 3, SEEDS = 5, STEPS = 4000, LOG_EVERY = 5 };
static const float mode[N] = {4, 2, 1, 0.5f, 0.25f, 0.125f};
static const float rate = 0.04f;

typedef struct Matrix {
    float at[N][N];
} Matrix;

/* --- Random numbers: those of the other lessons, see one-file --- */

static uint64_t
mix(uint64_t *x) /* splitmix64 */
{
    uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

typedef struct Random {
    uint64_t s[4];
} Random;

/* The stream of W_k: each matrix has its own. */
static Random
random_stream(uint64_t seed, int k)
{
    Random r;
    const char name[] = {'W', '_', (char)('0' + k)};
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (int i = 0; i < 3; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    uint64_t x = mix(&seed) ^ hash;
    for (int i = 0; i < 4; i++)
        r.s[i] = mix(&x);
    return r;
}

/* A number in [-1, 1), by xoshiro256++. */
static double
random_number(Random *r)
{
    uint64_t *s = r->s, sum = s[0] + s[3], t = s[1] << 17;
    uint64_t bits = (sum << 23 | sum >> 41) + s[0];
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return (double)(bits >> 11) * 0x1p-52 - 1;
}

/* A draw from N(0, 1), by Marsaglia's polar method. */
static double
random_normal(Random *r)
{
    double u, v, s;
    do {
        u = random_number(r);
        v = random_number(r);
        s = u * u + v * v;
    } while (s >= 1 || s < 1e-300);
    return u * sqrt(-2 * log(s) / s);
}

/* --- Matrices --- */

/* A B; each entry is one chain of fused multiply-adds, as in qkv. */
static Matrix
product(Matrix a, Matrix b)
{
    Matrix c = {0};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c.at[i][j] = fmaf(a.at[i][k], b.at[k][j], c.at[i][j]);
    return c;
}

static Matrix
transposed(Matrix a)
{
    Matrix b;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b.at[j][i] = a.at[i][j];
    return b;
}

/* A + factor B */
static Matrix
sum(Matrix a, float factor, Matrix b)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a.at[i][j] += factor * b.at[i][j];
    return a;
}

/* --- Training --- */

/* Entries are as large as it takes for a product of any depth to begin about
   0.01 large. */
static Matrix
initial(int depth, uint64_t seed, int k)
{
    Matrix w;
    Random r = random_stream(seed, k);
    double deviation = pow(0.01, 1. / depth) / sqrt(N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            w.at[i][j] = (float)(deviation * random_normal(&r));
    return w;
}

/* The loss is half the sum of the squared errors. */
static void
print_line(int depth, int seed, int step, Matrix learned, Matrix error)
{
    double loss = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            loss += (double)error.at[i][j] * (double)error.at[i][j] / 2;
    printf("%d\t%d\t%d\t%.7g", depth, seed, step, (double)(float)loss);
    for (int i = 0; i < N; i++)
        printf("\t%.7g", (double)learned.at[i][i] / (double)mode[i]);
    printf("\n");
}

static void
train(int depth, int seed, Matrix target)
{
    Matrix w[DEEPEST], before[DEEPEST + 1]; /* before[k] = W_1 ... W_k */
    for (int k = 0; k < depth; k++)
        w[k] = initial(depth, (uint64_t)seed, k + 1);
    for (int step = 0; step <= STEPS; step++) {
        before[1] = w[0];
        for (int k = 1; k < depth; k++)
            before[k + 1] = product(before[k], w[k]);
        Matrix g = sum(before[depth], -1, target); /* dloss by the product */
        if (step % LOG_EVERY == 0)
            print_line(depth, seed, step, before[depth], g);
        for (int k = depth - 1; k >= 0; k--) {
            /* of P = A B:  dA = dP B',  dB = A' dP */
            Matrix db = k ? product(transposed(before[k]), g) : g;
            g = product(g, transposed(w[k]));
            w[k] = sum(w[k], -rate, db);
        }
    }
}

int
main(void)
{
    Matrix target = {0};
    printf("depth\tseed\tstep\tloss");
    for (int i = 0; i < N; i++) {
        target.at[i][i] = mode[i];
        printf("\tmode%d", i + 1);
    }
    printf("\n");
    for (int depth = 1; depth <= DEEPEST; depth++)
        for (int seed = 1; seed <= SEEDS; seed++)
            train(depth, seed, target);
    return 0;
}
