/* check_equations.c - every variant against its equation, written down again.

   A gradient can be right and the equation wrong. Here each variant's head is
   computed a second time, in plain loops over small matrices, from the same
   weights: q, k, v and the map to the output, as the papers have them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "algebra/cost.h"
#include "algebra/fit.h"
#include "algebra/canonical.h"
#include "config/find_plugin.h"
#include "suites.h"

#define NEAR (sizeof(real) == 4 ? 2e-5 : 1e-13)
enum { D = 8, H = 4, G = 2, K = 2, V = 3, R = 5, T = 4, ASKED = 7 };

typedef struct M {
    int rows, cols;
    double at[800];
} M;

static M
mul(M a, M b)
{
    M c = {a.rows, b.cols, {0}};
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < b.cols; j++)
            for (int k = 0; k < a.cols; k++)
                c.at[i * c.cols + j] +=
                    a.at[i * a.cols + k] * b.at[k * b.cols + j];
    return c;
}

static M
flip(M a)
{
    M c = {a.cols, a.rows, {0}};
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.cols; j++)
            c.at[i * c.cols + j] = a.at[j * a.cols + i];
    return c;
}

/* The i'th block of `n` columns. */
static M
cols(M a, int i, int n)
{
    M c = {a.rows, n, {0}};
    for (int r = 0; r < a.rows; r++)
        for (int j = 0; j < n; j++)
            c.at[r * n + j] = a.at[r * a.cols + i * n + j];
    return c;
}

static M
rows(M a, int i, int n)
{
    return flip(cols(flip(a), i, n));
}

static M
times(M a, double factor)
{
    for (int i = 0; i < a.rows * a.cols; i++)
        a.at[i] *= factor;
    return a;
}

static M
tanh_each(M a)
{
    for (int i = 0; i < a.rows * a.cols; i++)
        a.at[i] = tanh(a.at[i]);
    return a;
}

static M
softmax_rows(M s)
{
    for (int i = 0; i < s.rows; i++) {
        double sum = 0, *row = s.at + i * s.cols;
        for (int j = 0; j < s.cols; j++)
            sum += row[j] = exp(row[j]);
        for (int j = 0; j < s.cols; j++)
            row[j] /= sum;
    }
    return s;
}

static Weights declared;
static M values[32];

static M
named(const char *name)
{
    for (int n = 0; n < declared.count; n++)
        if (!strcmp(declared.list[n].name, name))
            return values[n];
    ck_abort_msg("no weight %s", name);
    return (M){0};
}
#define W(NAME) named(NAME)

/* One head: out += softmax(scale q k') v o. */
typedef struct Head {
    M q, k, v, o;
    double scale;
} Head;

/* A head that is one expression. */
#define HEAD(NAME, ...)               \
    static Head NAME(int i, M x, M y) \
    {                                 \
        (void)i, (void)x, (void)y;    \
        return __VA_ARGS__;           \
    }

/* Block i of each of four matrices, as the heads of standard are. */
static Head
usual(int i, M x, M y, M w_q, M w_k, M w_v, M w_o)
{
    return (Head){mul(x, cols(w_q, i, K)), mul(y, cols(w_k, i, K)),
                  mul(y, cols(w_v, i, V)), rows(w_o, i, V), 1 / sqrt(K)};
}

HEAD(standard, usual(i, x, y, W("W^Q"), W("W^K"), W("W^V"), W("W^O")))

HEAD(v_from_k,
     usual(i, x, y, W("W^Q"), W("W^K"), mul(W("W^K"), W("W^KV")), W("W^O")))

static Head
per_head(int i, M x, M y)
{
    char q[24], k[24], v[24];
    snprintf(q, sizeof q, "W_%d^Q", i + 1);
    snprintf(k, sizeof k, "W_%d^K", i + 1);
    snprintf(v, sizeof v, "W_%d^V", i + 1);
    return (Head){mul(x, W(q)), mul(y, W(k)), mul(y, W(v)),
                  rows(W("W^O"), i, V), 1 / sqrt(K)};
}

/* W^QKV holds H*K columns for Q, H*K for K, then H*V for V. */
static Head
fused(int i, M x, M y)
{
    M rest = {D, H * V, {0}}, all = W("W^QKV");
    for (int r = 0; r < D; r++)
        for (int c = 0; c < H * V; c++)
            rest.at[r * rest.cols + c] = all.at[r * all.cols + 2 * H * K + c];
    return usual(i, x, y, cols(all, 0, H * K), cols(all, 1, H * K), rest,
                 W("W^O"));
}

HEAD(two_step,
     usual(i, x, y, mul(W("W^Q"), W("W_i^Q")), mul(W("W^K"), W("W_i^K")),
           mul(W("W^V"), W("W_i^V")), W("W^O")))

static Head
two_step_tanh(int i, M x, M y)
{
    Head h = {tanh_each(mul(x, W("W^Q"))), tanh_each(mul(y, W("W^K"))),
              tanh_each(mul(y, W("W^V"))), rows(W("W^O"), i, V), 1 / sqrt(K)};
    h.q = mul(h.q, cols(W("W_i^Q"), i, K));
    h.k = mul(h.k, cols(W("W_i^K"), i, K));
    h.v = mul(h.v, cols(W("W_i^V"), i, V));
    return h;
}

HEAD(full_rank,
     (Head){mul(x, cols(W("W"), i, D)), y, mul(y, cols(W("W^V"), i, V)),
            rows(W("W^O"), i, V), 1 / sqrt(D)})

