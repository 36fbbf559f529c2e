/* check_real.c - the rank of large matrices, and how many parameters of each
   variant are really there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "suites.h"
#include "training/rope_and_alibi.h"

/* A (m x n) of rank r: B C, and so that its singular values differ, row
   i of C shrinks by `fall` to the power of i. To be freed. */
static real *
of_rank(int m, int n, int r, double fall)
{
    Random random = random_stream((uint64_t)(m * n + r), "rank");
    real *a = allocate((size_t)(m * n), sizeof *a);
    real *b = allocate((size_t)(m * r + 1), sizeof *b);
    real *c = allocate((size_t)(r * n + 1), sizeof *c);
    for (int i = 0; i < m * r; i++)
        b[i] = (real)random_normal(&random);
    for (int i = 0; i < r * n; i++)
        c[i] = (real)(pow(fall, i / n) * random_normal(&random));
    for (int i = 0; i < m; i++)
        for (int k = 0; k < r; k++)
            for (int j = 0; j < n; j++)
                a[i * n + j] += b[i * r + k] * c[k * n + j];
    free(b);
    free(c);
    return a;
}

/* The rows of a matrix that are left. */
typedef struct Rows {
    const real *at;
    int left, wide;
} Rows;

static void
next_rows(void *more, int count, real *to)
{
    Rows *r = more;
    count = count < r->left ? count : r->left;
    memcpy(to, r->at, (size_t)(count * r->wide) * sizeof *to);
    r->at += count * r->wide;
    r->left -= count;
}

static Rank
rank_found(const real *a, int m, int n)
{
    Rows all = {a, m, n};
    return matrix_rank(next_rows, &all, n);
}

/* Against the singular values; at widths around those of a panel (32) and of a
   Hadamard transform (powers of 2). */
TEST(ranks)
{
    static const int shapes[][3] = {{1, 1, 1},    {5, 1, 1},    {9, 5, 2},
                                    {40, 32, 32}, {40, 33, 9},  {64, 64, 40},
                                    {65, 65, 64}, {90, 63, 62}, {130, 95, 1}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        int m = shapes[k][0], n = shapes[k][1], wanted = shapes[k][2];
        size_t size = (size_t)(m * n);
        real *a = of_rank(m, n, wanted, 0.97);
        real *same = allocate(size, sizeof *same);
        double *d = allocate(size, sizeof *d);
        for (size_t i = 0; i < size; i++)
            d[i] = (double)(same[i] = a[i]);
        Svd found = svd_of(d, m, n);
        const double *s = found.s;
        Rank r = rank_found(a, m, n);
        ck_assert_int_eq(r.rank, wanted);
        double last = s[wanted - 1] / s[0];
        ck_assert_msg(r.last < 1e3 * last && r.last > 0.05 * last,
                      "%g is not at most %g, and near it", r.last, last);
        ck_assert(r.next < 10 * RANK_ROUNDING && (wanted < n || !r.next));
        free(a);
        free(same);
        free(d);
        free(found.u);
    }
}

/* Singular values that fall evenly down to rounding have no rank. */
TEST(no_gap)
{
    real *a = of_rank(60, 60, 60, sizeof(real) == 4 ? 0.7 : 0.5);
    ck_assert_int_eq(rank_found(a, 60, 60).rank, -1);
    free(a);
}

TEST(nothing)
{
    real a[6] = {0};
    ck_assert_int_eq(rank_found(a, 3, 2).rank, 0);
}

static RealCount
count_of(const Variant *v, Attention a)
{
    if (!a.settings)
        a.settings = v->settings;
    return real_count(v, a, ANY_TOKENS);
}

/* At d_model d, h heads, g of keys and values, widths k and v, latent r: what
   is stored, and what of that is gauge, where k, v and r are no wider than what
   is on either side of them. */
