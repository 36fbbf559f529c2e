/* loop.c CONFIG SECONDS - decoding as one writes it for a single model: plain C
   loops over arrays, no tape, no operators, no variants; tokens a second.

   The manner of llama2.c, and for comparison with it: weights (out x in), a
   product is a dot product for each output, keys and values are kept row by
   row. The model is that of `qkv bench decode`: pre-norm, learned positions, an
   MLP of 4 times the width with GELU, no biases but LayerNorm's. Needs nothing
   of qkv. Built with -O3, and with -Ofast, where a compiler may reorder sums.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct Shape {
    const char *name;
    int vocabulary, d, heads, layers, tokens;
} shapes[] = {{"tiny", 64, 32, 4, 1, 16},
              {"toy", 64, 64, 4, 2, 32},
              {"small", 96, 128, 4, 4, 64},
              {"paper", 1024, 512, 8, 2, 128}};

/* Each layer's matrices one after the other. */
static struct {
    float *embedding, *positions, *unembedding;
    float *wq, *wk, *wv, *wo, *up, *down;
    float *gain1, *bias1, *gain2, *bias2, *gain, *bias;
    float *keys, *values;
    float *x, *normed, *q, *sum, *wide, *scores, *logits;
} m;

static float *
numbers(size_t count)
{
    float *x = malloc(count * sizeof *x);
    if (!x)
        exit(1);
    for (size_t i = 0; i < count; i++)
        x[i] = 0.2f * ((float)rand() / (float)RAND_MAX - 0.5f);
    return x;
}

static void
make_model(const struct Shape *s)
{
    size_t d = (size_t)s->d, l = (size_t)s->layers, v = (size_t)s->vocabulary;
    size_t t = (size_t)s->tokens;
    float **square[] = {&m.wq, &m.wk, &m.wv, &m.wo};
    float **of_layer[] = {&m.gain1, &m.bias1, &m.gain2, &m.bias2};
    float **of_token[] = {&m.gain, &m.bias, &m.x, &m.normed, &m.q, &m.sum};
    for (int i = 0; i < 4; i++) {
        *square[i] = numbers(l * d * d);
        *of_layer[i] = numbers(l * d);
    }
    for (int i = 0; i < 6; i++)
        *of_token[i] = numbers(d);
    m.embedding = numbers(v * d);
    m.positions = numbers(t * d);
    m.unembedding = numbers(v * d);
    m.up = numbers(l * 4 * d * d);
    m.down = numbers(l * 4 * d * d);
    m.keys = numbers(l * t * d);
    m.values = numbers(l * t * d);
    m.wide = numbers(4 * d);
    m.scores = numbers((size_t)s->heads * t);
    m.logits = numbers(v);
}

/* out (rows) = W (rows x cols) x (cols) */
static void
matvec(float *restrict out, const float *restrict x, const float *restrict w,
       int cols, int rows)
{
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int j = 0; j < cols; j++)
            sum += w[i * cols + j] * x[j];
        out[i] = sum;
    }
}

static void
norm(float *out, const float *x, const float *gain, const float *bias, int d)
{
    float mean = 0, square = 0;
    for (int j = 0; j < d; j++)
        mean += x[j];
    mean /= (float)d;
    for (int j = 0; j < d; j++)
        square += (x[j] - mean) * (x[j] - mean);
    float inverse = 1 / sqrtf(square / (float)d + 1e-5f);
    for (int j = 0; j < d; j++)
        out[j] = gain[j] * (x[j] - mean) * inverse + bias[j];
}

static void
softmax(float *x, int n)
{
    float most = x[0], sum = 0;
    for (int j = 1; j < n; j++)
        most = x[j] > most ? x[j] : most;
    for (int j = 0; j < n; j++)
        sum += x[j] = expf(x[j] - most);
    for (int j = 0; j < n; j++)
        x[j] /= sum;
}

/* The sum of values that each head's weights give, for one query. */
static void
attend(const struct Shape *s, const float *keys, const float *values, int seen)
{
    int d = s->d, width = d / s->heads;
    for (int h = 0; h < s->heads; h++) {
        const float *q = m.q + h * width;
        float *p = m.scores + h * s->tokens, *out = m.sum + h * width;
        for (int t = 0; t < seen; t++) {
            const float *k = keys + t * d + h * width;
            float score = 0;
            for (int j = 0; j < width; j++)
                score += q[j] * k[j];
            p[t] = score / sqrtf((float)width);
        }
        softmax(p, seen);
        memset(out, 0, (size_t)width * sizeof *out);
        for (int t = 0; t < seen; t++) {
            const float *v = values + t * d + h * width;
            for (int j = 0; j < width; j++)
                out[j] += p[t] * v[j];
        }
    }
}

static void
add_to(float *x, const float *y, int d)
{
    for (int j = 0; j < d; j++)
        x[j] += y[j];
}

static void
step(const struct Shape *s, int id, int at)
{
    int d = s->d;
    for (int j = 0; j < d; j++)
        m.x[j] = m.embedding[id * d + j] + m.positions[at * d + j];
    for (int l = 0; l < s->layers; l++) {
        float *keys = m.keys + l * s->tokens * d;
        float *values = m.values + l * s->tokens * d;
        norm(m.normed, m.x, m.gain1 + l * d, m.bias1 + l * d, d);
        matvec(m.q, m.normed, m.wq + l * d * d, d, d);
        matvec(keys + at * d, m.normed, m.wk + l * d * d, d, d);
        matvec(values + at * d, m.normed, m.wv + l * d * d, d, d);
        attend(s, keys, values, at + 1);
        matvec(m.normed, m.sum, m.wo + l * d * d, d, d);
        add_to(m.x, m.normed, d);
        norm(m.normed, m.x, m.gain2 + l * d, m.bias2 + l * d, d);
        matvec(m.wide, m.normed, m.up + l * 4 * d * d, d, 4 * d);
        for (int j = 0; j < 4 * d; j++) {
            float u = m.wide[j];
            float c = 0.79788456f * (u + 0.044715f * u * u * u);
            m.wide[j] = 0.5f * u * (1 + tanhf(c));
        }
        matvec(m.normed, m.wide, m.down + l * 4 * d * d, 4 * d, d);
        add_to(m.x, m.normed, d);
    }
    norm(m.normed, m.x, m.gain, m.bias, d);
    matvec(m.logits, m.normed, m.unembedding, d, s->vocabulary);
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int
main(int argc, char **argv)
{
    const struct Shape *s = shapes;
    while (s < shapes + 4 && (argc < 3 || strcmp(s->name, argv[1])))
        s++;
    if (s == shapes + 4) {
        fprintf(stderr, "usage: loop tiny|toy|small|paper SECONDS\n");
        return 2;
    }
    double seconds = atof(argv[2]), passed = 0, kept = 0;
    long tokens = 0;
    make_model(s);
    for (double start = now(); passed < seconds; passed = now() - start)
        for (int t = 0; t < s->tokens; t++, tokens++) {
            step(s, t % s->vocabulary, t);
            kept += (double)m.logits[0];
        }
    printf("%.6g\n", isnan(kept) ? NAN : (double)tokens / passed);
    return 0;
}