HEAD(wide,
     (Head){mul(x, cols(W("W^Q"), i, D)), mul(y, cols(W("W^K"), i, D)),
            mul(y, cols(W("W^V"), i, V)), rows(W("W^O"), i, V), 1 / sqrt(D)})

static Head
symmetric(int i, M x, M y)
{
    Head h = usual(i, x, y, W("W^Q"), W("W^K"), W("W^V"), W("W^T"));
    h.o = times(h.o, 1 / sqrt(K));
    return h;
}

/* (V W' / sqrt(d_k)) y are the values, as wide as the model. */
static Head
symmetric_data(int i, M x, M y)
{
    Head h = {mul(x, cols(W("W^Q"), i, K)), mul(y, cols(W("W^K"), i, K)),
              mul(y, cols(W("W^V"), i, V)), rows(W("W^O"), i, D), 1 / sqrt(K)};
    M g = mul(h.v, flip(mul(y, cols(W("W^W"), i, V))));
    h.v = mul(times(g, 1 / sqrt(K)), y);
    return h;
}

static Head
unscaled(int i, M x, M y)
{
    Head h = standard(i, x, y);
    h.scale = 1;
    return h;
}

static Head
scale_outside(int i, M x, M y)
{
    Head h = unscaled(i, x, y);
    h.o = times(h.o, 1 / sqrt(K));
    return h;
}

HEAD(shared_qk, usual(i, x, y, W("W^QK"), W("W^QK"), W("W^V"), W("W^O")))

static Head
identity(int i, M x, M y)
{
    M one = {D, D, {0}};
    for (int d = 0; d < D; d++)
        one.at[d * D + d] = i == 0; /* one head only */
    return (Head){x, y, y, one, 1 / sqrt(D)};
}

HEAD(mqa, (Head){mul(x, cols(W("W^Q"), i, K)), mul(y, W("W^K")),
                 mul(y, W("W^V")), rows(W("W^O"), i, V), 1 / sqrt(K)})

/* Neighbouring heads share: 0 and 1 the first key, 2 and 3 the second. */
static Head
gqa(int i, M x, M y)
{
    int g = i / (H / G);
    return (Head){mul(x, cols(W("W^Q"), i, K)), mul(y, cols(W("W^K"), g, K)),
                  mul(y, cols(W("W^V"), g, V)), rows(W("W^O"), i, V),
                  1 / sqrt(K)};
}

static Head
mla(int i, M x, M y)
{
    M c = W("W^DKV");
    return usual(i, x, y, W("W^Q"), mul(c, W("W^UK")), mul(c, W("W^UV")),
                 W("W^O"));
}

static Head
mla_absorbed(int i, M x, M y)
{
    M c = mul(y, W("W^DKV"));
    return (Head){mul(x, cols(W("W^Q"), i, R)), c, c, rows(W("W^O"), i, R),
                  1 / sqrt(R)};
}

/* x W^Q diag(m_i) (y W^K)' */
static Head
collaborative(int i, M x, M y)
{
    M m = rows(W("M"), i, 1), mixing = {m.cols, m.cols, {0}};
    for (int j = 0; j < m.cols; j++)
        mixing.at[j * m.cols + j] = m.at[j];
    return (Head){mul(mul(x, W("W^Q")), mixing), mul(y, W("W^K")),
                  mul(y, cols(W("W^V"), i, V)), rows(W("W^O"), i, V),
                  1 / sqrt(H * K)};
}

/* One matrix for keys and values, each as wide as a key. */
static Head
shared(int i, M x, M y, M w_q, M w_kv)
{
    M kv = mul(y, cols(w_kv, i, K));
    return (Head){mul(x, cols(w_q, i, K)), kv, kv, rows(W("W^O"), i, K),
                  1 / sqrt(K)};
}

HEAD(shared_kv, shared(i, x, y, W("W^Q"), W("W^KV")))

HEAD(shared_qkv, shared(i, x, y, W("W"), W("W")))

static M
identity_matrix(void)
{
    M one = {D, D, {0}};
    for (int d = 0; d < D; d++)
        one.at[d * (D + 1)] = 1;
    return one;
}

HEAD(no_wq, (Head){cols(x, i, D / H), mul(y, cols(W("W^K"), i, D / H)),
                   mul(y, cols(W("W^V"), i, V)), rows(W("W^O"), i, V),
                   1 / sqrt((double)D / H)})

HEAD(no_wv_wo,
     (Head){mul(x, cols(W("W^Q"), i, K)), mul(y, cols(W("W^K"), i, K)),
            cols(y, i, D / H), rows(identity_matrix(), i, D / H), 1 / sqrt(K)})

/* What a head adds to the output. */
static M
of_head(Head h)
{
    M s = softmax_rows(times(mul(h.q, flip(h.k)), h.scale));
    return mul(mul(s, h.v), h.o);
}

/* (x W^Q (y W^K)' / sqrt(d_k)) y W^V W^O: no softmax */
static M
linear(int i, M x, M y)
{
    Head h = standard(i, x, y);
    return mul(mul(times(mul(h.q, flip(h.k)), h.scale), h.v), h.o);
}

/* softmax(...) v . sigmoid(x W^G), before W^O */
static M
gated(int i, M x, M y)
{
    Head h = standard(i, x, y);
    M o = h.o, gate = mul(x, cols(W("W^G"), i, V));
    h.o = rows(cols(identity_matrix(), 0, V), 0, V);
    M out = of_head(h);
    for (int e = 0; e < T * V; e++)
        out.at[e] /= 1 + exp(-gate.at[e]);
    return mul(out, o);
}