static const struct {
    const char *name;
    int here; /* at d_model 16: the older ones as measured by another program */
    int faint; /* so many at most are real only through the eps of a norm */
} rows[] = {{"standard", 896, 0},      {"symmetric", 896, 0},
            {"per-head", 896, 0},      {"fused", 896, 0},
            {"two-step", 896, 0},      {"two-step-tanh", 1664, 0},
            {"full-rank", 1472, 0},    {"wide", 1472, 0},
            {"shared-qk", 680, 0},     {"gqa", 704, 0},
            {"mqa", 608, 0},           {"mla", 704, 0},
            {"mla-absorbed", 1088, 0}, {"symmetric-data", 1916, 0},
            {"collaborative", 992, 0}, {"scale-outside", 896, 0},
            {"unscaled", 896, 0},      {"identity", 0, 0},
            {"shared-kv", 704, 0},     {"shared-qkv", 488, 0},
            {"no-wq", 704, 0},         {"no-wv-wo", 448, 0},
            {"linear", 892, 0},        {"gated", 1200, 0},
            {"qk-norm", 964, 8},       {"gqa-qk-norm", 740, 6},
            {"biased", 928, 0},        {"talking-heads", 920, 0},
            {"differential", 1385, 4}, {"mfa", 960, 0},
            {"window", 896, 0},        {"value-residual", 896, 0},
            {"sink", 900, 0},          {"tpa", 1454, 0},
            {"kv-shift", 904, 0},      {"nonlinear-query", 968, 1},
            {"v-from-k", 896, 0},      {"two-step-narrow", 464, 0}};
enum { ROWS = sizeof rows / sizeof *rows };

static int
closed_form(const char *name, const Attention *a)
{
    int d = a->d_model, h = a->heads, g = a->kv_heads, k = a->d_k, v = a->d_v;
    int r = a->latent, qk = h * (2 * d * k - k * k),
        ov = h * (2 * d * v - v * v);
    const struct {
        const char *name;
        int real;
    } forms[] = {
        {"two-step-tanh", 3 * d * d + qk + ov},
        {"two-step-narrow",
         2 * d * k + (h - 2) * k * k + d * v - v * v + h * d * v},
        {"full-rank", h * d * d + ov},
        {"wide", h * d * d + ov},
        {"shared-qk", h * (d * k - k * (k - 1) / 2) + ov},
        {"gqa", d * (h + g) * (k + v) - g * (k * k + v * v)},
        {"mqa", d * (h + 1) * (k + v) - (k * k + v * v)},
        {"mla", (d + r) * h * (k + v) + d * r - h * (k * k + v * v) - r * r},
        {"mla-absorbed", 2 * d * h * r + d * r - r * r},
        {"symmetric-data", h * (d * d - 1) + qk + ov},
        {"collaborative", 2 * d * h * k + h * h * k - 2 * h * k + ov},
        {"shared-kv", 3 * d * h * k - h * k * k},
        {"shared-qkv", 2 * d * h * k - h * k * (k - 1) / 2},
        {"no-wq", d * d + ov},
        {"no-wv-wo", 2 * d * h * k - h * k * k},
        {"gated", qk + 3 * d * h * v - h * v},
        {"linear", qk + ov - h},
        {"identity", 0},
        {"qk-norm", h * 2 * d * k + k + ov},
        {"gqa-qk-norm", d * (h + g) * (k + v) + k - g * v * v},
        {"biased", qk + ov + h * k + d},
        {"talking-heads", qk + ov + 2 * h * h - 2 * h},
        {"differential", 2 * qk + 1 + h * (2 * d * v - v * (v - 1) / 2)},
        {"sink", qk + ov + h},
        {"kv-shift", qk + ov + 2 * h},
        {"v-from-k", qk + h * v * ((h * k < d ? h * k : d) + d - v)},
        {"nonlinear-query", d * d + d + (d + 1) / 2 * (2 * d - 1) + ov},
        {"tpa", d * (10 * h + 8 * k + 2 * v + h * v) - 36 - 2 * 4 - k * k -
                    v * v - 2 * h + 2},
        {"mfa", 3 * d * r + h * r * r + d * h * r - 3 * r * r},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].name, name))
            return forms[i].real;
    return qk + ov;
}

TESTS(table, ROWS)
{
    if (!IN_DOUBLE)
        return;
    Attention a = {SHAPE(16, 4, 4, 4), .kv_heads = 2, .latent = 8};
    Plugin p = plugin_open(rows[_i].name);
    RealCount c = count_of(p.variant, a);
    ck_assert_msg(c.found.rank == rows[_i].here, "%s: %d", p.name,
                  c.found.rank);
    ck_assert_int_eq(closed_form(p.name, &a), rows[_i].here);
    ck_assert(c.stored == 0 || rows[_i].faint || c.found.last > 1e-7);
    ck_assert(c.stored == 0 || c.found.next < 1e-4 * c.found.last);
}

/* Whatever the shape and the mask; but of one column a norm leaves only the
   sign. */
