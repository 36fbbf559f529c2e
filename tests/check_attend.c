/* check_attend.c - attention against its formula written out in loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/attend.h>

#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "algebra/cost.h"
#include "gradient.h"
#include "suites.h"

#ifdef QKV_DOUBLE
#define NOISE 1e-13
#else
#define NOISE 2e-5
#endif

typedef struct Case {
    int sequences, tokens, asked, heads, k_heads, v_heads, d_k, d_v, causal;
    double size; /* of queries and keys */
} Case;

static const Case cases[] = {
    {1, 4, 4, 1, 1, 1, 3, 2, 0, 1},
    {2, 5, 5, 2, 2, 2, 3, 4, 1, 1},
    {2, 3, 6, 2, 2, 2, 4, 3, 0, 1},
    {1, 6, 6, 4, 2, 1, 2, 3, 1, 1},
    {3, 4, 4, 6, 3, 2, 1, 1, 0, 1},
    {2, 1, 1, 2, 1, 2, 1, 1, 1, 1},
    {1, 1, 5, 1, 1, 1, 1, 1, 0, 1},
    {2, 7, 7, 2, 1, 1, 5, 5, 1, 30},
    {1, 20, 20, 1, 1, 1, 9, 17, 1, 1},
    {2, 3, 3, 4, 1, 4, 8, 2, 0, 200},
    /* long ones, in strips: below, at and past a strip's end; crossed */
    {1, 64, 64, 1, 1, 1, 1, 1, 1, 1},
    {1, 66, 66, 2, 1, 2, 1, 1, 1, 1},
    {2, 70, 70, 1, 1, 1, 1, 1, 0, 3},
    {1, 97, 97, 1, 1, 1, 1, 1, 1, 200},
    {1, 3, 70, 2, 1, 1, 2, 2, 0, 1},
    {1, 70, 33, 1, 1, 1, 2, 2, 0, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

static real *
numbers(int count, double size, const char *name)
{
    Random r = random_stream(11, name);
    real *x = allocate((size_t)count, sizeof *x);
    for (int i = 0; i < count; i++)
        x[i] = (real)(size * random_normal(&r));
    return x;
}

/* softmax(mask(scale q k')) v of one query row, in double. */
static void
by_hand(const Case *c, const real *q, const real *k, const real *v, int s,
        int h, int i, double scale, double *out)
{
    double weight[128], sum = 0, max = -INFINITY;
    int seen = c->causal ? i + 1 : c->asked;
    const real *qi = q + ((s * c->tokens + i) * c->heads + h) * c->d_k;
    int kh = h / (c->heads / c->k_heads), vh = h / (c->heads / c->v_heads);
    for (int j = 0; j < seen; j++) {
        const real *kj = k + ((s * c->asked + j) * c->k_heads + kh) * c->d_k;
        weight[j] = 0;
        for (int d = 0; d < c->d_k; d++)
            weight[j] += scale * (double)qi[d] * (double)kj[d];
        max = fmax(max, weight[j]);
    }
    for (int j = 0; j < seen; j++)
        sum += weight[j] = exp(weight[j] - max);
    for (int d = 0; d < c->d_v; d++) {
        out[d] = 0;
        for (int j = 0; j < seen; j++)
            out[d] +=
                weight[j] / sum *
                (double)v[((s * c->asked + j) * c->v_heads + vh) * c->d_v + d];
    }
}

typedef struct Graph {
    const Case *of;
    bool three_steps;
} Graph;

static Node *
build(Node **x, void *more)
{
    const Graph *g = more;
    const Case *c = g->of;
    Attention a = {.causal = c->causal};
    Node *q = split(x[0], c->heads), *k = split(x[1], c->k_heads);
    Node *v = split(x[2], c->v_heads);
    double scale = 1 / sqrt(c->d_k);
    if (g->three_steps)
        return apply_weights(&a, softmax(&a, scores(&a, q, k, scale)), v);
    return attend(&a, q, k, v, scale);
}

TESTS(equals_the_formula, CASES)
{
    const Case *c = &cases[_i];
    int q_size = c->sequences * c->tokens * c->heads * c->d_k;
    int k_size = c->sequences * c->asked * c->k_heads * c->d_k;
    int v_size = c->sequences * c->asked * c->v_heads * c->d_v;
    real *q = numbers(q_size, c->size, "q"), *k = numbers(k_size, c->size, "k");
    real *v = numbers(v_size, 1, "v");
    for (int steps = 0; steps < 2; steps++) {
        Graph g = {c, steps};
        Tape *t = tape_new(COMPUTE);
        Node *out = NULL;
        Node *in[] = {leaf(t, c->sequences * c->tokens, c->heads * c->d_k,
                           c->sequences, q, NULL),
                      leaf(t, c->sequences * c->asked, c->k_heads * c->d_k,
                           c->sequences, k, NULL),
                      leaf(t, c->sequences * c->asked, c->v_heads * c->d_v,
                           c->sequences, v, NULL)};
        out = build(in, &g);

        ck_assert_int_eq(out->heads, c->heads);
        for (int s = 0; s < c->sequences; s++)
            for (int i = 0; i < c->tokens; i++)
                for (int h = 0; h < c->heads; h++) {
                    double wanted[64];
                    by_hand(c, q, k, v, s, h, i, 1 / sqrt(c->d_k), wanted);
                    const real *found =
                        out->value +
                        ((s * c->tokens + i) * c->heads + h) * c->d_v;
                    for (int d = 0; d < c->d_v; d++)
                        ck_assert_msg(fabs((double)found[d] - wanted[d]) <
                                          NOISE * (1 + c->size),
                                      "case %d, %d steps: %g, not %g", _i,
                                      steps ? 3 : 1, (double)found[d],
                                      wanted[d]);
                }
        tape_free(t);
    }
    free(q);
    free(k);
    free(v);
}

TESTS(gradients, IN_DOUBLE *CASES)
{
    const Case *c = &cases[_i];
    double size = c->size > 30 ? 2 : c->size; /* flat where it is saturated */
    Leaf leaves[] = {
        {c->sequences * c->tokens, c->heads * c->d_k, c->sequences,
         size > 2 ? 2 : size},
        {c->sequences * c->asked, c->k_heads * c->d_k, c->sequences,
         size > 2 ? 2 : size},
        {c->sequences * c->asked, c->v_heads * c->d_v, c->sequences, 1}};
    for (int steps = 0; steps < (c->asked > 60 ? 1 : 2); steps++) {
        Graph g = {c, steps};
        check_gradient(build, &g, leaves, 3);
    }
}

/* q, k and v from one matrix: three shares of gradient. */
static Node *
build_of_one(Node **x, void *more)
{
    Attention a = {.causal = *(int *)more};
    Node *h = split(x[0], 2);
    return attend(&a, h, h, h, 0.7);
}

static Node *
build_mask_zero(Node **x, void *more)
{
    Attention a = {.causal = *(int *)more};
    return mask_zero(&a, scores(&a, split(x[0], 2), split(x[0], 2), 0.7));
}

/* Two tokens to each side; further ones not at all. */
static double
slope_and_window(const Attention *a, int head, int query, int key)
{
    (void)a;
    int apart = query > key ? query - key : key - query;
    return apart > 2 ? -INFINITY : -(head + 1) * 0.3 * apart;
}

static double
nearness(const Attention *a, int head, int query, int key)
{
    (void)a, (void)head;
    return query == key ? 0 : query > key ? 1 : 2;
}

/* Every step with an operator between; the sink is a weight or none. */
static Node *
build_steps(Node **x, void *more)
{
    Attention a = {.causal = *(int *)more};
    Node *h = split(x[0], 2);
    Node *s = fixed_bias(&a, scores(&a, h, h, 0.7), nearness);
    s = fixed_bias(&a, mix_heads(s, x[2]), slope_and_window);
    return apply_weights(&a, softmax_sink(&a, s, a.causal ? x[1] : NULL), h);
}

TESTS(gradients_of_one_matrix, IN_DOUBLE * 2)
{
    Leaf leaf_of = {8, 6, 2, 1};
    Leaf steps[] = {leaf_of, {1, 2, 1, 1}, {2, 2, 1, 1}};
    check_gradient(build_of_one, &_i, &leaf_of, 1);
    check_gradient(build_mask_zero, &_i, &leaf_of, 1);
    check_gradient(build_steps, &_i, steps, 3);
    steps[0] = (Leaf){1, 2, 1, 1};
    check_gradient(build_steps, &_i, steps, 3);
}

static double
nothing(const Attention *a, int head, int query, int key)
{
    (void)a, (void)head, (void)query, (void)key;
    return 0;
}

/* Masks with another line here and there: blocks, strides, first tokens, a
   query or a key that sees all, documents of several lengths, and islands. */
enum { MASKS = 10, MASKED = 210 };
static int mask;

static double
one_mask(const Attention *a, int head, int query, int key)
{
    int apart = query - key, far = abs(apart);
    bool seen[MASKS] = {far < 5 + head,
                        key / 16 <= query / 16,
                        apart % 7 == 0,
                        apart < 9 && (apart >= 0 || key < 3),
                        far < 3 || query % 50 == 17,
                        far < 3 || key % 50 == 17,
                        query * query / 4000 == key * key / 4000,
                        far < 3 || (query * 31 + key * 17) % 19 == 0,
                        key <= query,
                        far < a->d_model};
    return seen[mask] ? 0 : -INFINITY;
}

/* It looks at some entries, and knows of all. */
TESTS(masked_shares, MASKS)
{
    Attention a = {.d_model = 150};
    Tape *t = tape_new(SHAPES_ONLY);
    mask = _i;
    for (int tokens = 1; tokens <= MASKED; tokens += tokens < 9 ? 1 : 67)
        for (int keys = tokens; keys < tokens + 9; keys += 4) {
            Node *q = split(leaf(t, tokens, 4, UNBATCHED, NULL, NULL), 2);
            Node *k = split(leaf(t, keys, 4, UNBATCHED, NULL, NULL), 2);
            Node *s = fixed_bias(&a, scores(&a, q, k, 1), one_mask);
            double seen = 0;
            for (int i = 0; i < 2 * tokens * keys; i++)
                seen += one_mask(&a, i / keys / tokens, i / keys % tokens,
                                 i % keys) == 0;
            ck_assert_double_eq(unmasked_share(s), seen / (2. * tokens * keys));
        }
    tape_free(t);
}

/* A window without a bias is attention to the keys in it; its sink takes what
   the weights lack of 1; what is masked costs nothing. */
TEST(biases_by_hand)
{
    enum { T = 6, D = 4 };
    real *x = numbers(T * D, 1, "x"), sink[2] = {0, 1};
    Attention a = {0}, late = {.position = 1};
    Tape *t = tape_new(COMPUTE);
    Node *s = NULL, *biased = NULL, *moved = NULL, *p = NULL, *out = NULL;
    Node *n = split(leaf(t, T, D, UNBATCHED, x, NULL), 2);
    s = scores(&a, n, n, 1);
    moved = fixed_bias(&late, s, nearness);
    biased = fixed_bias(&a, s, slope_and_window);
    biased = fixed_bias(&a, biased, nothing); /* masks no more */
    p = softmax_sink(&a, biased, leaf(t, 1, 2, UNBATCHED, sink, NULL));
    out = apply_weights(&a, p, n);

    for (int i = 0; i < T; i++)
        for (int h = 0; h < 2; h++) {
            double all = exp((double)sink[h]), sum = 0;
            for (int j = 0; j < T; j++) {
                int at = (i * 2 + h) * T + j, query = i + 1;
                double b = slope_and_window(&a, h, i, j);
                ck_assert(moved->value[at] == s->value[at] + (query == j  ? 0
                                                              : query > j ? 1
                                                                          : 2));
                all += exp((double)s->value[at] + b);
                sum += (double)p->value[at];
                ck_assert(isfinite(b) || p->value[at] == 0);
            }
            ck_assert_double_eq_tol(sum, 1 - exp((double)sink[h]) / all, 1e-5);
        }
    double flops = node_flops(out, out).forward;
    ck_assert(flops == 2. * 2 * (T * T - 12) * D / 2);
    ck_assert(node_flops(s->in[0], out).forward == flops);
    /* a plugin's operator costs as much again for its one trained operand */
    Node *w = leaf(t, 1, 1, UNBATCHED, x, x);
    Node *own = new_node(&(Operator){"own", NULL, NULL}, 1, 1, &w, 1);
    own->flops = 5;
    ck_assert(node_flops(own, own).backward == 5);
    tape_free(t);
    free(x);
}

/* A later token changes no earlier row, bit for bit. */
TESTS(causal_rows_do_not_see_later_tokens, 2)
{
    enum { D = 4, MOST = 100 };
    int T = _i ? MOST : 6; /* in strips, too */
    real x[MOST * D], before[MOST * D];
    size_t size = (size_t)(T * D) * sizeof *x;
    Attention a = {.causal = 1};
    Tape *t = tape_new(COMPUTE);
    for (int i = 0; i < T * D; i++)
        x[i] = (real)(i * 5 % 7) - 3;
    for (int round = 0; round < 2; round++) {
        tape_reset(t);
        Node *n = leaf(t, T, D, UNBATCHED, x, NULL);
        Node *out = attend(&a, n, n, n, 1);
        if (round == 0) {
            memcpy(before, out->value, size);
            for (int i = 4 * D; i < T * D; i++)
                x[i] += 100;
        } else {
            ck_assert(!memcmp(before, out->value, 4 * D * sizeof *x));
            ck_assert(memcmp(before, out->value, size));
        }
    }
    tape_free(t);
}

ABORTS(misuse, 10)
{
    expect_a_message();
    real x[64] = {0};
    Attention a = {.causal = 1}, open = {0};
    for (int round = 0; round < 2; round++) {
        Tape *t = tape_new(round ? 0 : SHAPES_ONLY);
        Node *n = leaf(t, 4, 6, UNBATCHED, x, NULL),
             *two = leaf(t, 4, 6, 2, x, NULL);
        Node *other = leaf(t, 5, 6, UNBATCHED, x, NULL),
             *thin = leaf(t, 4, 4, UNBATCHED, x, NULL);
        switch (_i) {
            CASE(0, attend(&open, split(n, 2), split(n, 3), split(n, 3), 1));
            CASE(1, attend(&open, n, thin, n, 1));
            CASE(2, attend(&open, n, two, two, 1));
            CASE(3,
                 attend(&a, n, other, other, 1)); /* no order between x and y */
            CASE(4, attend(&open, n, n, other, 1));
            CASE(5, apply_weights(&a, scores(&a, n, n, 1), other));
            CASE(6, softmax(&a, scores(&a, n, other, 1)));
            CASE(7, mask_zero(&a, scores(&a, n, other, 1)));
            /* the key of every query is masked */
            CASE(8, softmax(&open, fixed_bias(&(Attention){.position = 9},
                                              scores(&open, n, n, 1),
                                              slope_and_window)));
            CASE(9, softmax_sink(&open, scores(&open, n, n, 1), n));
        }
    }
}
