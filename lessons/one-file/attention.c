/* attention.c - all of qkv in one file: standard attention learns recall.

   `attention 1` trains what `qkv train -v standard -t recall --seed 1` trains,
   and prints the same log; `attention 1 FILE` also writes the weights, which
   are the same bit for bit. What core/ adds: it is fast, and it is general.
   cc -std=c11 -O3 -march=native -ffp-contract=off attention.c -lm */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Task recall: LENGTH keys, each with a value; then the keys: which value? */
enum { LENGTH = 8, TOKENS = 2 * LENGTH, SYMBOLS = 32, VALUES = 16 };

/* The model: one layer of attention with a residual; d_model, heads, d_k. */
enum { D = 32, HEADS = 4, D_K = D / HEADS };
#define SCALE (float)(1 / sqrt(D_K))

/* A batch goes through the model a micro-batch at a time, ROWS tokens: what
   forward leaves is still in the cache when backward needs it. */
enum { BATCH = 32, MICRO = 8, ROWS = MICRO * TOKENS, COUNTED = BATCH * LENGTH };
enum { STEPS = 300, LOG_EVERY = 10, WINDOW = 10, VALIDATE = 64, TEST = 1024 };

/* --- Numbers: an order for each sum, and an exp and a log of our own --- */

/* The sum of 16 entries, in halves, as a vector's lanes are added. */
static float
sum_of_16(const float *x)
{
    float lane[16];
    memcpy(lane, x, sizeof lane);
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

/* e^x = 2^n e^r with n = round(x / ln 2); e^r - 1 is a Taylor series of degree
   7. Those of libm, exp and log, are not the same on every system. */
static float
exponential(float x)
{
    const float ln2_high = 0x1.62e430p-1f, ln2_low = -0x1.05c610p-29f;
    if (x < -87)
        return 0;
    float n = rintf(x * 1.44269504088896340736f);
    float r = fmaf(-n, ln2_low, fmaf(-n, ln2_high, x));
    float p = 1.f / 5040, factorial = 5040;
    for (int i = 7; i > 1; i--)
        p = fmaf(p, r, 1 / (factorial /= (float)i));
    float power = ldexpf(1, (int)n);
    return fmaf(power, p * r, power);
}

/* log x = n log 2 + 2 artanh((m - 1) / (m + 1)), where x = 2^n m and m is
   within [sqrt 1/2, sqrt 2]. */
static double
logarithm(double x)
{
    int n;
    double m = frexp(x, &n), sum = 0; /* from 1/2 to 1 */
    for (; m < 0x1.6a09e667f3bcdp-1; n--)
        m *= 2;
    double s = (m - 1) / (m + 1);
    for (int i = 21; i > 0; i -= 2)
        sum = sum * (s * s) + 1. / i;
    return 2 * s * sum + n * 0.69314718055994530942;
}

/* x becomes e^(factor x - max), which cannot overflow. Returns the sum. Every
   row that has a softmax here is 16 long: tokens, or values. */
static float
exponentials_of_16(float *x, float factor, float *max)
{
    *max = factor * x[0];
    for (int j = 0; j < 16; j++)
        *max = factor * x[j] > *max ? factor * x[j] : *max;
    for (int j = 0; j < 16; j++)
        x[j] = exponential(factor * x[j] - *max);
    return sum_of_16(x);
}

/* --- Random numbers: xoshiro256++, a stream for each purpose --- */

typedef struct Random {
    uint64_t s[4];
} Random;

static uint64_t
mix(uint64_t *x) /* splitmix64, Steele, Lea and Flood 2014 */
{
    uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* What one purpose draws never shifts what another gets. */
static Random
random_stream(uint64_t seed, const char *purpose)
{
    Random r;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a's start */
    for (; *purpose; purpose++)
        hash = (hash ^ (unsigned char)*purpose) * UINT64_C(0x100000001b3);
    uint64_t x = mix(&seed) ^ hash;
    for (int i = 0; i < 4; i++)
        r.s[i] = mix(&x);
    return r;
}

static uint64_t
random_bits(Random *r)
{
    uint64_t *s = r->s, sum = s[0] + s[3], t = s[1] << 17, old = s[0];
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return (sum << 23 | sum >> 41) + old;
}

/* An integer in 0 .. n - 1. */
static int
random_below(Random *r, int n)
{
    uint64_t bits, range = (uint64_t)n;
    do /* the last, incomplete range is drawn again: each is as likely */
        bits = random_bits(r);
    while (bits >= UINT64_MAX - UINT64_MAX % range);
    return (int)(bits % range);
}

/* A draw from N(0, 1), by Marsaglia's polar method. */
static double
random_normal(Random *r)
{
    double u, v, s;
    do {
        u = (double)(random_bits(r) >> 11) * 0x1p-52 - 1; /* in [-1, 1) */
        v = (double)(random_bits(r) >> 11) * 0x1p-52 - 1;
        s = u * u + v * v;
    } while (s >= 1 || s < 1e-300);
    return u * sqrt(-2 * logarithm(s) / s);
}

/* --- The task --- */

typedef struct Token {
    int key, value, target; /* value or target -1: it has none */
} Token;

static void
draw_sequence(Random *r, Token *t)
{
    int order[LENGTH];
    for (int i = 0, j; i < LENGTH; i++)
        do { /* a key that none before it has */
            t[i].key = random_below(r, SYMBOLS);
            for (j = 0; j < i && t[j].key != t[i].key; j++)
                ;
        } while (j < i);
    for (int i = 0; i < LENGTH; i++) { /* Fisher and Yates */
        int j = random_below(r, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < LENGTH; i++)
        t[i] = (Token){t[i].key, random_below(r, VALUES), -1};
    for (int i = 0; i < LENGTH; i++)
        t[LENGTH + i] = (Token){t[order[i]].key, -1, t[order[i]].value};
}

/* --- The model --- */

/* A view: element i, j is at[i * down + j * across]. */
typedef struct Matrix {
    float *at;
    int rows, cols, down, across;
} Matrix;

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define ALL(m) \
    ((Matrix){(float *)(m), COUNT(m), COUNT((m)[0]), COUNT((m)[0]), 1})

static Matrix
transposed(Matrix m)
{
    return (Matrix){m.at, m.cols, m.rows, m.across, m.down};
}

/* C += A B. Each entry of C is one chain of fused multiply-adds along k, as in
   every kernel of qkv: hence the same bits. */
static void
add_product(Matrix c, Matrix a, Matrix b)
{
    for (int i = 0; i < c.rows; i++)
        for (int k = 0; k < a.cols; k++)
            for (int j = 0; j < c.cols; j++) {
                float *sum = &c.at[i * c.down + j * c.across];
                *sum = fmaf(a.at[i * a.down + k * a.across],
                            b.at[k * b.down + j * b.across], *sum);
            }
}

/* A token is a row, so that q = x W^Q. */
typedef union Weights {
    struct {
        float embedding[SYMBOLS + VALUES][D];
        float w_q[D][D], w_k[D][D], w_v[D][D], w_o[D][D];
        float unembedding[D][VALUES];
    };
    float all[(SYMBOLS + VALUES + 4 * D + VALUES) * D];
} Weights;

/* What forward leaves for backward; and the gradient of the loss by each. */
typedef struct Activations {
    float x[ROWS][D], q[ROWS][D], k[ROWS][D], v[ROWS][D];
    float p[MICRO][HEADS][TOKENS][TOKENS]; /* the attention weights */
    float heads[ROWS][D], y[ROWS][D];      /* P V; x + heads W^O */
    float logits[ROWS][VALUES], answer[ROWS][VALUES]; /* softmax(logits) */
} Activations;

/* Initial values, drawn column by column. */
static void
draw_weights(Matrix w, double deviation, Random *r)
{
    for (int j = 0; j < w.cols; j++)
        for (int i = 0; i < w.rows; i++)
            w.at[i * w.down + j] = (float)(deviation * random_normal(r));
}

static void
initialise(Weights *w, uint64_t seed)
{
    Random r = random_stream(seed, "embedding");
    draw_weights(ALL(w->embedding), 0.7, &r); /* key + value: about 1 */
    r = random_stream(seed, "block0.attention");
    draw_weights(ALL(w->w_q), 1 / sqrt(D), &r);
    draw_weights(ALL(w->w_k), 1 / sqrt(D), &r);
    draw_weights(ALL(w->w_v), 1 / sqrt(D), &r);
    draw_weights(ALL(w->w_o), 1 / sqrt(D), &r);
    r = random_stream(seed, "unembedding");
    draw_weights(ALL(w->unembedding), 1 / sqrt(D), &r);
}

/* Head h of sequence s in a matrix of all of them: (TOKENS x D_K). */
static Matrix
head(const float *m, int s, int h)
{
    return (Matrix){(float *)m + s * TOKENS * D + h * D_K, TOKENS, D_K, D, 1};
}

/* P = softmax(Q K' / sqrt(d_k)),  O = P V */
static void
attend(Activations *a, int s, int h)
{
    Matrix p = ALL(a->p[s][h]); /* first the scores, then their softmax */
    add_product(p, head(a->q[0], s, h), transposed(head(a->k[0], s, h)));
    for (int i = 0; i < TOKENS; i++) {
        float *pi = a->p[s][h][i], max;
        float inverse = 1 / exponentials_of_16(pi, SCALE, &max);
        for (int j = 0; j < TOKENS; j++)
            pi[j] *= inverse;
    }
    add_product(head(a->heads[0], s, h), p, head(a->v[0], s, h));
}

/* dV += P' dO,  dP = dO V',  dS = scale P (dP - rowsum(P dP)),
   dQ += dS K,  dK += dS' Q */
static void
attend_backward(const Activations *a, Activations *d, int s, int h)
{
    float ds[TOKENS][TOKENS] = {{0}}, share[TOKENS]; /* ds: dP until then */
    Matrix p = ALL(a->p[s][h]), d_out = head(d->heads[0], s, h);
    add_product(head(d->v[0], s, h), transposed(p), d_out);
    add_product(ALL(ds), d_out, transposed(head(a->v[0], s, h)));
    for (int i = 0; i < TOKENS; i++) {
        const float *pi = a->p[s][h][i];
        for (int j = 0; j < TOKENS; j++)
            share[j] = pi[j] * ds[i][j];
        float mean = sum_of_16(share);
        for (int j = 0; j < TOKENS; j++)
            ds[i][j] = SCALE * pi[j] * (ds[i][j] - mean);
    }
    add_product(head(d->q[0], s, h), ALL(ds), head(a->k[0], s, h));
    add_product(head(d->k[0], s, h), transposed(ALL(ds)), head(a->q[0], s, h));
}

/* Returns a micro-batch's share of the loss of its batch. */
static double
forward(const Weights *w, Activations *a, const Token *token)
{
    memset(a, 0, sizeof *a);
    /* 1. the embedding: x = that of the key + that of the value */
    for (int t = 0; t < ROWS; t++)
        for (int j = 0, value = token[t].value; j < D; j++)
            a->x[t][j] = w->embedding[token[t].key][j] +
                         (value < 0 ? 0 : w->embedding[SYMBOLS + value][j]);

    /* 2. queries, keys and values of all heads */
    add_product(ALL(a->q), ALL(a->x), ALL(w->w_q));
    add_product(ALL(a->k), ALL(a->x), ALL(w->w_k));
    add_product(ALL(a->v), ALL(a->x), ALL(w->w_v));

    /* 3. attention: each head of each sequence */
    for (int s = 0; s < MICRO; s++)
        for (int h = 0; h < HEADS; h++)
            attend(a, s, h);

    /* 4. the output map and the residual: y = x + heads W^O */
    add_product(ALL(a->y), ALL(a->heads), ALL(w->w_o));
    for (int t = 0; t < ROWS; t++)
        for (int j = 0; j < D; j++)
            a->y[t][j] += a->x[t][j];

    /* 5. a logit for each value: y U */
    add_product(ALL(a->logits), ALL(a->y), ALL(w->unembedding));

    /* 6. the cross-entropy: -log of what softmax gives to the target */
    double loss = 0;
    for (int t = 0; t < ROWS; t++) {
        memcpy(a->answer[t], a->logits[t], sizeof a->answer[t]);
        float max, sum = exponentials_of_16(a->answer[t], 1, &max);
        for (int j = 0; j < VALUES; j++)
            a->answer[t][j] /= sum;
        if (token[t].target >= 0)
            loss += logarithm((double)sum) + (double)max -
                    (double)a->logits[t][token[t].target];
    }
    return (double)(float)(loss / COUNTED);
}

/* The same passes, last one first: each takes the gradient of its result, and
   adds to those of its operands and of its weights, which are g. */
static void
backward(const Weights *w, Weights *g, const Activations *a, Activations *d,
         const Token *token)
{
    memset(d, 0, sizeof *d);
    /* 6. dlogits = (softmax(logits) - onehot(target)) / counted */
    for (int t = 0; t < ROWS; t++)
        for (int j = 0; token[t].target >= 0 && j < VALUES; j++)
            d->logits[t][j] =
                (a->answer[t][j] - (float)(j == token[t].target)) / COUNTED;

    /* 5. dy += dlogits U',  dU += y' dlogits */
    add_product(ALL(d->y), ALL(d->logits), transposed(ALL(w->unembedding)));
    add_product(ALL(g->unembedding), transposed(ALL(a->y)), ALL(d->logits));

    /* 4. dx = dy,  dheads += dy W^O',  dW^O += heads' dy */
    memcpy(d->x, d->y, sizeof d->x);
    add_product(ALL(d->heads), ALL(d->y), transposed(ALL(w->w_o)));
    add_product(ALL(g->w_o), transposed(ALL(a->heads)), ALL(d->y));

    /* 3. attention */
    for (int s = 0; s < MICRO; s++)
        for (int h = 0; h < HEADS; h++)
            attend_backward(a, d, s, h);

    /* 2. dx += dv W^V',  dW^V += x' dv;  and so for keys and queries */
    add_product(ALL(d->x), ALL(d->v), transposed(ALL(w->w_v)));
    add_product(ALL(g->w_v), transposed(ALL(a->x)), ALL(d->v));
    add_product(ALL(d->x), ALL(d->k), transposed(ALL(w->w_k)));
    add_product(ALL(g->w_k), transposed(ALL(a->x)), ALL(d->k));
    add_product(ALL(d->x), ALL(d->q), transposed(ALL(w->w_q)));
    add_product(ALL(g->w_q), transposed(ALL(a->x)), ALL(d->q));

    /* 1. to the rows of the embedding that a token picked */
    for (int t = 0; t < ROWS; t++)
        for (int j = 0, value = token[t].value; j < D; j++) {
            g->embedding[token[t].key][j] += d->x[t][j];
            if (value >= 0)
                g->embedding[SYMBOLS + value][j] += d->x[t][j];
        }
}

/* --- Training --- */

typedef struct Adam {
    Weights mean, square; /* running means of the gradient, of its square */
    double beta1_power, beta2_power; /* how far they still are from means */
} Adam;

/* Kingma and Ba 2014: each weight moves by the mean of its gradient, in units
   of the root of the mean of its square. */
static void
adam_step(Adam *o, Weights *w, const Weights *g)
{
    const double lr = 0.003, beta1 = 0.9, beta2 = 0.999;
    o->beta1_power *= beta1;
    o->beta2_power *= beta2;
    double correction = sqrt(1 - o->beta2_power);
    float rate = (float)(lr * correction / (1 - o->beta1_power));
    float epsilon = (float)(1e-8 * correction); /* no division by 0 */
    for (int i = 0; i < COUNT(w->all); i++) {
        float *m = &o->mean.all[i], *v = &o->square.all[i], d = g->all[i];
        *m = (float)beta1 * *m + (float)(1 - beta1) * d;
        *v = (float)beta2 * *v + (float)(1 - beta2) * d * d;
        w->all[i] -= rate * *m / (sqrtf(*v) + epsilon);
    }
}

typedef struct Score {
    double loss, accuracy;
} Score;

/* Draws a batch and runs it, a micro-batch at a time; where there is a g, adds
   its gradients. The first of the largest logits is the model's answer. */
static Score
run_batch(const Weights *w, Weights *g, Random *r)
{
    static Token batch[BATCH * TOKENS];
    static Activations a, d;
    Score s = {0, 0};
    for (int i = 0; i < BATCH; i++)
        draw_sequence(r, batch + i * TOKENS);
    for (const Token *b = batch; b < batch + BATCH * TOKENS; b += ROWS) {
        s.loss += forward(w, &a, b);
        if (g)
            backward(w, g, &a, &d, b);
        for (int t = 0; t < ROWS; t++) {
            int best = 0;
            for (int j = 1; j < VALUES; j++)
                best = a.logits[t][j] > a.logits[t][best] ? j : best;
            s.accuracy += best == b[t].target ? 1. / COUNTED : 0;
        }
    }
    return s;
}

/* The mean over the first sequences of a stream, the same at every call. */
static Score
evaluate(const Weights *w, uint64_t seed, const char *stream, int sequences)
{
    Random r = random_stream(seed, stream);
    Score mean = {0, 0};
    for (int i = 0; i < sequences; i += BATCH) {
        Score s = run_batch(w, NULL, &r);
        mean.loss += s.loss * BATCH / sequences;
        mean.accuracy += s.accuracy * BATCH / sequences;
    }
    return mean;
}

/* Each step: draw, forward, backward, adam_step. Returns the first one at which
   the last WINDOW batches are 99% right on average; 0 if there is none. */
static int
train(Weights *w, uint64_t seed)
{
    static Weights g;
    static Adam o = {.beta1_power = 1, .beta2_power = 1};
    Random r = random_stream(seed, "training");
    double last[WINDOW] = {0};
    Score since = {0, 0};
    int solved = 0;
    printf("step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy\n");
    for (int step = 1; step <= STEPS; step++) {
        memset(&g, 0, sizeof g);
        Score s = run_batch(w, &g, &r);
        adam_step(&o, w, &g);
        since.loss += s.loss;
        since.accuracy += s.accuracy;
        last[step % WINDOW] = s.accuracy;
        double sum = 0;
        for (int i = 0; i < WINDOW; i++)
            sum += last[i];
        solved = !solved && sum / WINDOW >= 0.99 ? step : solved;
        if (step % LOG_EVERY)
            continue;
        s = evaluate(w, seed, "validation", VALIDATE);
        printf("%d\t%.7g\t%.7g\t%.7g\t%.7g\n", step, since.loss / LOG_EVERY,
               since.accuracy / LOG_EVERY, s.loss, s.accuracy);
        since = (Score){0, 0};
    }
    return solved;
}

int
main(int arguments, char **argument)
{
    static Weights w;
    uint64_t seed = arguments > 1 ? strtoull(argument[1], NULL, 10) : 1;
    initialise(&w, seed);
    int solved = train(&w, seed);
    Score s = evaluate(&w, seed, "test", TEST);
    printf("solved at step %d; test accuracy %.10g, loss %.10g\n", solved,
           s.accuracy, s.loss);
    if (arguments < 3)
        return 0;
    FILE *file = fopen(argument[2], "wb");
    if (file && fwrite(&w, sizeof w, 1, file) && !fclose(file))
        return 0;
    perror(argument[2]);
    return 1;
}