/* Each row over the root of its mean square and eps, its columns times g. */
static M
normalised(M a, double eps, M g)
{
    for (int i = 0; i < a.rows; i++) {
        double sum = 0, *row = a.at + i * a.cols;
        for (int j = 0; j < a.cols; j++)
            sum += row[j] * row[j] / a.cols;
        for (int j = 0; j < a.cols; j++)
            row[j] *= g.at[j] / sqrt(sum + eps);
    }
    return a;
}

/* a + factor b; a b of one row is added to every row. */
static M
plus(M a, M b, double factor)
{
    for (int i = 0; i < a.rows * a.cols; i++)
        a.at[i] += factor * b.at[b.rows == 1 ? i % a.cols : i];
    return a;
}

static M
qk_norm(int i, M x, M y)
{
    Head h = standard(i, x, y);
    h.q = normalised(h.q, 1e-6, W("g^Q"));
    h.k = normalised(h.k, 1e-6, W("g^K"));
    return of_head(h);
}

static M
gqa_qk_norm(int i, M x, M y)
{
    Head h = gqa(i, x, y);
    h.q = normalised(h.q, 1e-6, W("g^Q"));
    h.k = normalised(h.k, 1e-6, W("g^K"));
    return of_head(h);
}

/* b^O is added once, not by every head. */
static M
biased(int i, M x, M y)
{
    Head h = standard(i, x, y);
    h.q = plus(h.q, cols(W("b^Q"), i, K), 1);
    h.k = plus(h.k, cols(W("b^K"), i, K), 1);
    h.v = plus(h.v, cols(W("b^V"), i, V), 1);
    return plus(of_head(h), W("b^O"), i == 0);
}

/* Head i: weights sum_j P^W_ji softmax(sum_l P^L_lj s_l). */
static M
talking_heads(int i, M x, M y)
{
    Head own = standard(i, x, y);
    M p_l = W("P^L"), p_w = W("P^W"), weights = {T, ASKED, {0}};
    for (int j = 0; j < H; j++) {
        M s = {T, ASKED, {0}};
        for (int l = 0; l < H; l++) {
            Head h = standard(l, x, y);
            s = plus(s, mul(h.q, flip(h.k)), h.scale * p_l.at[l * H + j]);
        }
        weights = plus(weights, softmax_rows(s), p_w.at[j * H + i]);
    }
    return mul(mul(weights, own.v), own.o);
}

/* The same, head by head of the softmax: M_j = sum_l P^L_lj W_l^Q W_l^K' and
   N_j = sum_i P^W_ji W_i^V W_i^O. */
static Head
talking_head(int j, M x, M y)
{
    Head all = {{x.rows, D, {0}}, y, {y.rows, D, {0}}, identity_matrix(), 0};
    M p_l = W("P^L"), p_w = W("P^W");
    for (int i = 0; i < H; i++) {
        Head h = standard(i, x, y), own = standard(i, x, identity_matrix());
        all.q = plus(all.q, mul(h.q, flip(own.k)), p_l.at[i * H + j]);
        all.v = plus(all.v, mul(h.v, h.o), p_w.at[j * H + i]);
        all.scale = h.scale;
    }
    return all;
}

/* In the first layer, where lambda starts at 0.8 - 0.6. */
static M
differential(int i, M x, M y)
{
    double lambda = exp(mul(W("l_1"), flip(W("l_2"))).at[0]) -
                    exp(mul(W("l_3"), flip(W("l_4"))).at[0]) + 0.2;
    M p[2], v = mul(y, cols(W("W^V"), i, V));
    for (int j = 0; j < 2; j++) {
        M q = mul(x, cols(W("W^Q"), 2 * i + j, K));
        M k = mul(y, cols(W("W^K"), 2 * i + j, K));
        p[j] = softmax_rows(times(mul(q, flip(k)), 1 / sqrt(K)));
    }
    M out = normalised(mul(plus(p[0], p[1], -lambda), v), 1e-5, W("g^N"));
    return mul(times(out, 1 - 0.2), rows(W("W^O"), i, V));
}

HEAD(mfa, (Head){mul(mul(x, W("S^Q")), cols(W("Q"), i, R)), mul(y, W("S^K")),
                 mul(y, W("S^V")), rows(W("W^O"), i, R), 1 / sqrt(R)})

/* Its settings unless they are given: window=4, rank=2 query-rank=6,
   query-latent=24 rope=4. */
enum { WINDOW = 4, RANK = 2, QUERY_RANK = 6, ROPE = 4 };

static M
windowed(int i, M x, M y)
{
    Head h = standard(i, x, y);
    M s = times(mul(h.q, flip(h.k)), h.scale);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < ASKED; j++)
            if (j <= t - WINDOW || j >= t + WINDOW)
                s.at[t * ASKED + j] = -1e300;
    return mul(mul(softmax_rows(s), h.v), h.o);
}

/* One score more in the sum: the last column, dropped again. */
static M
sink(int i, M x, M y)
{
    Head h = standard(i, x, y);
    M s = times(mul(h.q, flip(h.k)), h.scale), more = {T, ASKED + 1, {0}};
    for (int t = 0; t < T; t++)
        for (int j = 0; j <= ASKED; j++)
            more.at[t * (ASKED + 1) + j] =
                j < ASKED ? s.at[t * ASKED + j] : W("b").at[i];
    more = softmax_rows(more);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < ASKED; j++)
            s.at[t * ASKED + j] = more.at[t * (ASKED + 1) + j];
    return mul(mul(s, h.v), h.o);
}