TESTS(closed_forms, ROWS)
{
    static const Attention shapes[] = {
        {SHAPE(12, 4, 3, 2), .kv_heads = 2, .latent = 5},
        {SHAPE(6, 2, 2, 4), .kv_heads = 2, .latent = 4, .causal = 1},
        {SHAPE(9, 3, 1, 1), .kv_heads = 1, .latent = 2},
    };
    Plugin p = plugin_open(rows[_i].name);
    size_t count = sizeof shapes / sizeof *shapes - (rows[_i].faint > 0);
    if (!strcmp(p.name, "tpa")) /* a sum of 6 products is of rank 6 */
        count = 1;
    for (size_t i = 0; IN_DOUBLE && i < count; i++) {
        RealCount c = count_of(p.variant, shapes[i]);
        int wanted = closed_form(p.name, &shapes[i]);
        ck_assert_msg(c.found.rank == wanted, "%s %zu: %d, not %d", p.name, i,
                      c.found.rank, wanted);
    }
}

/* MLA as published, without its compressed queries: beside the gauge of mla's
   heads, of the gain and of what it is a gain of, O(r), and one complex number
   for each pair of rotated columns. */
TEST(rotary)
{
    const int d = 12, h = 3, k = 2, v = 3, r = 5, rope = 4;
    Attention a = {SHAPE(d, h, k, v), .latent = r,
                   .settings = "query-latent=0 rope=4"};
    RealCount c = count_of(plugin_open("mla-rope").variant, a);
    int gauge = h * (k * k + v * v) + r + r * (r - 1) / 2 + rope;
    ck_assert(!IN_DOUBLE || c.found.rank == c.stored - gauge);
}

/* Rotated, a pair of columns of q and k keeps a complex number of its gauge,
   2 of 4: it was 64 of 1024, and is 16. */
TEST(rotated)
{
    Attention a = {SHAPE(16, 4, 4, 4), .relative = &rope};
    RealCount c = count_of(plugin_open("standard").variant, a);
    ck_assert_int_eq(c.stored, 1024);
    ck_assert(!IN_DOUBLE || c.found.rank == 944);
}

/* Without gains, a norm of q and k leaves O(d_k), and makes the scale of each
   head's q and k real by its eps only. */
static Node *
normed_forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = rms_norm(split(matmul(x, w[0]), a->heads), 1e-6);
    Node *k = rms_norm(split(matmul(y, w[1]), a->heads), 1e-6);
    Node *v = split(matmul(y, w[2]), a->heads);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[3]);
}

TEST(normed)
{
    Variant v = {.abi = QKV_ABI,
                 .weights = plugin_open("standard").variant->weights,
                 .forward = normed_forward};
    Attention a = {SHAPE(16, 4, 4, 4)};
    RealCount c = count_of(&v, a);
    ck_assert_int_eq(c.stored, 1024);
    ck_assert(!IN_DOUBLE || c.found.rank == 936);
}

/* The values of a first block are used in the second: of a pair W^V, W^O the
   gauge is one for both. Blocks that share nothing are as many times one. */
TEST(blocks)
{
    Attention a = {SHAPE(8, 2, 4, 4), .layers = 2};
    RealCount c = count_of(plugin_open("value-residual").variant, a);
    ck_assert_int_eq(c.stored, 2 * 256);
    ck_assert_msg(!IN_DOUBLE || c.real == 2 * (256 - 2 * 16) - 2 * 16, "%d",
                  c.real);
    a.layers = 3;
    c = count_of(plugin_open("standard").variant, a);
    ck_assert(c.stored == 3 * 256);
    ck_assert(!IN_DOUBLE || c.real == 3 * (256 - 4 * 16));
}

/* A matrix of rank d is any matrix, however wide its factors. */
TEST(wider_than_a_token)
{
    Attention a = {SHAPE(4, 2, 6, 3)};
    RealCount c = count_of(plugin_open("standard").variant, a);
    ck_assert(!IN_DOUBLE || c.found.rank == 2 * (16 + 24 - 9));
}

/* standard, and beside it a path that no shape tells has seven parameters too
   many: tanh(x (p + p')) r, of the first seven coordinates. And one that is
   real, but only just. */
static void
planted_weights(Weights *w, const Attention *a)
{
    weight(w, 0, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, 1, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, 2, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, 3, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, 4, "p", 1, 7);
    weight(w, 5, "q", 1, 7);
    weight(w, 6, "r", 1, a->d_model);
    initialise(w, 4, 0, 0);
}

static Node *
planted_forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[0]), a->heads);
    Node *k = split(matmul(y, w[1]), a->heads);
    Node *v = split(matmul(y, w[2]), a->heads);
    Node *out = matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[3]);
    Node *along = matmul_t(columns(x, 0, 7), add(w[4], w[5]));
    return add(out, matmul(tanh_of(along), w[6]));
}