/* Of each token: sum_r A_ri B_r / rank. */
static M
outer(M x, const char *a_name, const char *b_name, int i, int rank)
{
    M a = mul(x, W(a_name)), b = mul(x, W(b_name));
    int width = b.cols / rank;
    M c = {x.rows, width, {0}};
    for (int t = 0; t < x.rows; t++)
        for (int r = 0; r < rank; r++)
            for (int j = 0; j < width; j++)
                c.at[t * width + j] += a.at[t * a.cols + r * H + i] *
                                       b.at[t * b.cols + r * width + j] / rank;
    return c;
}

static M
tpa(int i, M x, M y)
{
    return of_head((Head){
        outer(x, "A^Q", "B^Q", i, QUERY_RANK), outer(y, "A^K", "B^K", i, RANK),
        outer(y, "A^V", "B^V", i, RANK), rows(W("W^O"), i, V), 1 / sqrt(K)});
}

/* Columns 2j, 2j + 1 of row t turned by t 10000^(-2j / width). */
static M
rotated(M a)
{
    for (int t = 0; t < a.rows; t++)
        for (int j = 0; j < a.cols; j += 2) {
            double *at = a.at + t * a.cols + j, u = at[0], v = at[1];
            double angle = t * pow(10000, -(double)j / a.cols);
            at[0] = u * cos(angle) - v * sin(angle);
            at[1] = u * sin(angle) + v * cos(angle);
        }
    return a;
}

/* Equations 14 to 18 of DeepSeek-V2: the scores are a sum of two. */
static M
mla_rope(int i, M x, M y)
{
    M c = normalised(mul(y, W("W^DKV")), 1e-6, W("g^KV"));
    M of_q = normalised(mul(x, W("W^DQ")), 1e-6, W("g^Q"));
    M q = mul(of_q, cols(W("W^UQ"), i, K)), k = mul(c, cols(W("W^UK"), i, K));
    M q_r = rotated(mul(of_q, cols(W("W^QR"), i, ROPE)));
    M k_r = rotated(mul(y, W("W^KR"))), v = mul(c, cols(W("W^UV"), i, V));
    M s = plus(mul(q, flip(k)), mul(q_r, flip(k_r)), 1);
    return mul(mul(softmax_rows(times(s, 1 / sqrt(K + ROPE))), v),
               rows(W("W^O"), i, V));
}

/* Row t is factor_1 of row t and factor_2 of the one before it. */
static M
mixed(M a, double own, double before)
{
    M c = times(a, own);
    for (int e = a.cols; e < a.rows * a.cols; e++)
        c.at[e] += before * a.at[e - a.cols];
    return c;
}

static M
kv_shift(int i, M x, M y)
{
    Head h = standard(i, x, y);
    h.k = mixed(h.k, W("alpha_1").at[i], W("alpha_2").at[i]);
    h.v = mixed(h.v, W("beta_1").at[i], W("beta_2").at[i]);
    return of_head(h);
}

/* (x + LN(gelu(rms(x) W_1) W_2)) / 2, LN with a gain alone. */
static M
nonlinear_query(int i, M x, M y)
{
    Head h = no_wq(i, x, y);
    M ones = {1, D, {1, 1, 1, 1, 1, 1, 1, 1}};
    M f = mul(normalised(x, 1e-5, ones), W("W_1^Q"));
    for (int e = 0; e < f.rows * f.cols; e++) {
        double u = f.at[e], t = sqrt(2 / acos(-1)) * (u + 0.044715 * u * u * u);
        f.at[e] = u / 2 * (1 + tanh(t));
    }
    f = mul(f, W("W_2^Q"));
    M sums = mul(f, flip(ones));
    for (int e = 0; e < f.rows * f.cols; e++)
        f.at[e] -= sums.at[e / D] / D;
    f = plus(x, normalised(f, 1e-5, W("g^Q")), 1);
    h.q = times(cols(f, i, D / H), 0.5);
    return of_head(h);
}

/* A variant whose heads are softmax(scale q k') v o; or if not only that, what
   head i adds to the output. */
static const struct {
    const char *name;
    Head (*head)(int i, M x, M y);
    M (*adds)(int i, M x, M y);
} formulas[] = {
    {"standard", .head = standard},
    {"per-head", .head = per_head},
    {"fused", .head = fused},
    {"two-step", .head = two_step},
    {"two-step-tanh", .head = two_step_tanh},
    {"two-step-narrow", .head = two_step},
    {"full-rank", .head = full_rank},
    {"wide", .head = wide},
    {"symmetric", .head = symmetric},
    {"symmetric-data", .head = symmetric_data},
    {"unscaled", .head = unscaled},
    {"scale-outside", .head = scale_outside},
    {"shared-qk", .head = shared_qk},
    {"identity", .head = identity},
    {"mqa", .head = mqa},
    {"gqa", .head = gqa},
    {"mla", .head = mla},
    {"mla-absorbed", .head = mla_absorbed},
    {"collaborative", .head = collaborative},
    {"shared-kv", .head = shared_kv},
    {"shared-qkv", .head = shared_qkv},
    {"no-wq", .head = no_wq},
    {"no-wv-wo", .head = no_wv_wo},
    {"linear", .adds = linear},
    {"gated", .adds = gated},
    {"qk-norm", .adds = qk_norm},
    {"gqa-qk-norm", .adds = gqa_qk_norm},
    {"biased", .adds = biased},
    {"talking-heads", .head = talking_head, .adds = talking_heads},
    {"differential", .adds = differential},
    {"mfa", .head = mfa},
    {"window", .head = standard, .adds = windowed},
    {"sink", .head = standard, .adds = sink},
    {"tpa", .adds = tpa},
    {"mla-rope", .adds = mla_rope},
    {"value-residual", .head = standard}, /* which is its first layer */
    {"kv-shift", .adds = kv_shift},
    {"nonlinear-query", .adds = nonlinear_query},
    {"v-from-k", .head = v_from_k},
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

static M
drawn(int height, int width, double size, Random *r)
{
    M m = {height, width, {0}};
    for (int i = 0; i < height * width; i++)
        m.at[i] = (double)(real)(size * random_normal(r));
    return m;
}

static real *
copied(const M *m)
{
    real *x = allocate((size_t)(m->rows * m->cols), sizeof *x);
    for (int i = 0; i < m->rows * m->cols; i++)
        x[i] = (real)m->at[i];
    return x;
}

/* What the plugin makes of x and y. */
static M
run_plugin(const Variant *v, Attention a, M x, M y)
{
    real *x_at = copied(&x), *y_at = copied(&y), *at[32];
    M out = {T, D, {0}};
    Tape *t = tape_new(COMPUTE);
    for (int i = 0; i < declared.count; i++)
        at[i] = copied(&values[i]);
    Node *weight[32], *xn = leaf(t, T, D, UNBATCHED, x_at, NULL);
    Node *yn = leaf(t, ASKED, D, UNBATCHED, y_at, NULL);
    for (int i = 0; i < declared.count; i++)
        weight[i] =
            leaf(t, values[i].rows, values[i].cols, UNBATCHED, at[i], NULL);
    Node *n = plugin_forward(v, &a, xn, yn, weight);
    for (int i = 0; i < T * D; i++)
        out.at[i] = (double)n->value[i];

    tape_free(t);
    for (int i = 0; i < declared.count; i++)
        free(at[i]);
    free(x_at);
    free(y_at);
    return out;
}

TESTS(variants_equal_their_equations, FORMULAS)
{
    Attention a = {SHAPE(D, H, K, V), .kv_heads = G, .latent = R};
    Plugin p = plugin_open(formulas[_i].name);
    a.settings = p.variant->settings;
    Random r = random_stream(17, "formulas");
    declared = weights_declared(p.variant, &a);
    for (int i = 0; i < declared.count; i++)
        values[i] =
            drawn(declared.list[i].rows, declared.list[i].cols, 0.5, &r);
    M x = drawn(T, D, 1, &r), y = drawn(ASKED, D, 1, &r), wanted = {T, D, {0}};
    for (int i = 0; i < H; i++) {
        M out = formulas[_i].adds ? formulas[_i].adds(i, x, y)
                                  : of_head(formulas[_i].head(i, x, y));
        for (int n = 0; n < T * D; n++)
            wanted.at[n] += out.at[n];
    }
    M found = run_plugin(p.variant, a, x, y);
    for (int n = 0; n < T * D; n++)
        ck_assert_msg(fabs(found.at[n] - wanted.at[n]) < NEAR,
                      "%s, entry %d: %g, not %g", formulas[_i].name, n,
                      found.at[n], wanted.at[n]);
    free(declared.list);
}

/* The matrices that are declared, with these values. */
static Weights
filled(Weights *w, real *at[])
{
    for (int i = 0; i < w->count; i++)
        w->list[i].value = at[i];
    return *w;
}

/* The canonical form that the probe finds is that of the equation, proved on
   its own: M_i and N_i are what the head makes of identity matrices. */
TESTS(probe_finds_the_equation, FORMULAS)
{
    Attention a = {SHAPE(D, H, K, V), .kv_heads = G, .latent = R, .causal = 1};
    const char *name = formulas[_i].name;
    Plugin p = plugin_open(name);
    a.settings = p.variant->settings;
    Random r = random_stream(17, "formulas");
    M one = identity_matrix();
    real *at[32];
    declared = weights_declared(p.variant, &a);
    for (int i = 0; i < declared.count; i++) {
        values[i] =
            drawn(declared.list[i].rows, declared.list[i].cols, 0.5, &r);
        at[i] = copied(&values[i]);
    }
    Canonical c = canonical_form(p.variant, a, filled(&declared, at), 64);
    bool has = !strcmp(name, "biased") ||
               (formulas[_i].head && strcmp(name, "two-step-tanh") &&
                strcmp(name, "symmetric-data"));
    ck_assert_msg((c.m != NULL) == has, "%s: %s", name, c.why);
    ck_assert((c.why == NULL) == has);
    if (!strcmp(name, "two-step-tanh"))
        ck_assert(c.deviation > 0.01 && strstr(c.why, "linear"));
    ck_assert(!has || c.heads == (strcmp(name, "identity") ? H : 1));
    for (int i = 0; i < c.heads && c.m && formulas[_i].head; i++) {
        Head h = formulas[_i].head(i, one, one);
        M m = mul(h.q, flip(h.k)), n = mul(h.v, h.o);
        for (int e = 0; e < D * D; e++) {
            double s_m = c.m[i * c.size + e];
            ck_assert(fabs(s_m - h.scale * m.at[e]) < NEAR);
            ck_assert(fabs(c.n[i * c.size + e] - n.at[e]) < NEAR);
        }
    }
    canonical_free(&c);
    for (int i = 0; i < declared.count; i++)
        free(at[i]);
    free(declared.list);
}

static const Attention small = {SHAPE(D, H, K, V), .kv_heads = G, .latent = R};

/* Room for the matrices of w; numbers that a model might start with if r. */
static void
make_weights(const Weights *w, real **at, Random *r)
{
    for (int i = 0; i < w->count; i++) {
        int size = w->list[i].rows * w->list[i].cols;
        at[i] = allocate((size_t)size, sizeof(real));
        for (int k = 0; r && k < size; k++)
            at[i][k] = (real)(random_normal(r) / sqrt(w->list[i].rows));
    }
}

/* How far what the variant computes is from a form that it has fitted. */
static double
adopted_apart(const char *name, const Canonical *given)
{
    Plugin p = plugin_open(name);
    Attention a = small;
    a.settings = p.variant->settings;
    Weights w = weights_declared(p.variant, &a);
    real *at[32];
    make_weights(&w, at, NULL);
    bool can = !fit(p.variant, &a, filled(&w, at), given);
    ck_assert(can == (p.variant->fit != NULL));
    double apart = INFINITY;
    if (can) {
        Canonical c = canonical_form(p.variant, a, filled(&w, at), 64);
        ck_assert_msg(c.m != NULL, "%s: %s", name, c.why);
        apart = fit_error(&c, given).apart;
        canonical_free(&c);
    }
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
    return apart;
}

/* Any form of heads of rank 2 is fitted exactly by what has a pair of matrices
   for each head, or more. */
TESTS(adopting_any_form, FORMULAS)
{
    static const char *const shared[] = {
        "mqa", "gqa", "mla", "mla-absorbed", "shared-qk", "no-wv-wo"};
    Canonical given = {.d_model = D, .positions = 64};
    canonical_allocate(&given, H);
    Random r = random_stream(23, "forms");
    for (int h = 0; h < H; h++) {
        M w_m = mul(drawn(D, K, 0.3 * (h + 1), &r), drawn(K, D, 1, &r));
        M w_n = mul(drawn(D, V, 1, &r), drawn(V, D, 1, &r));
        memcpy(given.m + h * given.size, w_m.at, D * D * sizeof *given.m);
        memcpy(given.n + h * given.size, w_n.at, D * D * sizeof *given.n);
    }
    ck_assert(fit_error(&given, &given).apart == 0);
    const char *name = formulas[_i].name;
    double apart = adopted_apart(name, &given);
    bool free_of_others = true;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        free_of_others &= strcmp(name, shared[i]) != 0;
    if (plugin_open(name).variant->fit)
        ck_assert_msg((apart < (sizeof(real) == 4 ? 1e-5 : 1e-12)) ==
                          free_of_others,
                      "%s: %g", name, apart);
    canonical_free(&given);
}

/* What it computes already, every variant that can fit takes over whole:
   those with shared matrices find them again. Not so collaborative, which gives
   each head columns of its own, and talking heads, which no longer talk. */
TESTS(adopting_its_own_form, FORMULAS)
{
    Plugin p = plugin_open(formulas[_i].name);
    Attention a = small;
    a.settings = p.variant->settings;
    Weights w = weights_declared(p.variant, &a);
    Random r = random_stream(29, "forms");
    real *at[32];
    make_weights(&w, at, &r);
    Canonical own = canonical_form(p.variant, a, filled(&w, at), 64);
    bool all = strcmp(formulas[_i].name, "collaborative") != 0 &&
               strcmp(formulas[_i].name, "talking-heads") != 0;
    if (p.variant->fit && all) {
        double apart = adopted_apart(formulas[_i].name, &own);
        ck_assert_msg(apart < (sizeof(real) == 4 ? 1e-4 : 1e-11), "%s: %g",
                      formulas[_i].name, apart);
    }
    canonical_free(&own);
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}

/* Too narrow for a form of full rank: the nearest one, whose error is the first
   singular value that is left out, and not what it could be by chance. */
TEST(adopting_what_is_too_wide)
{
    Attention a = {SHAPE(D, 1, K, D)};
    Canonical given = {.d_model = D};
    const double spectrum[D] = {6, 5, 0.5, 0.25, 0.125, 0};
    canonical_allocate(&given, 1);
    for (int i = 0; i < D; i++) {
        given.m[i * D + (i + 1) % D] = spectrum[i];
        given.n[i * D + i] = 1;
    }
    Plugin p = plugin_open("standard");
    Weights w = weights_declared(p.variant, &a);
    real *at[4];
    for (int i = 0; i < w.count; i++)
        at[i] =
            allocate((size_t)(w.list[i].rows * w.list[i].cols), sizeof(real));
    ck_assert(!fit(p.variant, &a, filled(&w, at), &given));
    Canonical c = canonical_form(p.variant, a, filled(&w, at), 64);
    FitError f = fit_error(&c, &given);
    double all = sqrt(36 + 25 + 0.25 + 0.0625 + 0.015625);
    ck_assert(fabs(f.apart - 0.5 / 6) < 1e-6);
    ck_assert(fabs(f.m.lost - sqrt(0.25 + 0.0625 + 0.015625) / all) < 1e-6);
    ck_assert(f.m.rank_wanted == 5 && f.m.rank_found == 2 && f.n.lost < 1e-6);
    Canonical none =
        given; /* N = 0, which this one is not: all of it is wrong */
    none.n = allocate((size_t)given.size, sizeof *none.n);
    ck_assert(fit_error(&given, &none).n.lost == 1);
    ck_assert(fit_error(&none, &none).n.lost == 0);
    free(none.n);
    given.heads = 2; /* more heads than the variant has */
    ck_assert(fit(p.variant, &a, filled(&w, at), &given));
    canonical_free(&c);
    given.heads = 1;
    canonical_free(&given);
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}

/* A bias of keys is no part of the form, a bias of queries is the last row of
   M, and the biases of values and of the output are one constant: of two models
   that differ in that alone, the form is the same. */
TEST(biases_have_a_form)
{
    enum { B_K = 5, B_V, B_O };
    Variant v = *plugin_open("biased").variant;
    Attention a = {SHAPE(D, H, K, V)};
    Weights w = weights_declared(&v, &a);
    Random r = random_stream(37, "forms");
    real *at[8];
    make_weights(&w, at, &r);
    Canonical one = canonical_form(&v, a, filled(&w, at), 9);
    ck_assert_msg(one.m && !one.bias && one.positions == 9, "%s", one.why);
    for (int j = 0; j < D; j++) {
        double sum = (double)at[B_O][j];
        for (int k = 0; k < H * V; k++)
            sum += (double)at[B_V][k] * (double)at[3][k * D + j];
        ck_assert(fabs(one.constant[j] - sum) < NEAR);
        sum = 0;
        for (int k = 0; k < K; k++)
            sum += (double)at[4][K + k] * (double)at[1][j * H * K + K + k];
        ck_assert(fabs(one.m[one.size + D * D + j] - sum / sqrt(K)) < NEAR);
        at[B_O][j] = (real)one.constant[j];
    }
    for (int k = 0; k < H * K; k++)
        at[B_K][k] += 1;
    memset(at[B_V], 0, H * V * sizeof(real));
    Canonical other = canonical_form(&v, a, filled(&w, at), 9);
    ck_assert(fit_error(&other, &one).apart < NEAR);
    at[B_O][0] += 1;
    canonical_free(&other);
    other = canonical_form(&v, a, filled(&w, at), 9);
    ck_assert(fit_error(&other, &one).apart > 0.01);
    canonical_free(&one);
    canonical_free(&other);
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}

/* Weights that sum to less than 1 do not carry a bias of values whole, so that
   it stays the last row of N. */
static void
sink_weights(Weights *w, const Attention *a)
{
    weight(w, 0, "W", a->d_model, a->d_model);
    weight(w, 1, "b", 1, a->d_model);
}

static Node *
sink_forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *s = scores(a, matmul(x, w[0]), y, 0.5);
    Node *p = softmax_sink(a, s, columns(w[1], 0, 1));
    return add(apply_weights(a, p, add(y, w[1])), w[1]);
}