static Node *
faint_forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[0]), a->heads);
    Node *k = split(matmul(y, w[1]), a->heads);
    Node *v = split(matmul(y, w[2]), a->heads);
    Node *out = matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[3]);
    Node *along = matmul_t(columns(x, 0, 7), add(w[4], w[5]));
    return add(out, scale(matmul(tanh_of(along), w[6]), 1e-8));
}

/* What says nothing of any weight. */
static Node *
void_forward(Attention *a, Node *x, Node *y, Node **w)
{
    return scale(planted_forward(a, x, y, w), 0);
}

TEST(planted)
{
    Variant v = {.abi = QKV_ABI,
                 .equation = "",
                 .shape = "heads d-k d-v",
                 .weights = planted_weights,
                 .forward = planted_forward};
    Attention a = {SHAPE(9, 2, 3, 2)};
    int wanted = 2 * (2 * 9 * 3 - 9 + 2 * 9 * 2 - 4) + 7 + 9;
    RealCount c = count_of(&v, a);
    if (IN_DOUBLE) {
        ck_assert_int_eq(c.found.rank, wanted);
        ck_assert_int_eq(c.stored - wanted - 2 * (9 + 4), 7);
    }
    v.forward = void_forward;
    c = count_of(&v, a);
    ck_assert_int_eq(c.found.rank, 0);
    v.forward = faint_forward;
    c = count_of(&v, a);
    if (IN_DOUBLE) {
        ck_assert_int_eq(c.found.rank, wanted);
        ck_assert(c.found.last > 1e-12 && c.found.last < 1e-7);
    }
}

/* A formula fitted to small shapes is right at one far from them: that of
   deepseek-v2, whose grouped heads are wider than a token; of a latent that is
   a setting of the variant's own; and where the model rotates pairs of columns.
 */
static const struct {
    const char *name, *text;
    Attention at;
    const char *settings;
    double gauge;
} fitted[] = {
    {"standard", "h v^2 + h k^2", {SHAPE(512, 8, 64, 64)}, "", 65536},
    {"mla",
     "h v^2 + h k^2 + r^2",
     {SHAPE(512, 8, 64, 64), .latent = 128},
     "",
     81920},
    {"shared-qk",
     "h v^2 + 0.5 h k^2 - 0.5 h k",
     {SHAPE(512, 8, 64, 64)},
     "",
     48896},
    {"gqa",
     "g v^2 + g k^2",
     {SHAPE(5120, 128, 128, 128), .kv_heads = 64},
     "",
     2097152},
    {"standard",
     "h v^2 + h k",
     {SHAPE(64, 4, 16, 16), .relative = &rope, .layers = 3},
     "",
     3264},
};
enum { FITTED = sizeof fitted / sizeof *fitted };

TESTS(formulas, FITTED)
{
    if (!IN_DOUBLE)
        return;
    Attention a = fitted[_i].at;
    a.settings = fitted[_i].settings;
    a.kv_heads = a.kv_heads ? a.kv_heads : 1;
    a.latent = a.latent ? a.latent : a.d_model;
    const Variant *v = plugin_open(fitted[_i].name).variant;
    Formula f = formula_of(v, a, 1e9);
    ck_assert_msg(f.holds, "%s", fitted[_i].name);
    ck_assert_str_eq(f.text, fitted[_i].text);
    ck_assert_msg(f.gauge == fitted[_i].gauge, "%g", f.gauge);
    ck_assert(_i || !formula_of(v, a, 65535).holds); /* more than is stored */
}

/* What is no polynomial gets no formula. */
static void
odd_weights(Weights *w, const Attention *a)
{
    weight(w, 0, "U", a->d_model, 2 - a->d_model % 2);
    weight(w, 1, "V", 2 - a->d_model % 2, a->d_model);
}

static Node *
odd_forward(Attention *a, Node *x, Node *y, Node **w)
{
    (void)a, (void)y;
    return matmul(matmul(x, w[0]), w[1]);
}

TEST(no_formula)
{
    Variant v = {.abi = QKV_ABI,
                 .equation = "",
                 .shape = "",
                 .weights = odd_weights,
                 .forward = odd_forward};
    Attention a = {.d_model = 9,
                   .heads = 1,
                   .kv_heads = 1,
                   .d_k = 9,
                   .d_v = 9,
                   .latent = 9};
    if (!IN_DOUBLE)
        return;
    ck_assert(!formula_of(&v, a, 1e9).holds);
    RealCount c = count_of(&v, a);
    ck_assert_int_eq(c.found.rank, 2 * 9 - 1);
}