TEST(sinks_keep_a_bias)
{
    Variant v = {
        .abi = QKV_ABI, .weights = sink_weights, .forward = sink_forward};
    Attention a = {.d_model = D, .heads = 1};
    Weights w = weights_declared(&v, &a);
    Random r = random_stream(38, "forms");
    real *at[2];
    make_weights(&w, at, &r);
    Canonical c = canonical_form(&v, a, filled(&w, at), 9);
    ck_assert_msg(c.m && c.sink[0] == (double)at[1][0], "%s", c.why);
    for (int j = 0; j < D; j++) {
        ck_assert(fabs(c.n[D * D + j] - (double)at[1][j]) < NEAR);
        ck_assert(fabs(c.constant[j] - (double)at[1][j]) < NEAR);
    }
    canonical_free(&c);
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}

static bool last_first; /* the order in which two_calls makes its nodes */

static void
two_weights(Weights *w, const Attention *a)
{
    weight(w, 0, "A", a->d_model, a->d_model);
    weight(w, 1, "B", a->d_model, a->d_model);
}

/* attend(x A, y, y) + attend(x B, y, y), its operands made in either order */
static Node *
two_calls(Attention *a, Node *x, Node *y, Node **w)
{
    Node *made[2];
    for (int i = 0; i < 2; i++) {
        int k = last_first ? 1 - i : i;
        made[k] = attend(a, matmul(x, w[k]), y, y, 1);
    }
    return add(made[0], made[1]);
}

/* Heads are numbered by the equation, whichever of them C makes first. */
TEST(calls_in_any_order)
{
    Variant v = {.abi = QKV_ABI, .weights = two_weights, .forward = two_calls};
    Attention a = {.d_model = D, .heads = 1};
    Weights w = weights_declared(&v, &a);
    Random r = random_stream(31, "forms");
    real *at[2];
    make_weights(&w, at, &r);
    last_first = false;
    Canonical one = canonical_form(&v, a, filled(&w, at), 64);
    last_first = true;
    Canonical other = canonical_form(&v, a, filled(&w, at), 64);
    size_t size = 2 * D * D * sizeof *one.m;
    ck_assert(one.heads == 2 && other.heads == 2);
    ck_assert(!memcmp(one.m, other.m, size));
    ck_assert(!memcmp(one.n, other.n, size));
    for (int i = 0; i < D * D; i++)
        ck_assert(fabs(one.m[i] - (double)at[0][i]) < 1e-5);
    canonical_free(&one);
    canonical_free(&other);
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}

static bool shifts_keys; /* else values */

static Node *
shifted_forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *k = matmul(y, w[0]), *v = matmul(y, w[1]);
    return shifts_keys ? attend(a, x, shift(k, 1), v, 0.5)
                       : attend(a, x, k, shift(v, 1), 0.5);
}

/* Keys, or values, that are of another token: then there is no form. */
TEST(of_other_tokens)
{
    Variant v = {
        .abi = QKV_ABI, .weights = two_weights, .forward = shifted_forward};
    Attention a = {.d_model = D, .heads = 1};
    Weights w = weights_declared(&v, &a);
    Random r = random_stream(32, "forms");
    real *at[2];
    make_weights(&w, at, &r);
    for (int i = 0; i < 2; i++) {
        shifts_keys = i;
        Canonical c = canonical_form(&v, a, filled(&w, at), 64);
        ck_assert_msg(!c.m && strstr(c.why, "not linear"), "%s", c.why);
        canonical_free(&c);
    }
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}

static int stepped; /* how stepped_forward goes about it */

static void
stepped_weights(Weights *w, const Attention *a)
{
    weight_each(w, 0, 4, "W_i", a->d_model, a->d_model);
    weight_each(w, 4, 2, "mix_i", 2, 2);
    weight(w, 6, "sink", 1, 2);
}

static double
near_or_far(const Attention *a, int head, int query, int key)
{
    (void)a;
    return (head + 1) * (query == key ? 0.25 : query > key ? 0.5 : 1);
}

static double
window(const Attention *a, int head, int query, int key)
{
    (void)a;
    return head && query > key + 3 ? -INFINITY : 0;
}

static Node *
stepped_forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[0]), 2), *k = split(matmul(y, w[1]), 2);
    Node *v = split(matmul(y, w[2]), 2), *p;
    if (stepped == 0)
        return matmul(attend(a, q, k, v, 0.5), w[3]);
    p = scores(a, q, k, 0.5);
    if (stepped == 1)
        p = softmax(a, p);
    else if (stepped == 2) { /* talking heads, two biases, a sink */
        p = fixed_bias(a, mix_heads(p, w[4]), near_or_far);
        p = mix_heads(softmax_sink(a, fixed_bias(a, p, window), w[6]), w[5]);
    } else if (stepped == 4) { /* a window, and no linear queries */
        p = scores(a, tanh_of(scale(q, 4)), k, 0.5);
        p = softmax(a, fixed_bias(a, p, window));
    } else /* the difference of two softmaxes */
        p = add(softmax(a, p), scale(softmax(a, scores(a, q, k, 0.25)), -2));
    return matmul(apply_weights(a, p, v), w[3]);
}

/* The form of what scores, softmax and apply_weights compute is that of attend;
   mixed heads, of which the form has the mixtures; biases and sinks. */
TEST(steps_have_a_form)
{
    enum { SIZE = D * D + D };
    Variant v = {
        .abi = QKV_ABI, .weights = stepped_weights, .forward = stepped_forward};
    Attention a = {.d_model = D, .heads = 2, .causal = 1};
    Weights w = weights_declared(&v, &a);
    Random r = random_stream(33, "forms");
    real *at[7];
    make_weights(&w, at, &r);
    stepped = 0;
    Canonical whole = canonical_form(&v, a, filled(&w, at), 64);
    stepped = 1;
    Canonical steps = canonical_form(&v, a, filled(&w, at), 64);
    ck_assert(whole.heads == 2 && steps.heads == 2 && !steps.bias);
    ck_assert(!memcmp(whole.m, steps.m, 2 * SIZE * sizeof *whole.m));
    ck_assert(!memcmp(whole.n, steps.n, 2 * SIZE * sizeof *whole.n));
    stepped = 2;
    Canonical mixed = canonical_form(&v, a, filled(&w, at), 64);
    ck_assert_msg(mixed.heads == 2 && mixed.bias, "%s", mixed.why);
    ck_assert(!equal_biases(&whole, &mixed) && equal_biases(&whole, &steps));
    ck_assert(equal_biases(&mixed, &mixed));
    for (int h = 0; h < 2; h++) {
        double *b = mixed.bias + h * 64 * 64;
        ck_assert(mixed.sink[h] == (double)at[6][h] && b[1] == h + 1);
        ck_assert(b[0] == (h + 1) * 0.25);
        ck_assert((isinf(b[9 * 64]) != 0) == h);
        for (int i = 0; i < SIZE; i++) {
            double m = 0, n = 0;
            for (int k = 0; k < 2; k++) {
                m += (double)at[4][2 * k + h] * whole.m[k * SIZE + i];
                n += (double)at[5][2 * h + k] * whole.n[k * SIZE + i];
            }
            ck_assert(fabs(mixed.m[h * SIZE + i] - m) < 1e-5);
            ck_assert(fabs(mixed.n[h * SIZE + i] - n) < 1e-5);
        }
    }
    stepped = 3;
    Canonical other = canonical_form(&v, a, filled(&w, at), 64);
    ck_assert_msg(other.heads == 4 && !other.bias, "%s", other.why);
    for (int i = 0; i < 2 * SIZE; i++) {
        int first = fabs(other.m[0] - whole.m[0]) < 1e-6 ? 0 : 2 * SIZE;
        ck_assert(fabs(other.n[i + first] - whole.n[i]) < 1e-6);
        ck_assert(fabs(other.n[i + 2 * SIZE - first] + 2 * whole.n[i]) < 1e-6);
    }
    stepped = 4;
    Canonical bent = canonical_form(&v, a, filled(&w, at), 64);
    ck_assert_msg(!bent.m && bent.deviation > 0.01, "%g", bent.deviation);
    canonical_free(&bent);
    for (stepped = 0; stepped < 3; stepped++)
        ck_assert(cost_of(&v, a, 9, 0).cache == 2 * D);
    canonical_free(&whole);
    canonical_free(&steps);
    canonical_free(&mixed);
    canonical_free(&other);
    for (int i = 0; i < w.count; i++)
        free(at[i]);
    free(w.list);
}
