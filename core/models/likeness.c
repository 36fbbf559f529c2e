/* likeness.c - compares two layers in what their heads compute.

   With q and k the columns of one head and r and s those of another, the inner
   product of q k' and r s' is that of q'r and k's, which are as narrow as a
   head. So all that is needed of two layers are the products of all columns
   with all columns. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/tape.h"
#include "models/likeness.h"

/* One of the two products of every head, left shared', of both layers: M, or N
   turned over. A head is named by its place among those of the first layer and
   then those of the second one. */
typedef struct Product {
    int left, shared, width;
    Node *plain[2];  /* all columns of `left` times all; and of `shared` */
    Node *bias[2];   /* the same of their biases */
    double *squared; /* of each head: its inner product with itself */
} Product;

struct Likeness {
    const Heads *of[2];
    Tape *tape;
    Product product[2]; /* in the order of GAP_M and GAP_N */
};

/* Can the bias of a column be told from the outside, and is it part of a head?
   The softmax cancels that of a key, and the sum of all heads hides that of a
   value, unless a rotation or a sink is between. */
static bool
bias_counts(const Heads *l, int map, int column)
{
    if (map == KEY && column % l->of[map].width < l->model->rope)
        return true;
    return map == QUERY || published_has(l->model, "sinks");
}

/* The columns of a map of both layers as rows, and the bias of each. */
static Node *
columns_of(Likeness *l, int map, Node **bias)
{
    int d = l->of[0]->model->d_model, count[2], row = 0;
    for (int k = 0; k < 2; k++)
        count[k] = l->of[k]->of[map].heads * l->of[k]->of[map].width;
    Node *w = leaf(l->tape, count[0] + count[1], d, 1, NULL, NULL);
    Node *b = leaf(l->tape, count[0] + count[1], 1, 1, NULL, NULL);
    w->value = keep(w, size_of(w));
    b->value = keep(b, size_of(b));
    for (int k = 0; k < 2; k++) {
        double *columns = map_columns(l->of[k], map, 0, count[k]);
        for (int col = 0; col < count[k]; col++, row++) {
            for (int i = 0; i < d; i++)
                w->value[row * d + i] = (real)columns[i * count[k] + col];
            if (bias_counts(l->of[k], map, col))
                b->value[row] = (real)columns[d * count[k] + col];
        }
        free(columns);
    }
    *bias = b;
    return w;
}

/* Replaces products of rotated columns by their mean over all rotations: of the
   two by two of one pair only the part that is a rotation and a factor is left,
   and of any others nothing. */
static void
average_rotations(Node *product, int width, int rope)
{
    int cols = product->cols;
    for (int row = 0; row < product->rows; row++)
        for (int col = 0; col < cols; col++) {
            real *at = product->value + row * cols + col;
            int i = row % width, j = col % width;
            if (i >= rope && j >= rope)
                continue;
            if (i >= rope || j >= rope || i / 2 != j / 2) {
                *at = 0;
            } else if (i % 2 == 0 && j % 2 == 0) {
                at[0] = at[cols + 1] = (at[0] + at[cols + 1]) / 2;
                at[1] = (at[1] - at[cols]) / 2;
                at[cols] = -at[1];
            }
        }
}

/* The place of a head's keys and values among those of both layers. */
static int
shared_place(const Likeness *l, int head)
{
    const Published *a = l->of[0]->model, *b = l->of[1]->model;
    if (head < a->heads)
        return head * a->groups / a->heads;
    return a->groups + (head - a->heads) * b->groups / b->heads;
}

/* Two inner products of two heads: of their matrices, and of what biases add to
   these. */
typedef struct Inner {
    double plain, biases;
} Inner;

static Inner
inner_product(const Likeness *l, const Product *p, int one, int two)
{
    int n = p->width, from[2] = {one, shared_place(l, one)};
    int to[2] = {two, shared_place(l, two)};
    Inner sum = {0};
    for (int i = 0; i < n * n; i++) {
        double plain[2], bias[2];
        for (int k = 0; k < 2; k++) {
            int cols = p->plain[k]->cols;
            int at = (from[k] * n + i / n) * cols + to[k] * n + i % n;
            plain[k] = (double)p->plain[k]->value[at];
            bias[k] = (double)p->bias[k]->value[at];
        }
        sum.plain += plain[0] * plain[1];
        sum.biases += bias[0] * (plain[1] + bias[1]) + plain[0] * bias[1];
    }
    return sum;
}

static Product
product_of_both(Likeness *l, int left, int shared)
{
    const Published *m = l->of[0]->model;
    Product p = {left, shared, .width = l->of[0]->of[left].width};
    for (int k = 0; k < 2; k++) {
        Node *bias, *w = columns_of(l, k ? shared : left, &bias);
        p.plain[k] = matmul_t(w, w);
        p.bias[k] = matmul_t(bias, bias);
    }
    if (left == QUERY) {
        average_rotations(p.plain[0], p.width, m->rope);
        average_rotations(p.bias[0], p.width, m->rope);
    }
    p.squared = allocate(2 * (size_t)m->heads, sizeof *p.squared);
    for (int i = 0; i < 2 * m->heads; i++)
        p.squared[i] = inner_product(l, &p, i, i).plain;
    return p;
}

Likeness *
likeness_of(const Heads *a, const Heads *b)
{
    Likeness *l = allocate(1, sizeof *l);
    l->of[0] = a;
    l->of[1] = b;
    l->tape = tape_new(0);
    l->product[GAP_M] = product_of_both(l, QUERY, KEY);
    l->product[GAP_N] = product_of_both(l, OUTPUT, VALUE);
    return l;
}

void
likeness_free(Likeness *l)
{
    for (int i = 0; i < 2; i++)
        free(l->product[i].squared);
    tape_free(l->tape);
    free(l);
}

double
gap_relative(Gap g)
{
    return sqrt(g.apart / g.size);
}

void
gap_add(Gap *sum, Gap g)
{
    sum->apart += g.apart;
    sum->size += g.size;
}

/* |a - b|^2 and |a|^2, of |a|^2, |b|^2 and their inner product. A difference
   that is less than what rounding hides is said to be that, so only equal
   matrices have none. */
static Gap
gap_of(double a, double b, double both)
{
    bool same = a == both && b == both;
    double hidden = same ? 0 : DBL_EPSILON * (a + b);
    return (Gap){fmax(hidden, a + b - 2 * both), a};
}

Gap
head_gap(const Likeness *l, int what, int i, int j)
{
    Gap sum = {0};
    j += l->of[0]->model->heads;
    for (int k = 0; k < 2; k++) {
        const Product *p = &l->product[k];
        Inner a = inner_product(l, p, i, i), b = inner_product(l, p, j, j);
        Inner both = inner_product(l, p, i, j);
        if (what == k)
            return gap_of(a.plain, b.plain, both.plain);
        gap_add(&sum, gap_of(a.biases, b.biases, both.biases));
    }
    return sum;
}

/* How alike two heads are: the cosine of the angle between their matrices M,
   and between their N, added up. */
static double
alike(const Likeness *l, int i, int j)
{
    double sum = 0;
    j += l->of[0]->model->heads;
    for (int k = scores_are_normed(l->of[0]->model) ? GAP_N : GAP_M; k < 2;
         k++) {
        const Product *p = &l->product[k];
        double size = sqrt(p->squared[i] * p->squared[j]);
        if (size > 0)
            sum += inner_product(l, p, i, j).plain / size;
    }
    return sum;
}

/* Pairs n things with n others, the two that are most alike first: as[i] is the
   other one. Returns the sum over the pairs of how alike they are. */
static double
pair_off(const double *likeness, int n, int *as)
{
    double sum = 0;
    bool *taken = allocate((size_t)n, sizeof *taken);
    for (int i = 0; i < n; i++)
        as[i] = -1;
    for (int pairs = 0; pairs < n; pairs++) {
        int best = -1;
        for (int at = 0; at < n * n; at++)
            if (as[at / n] < 0 && !taken[at % n] &&
                (best < 0 || likeness[at] > likeness[best]))
                best = at;
        as[best / n] = best % n;
        taken[best % n] = true;
        sum += likeness[best];
    }
    free(taken);
    return sum;
}

/* Pairs the heads of two groups, and returns how alike the groups are then. */
static double
match_group(const Likeness *l, int group, int other, int *as)
{
    const Published *m = l->of[0]->model;
    int n = m->heads / m->groups;
    double *likeness = allocate(matrix_entries(n, n), sizeof *likeness);
    for (int i = 0; i < n * n; i++)
        likeness[i] = alike(l, group * n + i / n, other * n + i % n);
    double sum = pair_off(likeness, n, as + group * n);
    for (int i = group * n; i < (group + 1) * n; i++)
        as[i] += other * n;
    free(likeness);
    return sum;
}

void
match_heads(const Likeness *l, int *as)
{
    const Published *m = l->of[0]->model;
    int groups = m->groups, *other = allocate((size_t)groups, sizeof *other);
    double *likeness =
        allocate(matrix_entries(groups, groups), sizeof *likeness);
    for (int i = 0; i < groups * groups; i++)
        likeness[i] = match_group(l, i / groups, i % groups, as);
    pair_off(likeness, groups, other);
    for (int group = 0; group < groups; group++)
        match_group(l, group, other[group], as);
    free(likeness);
    free(other);
}

Gap
map_gap(const Heads *a, int i, const Heads *b, int j, int map)
{
    Gap sum = {0};
    int n = a->of[map].width;
    for (int at = 0; at < a->model->d_model * n; at++) {
        double of_a = entry_of(a, map, at / n, i * n + at % n, NULL);
        double of_b = entry_of(b, map, at / n, j * n + at % n, NULL);
        gap_add(&sum, (Gap){pow(of_a - of_b, 2), of_a * of_a});
    }
    return sum;
}

Gap
constant_gap(const Heads *a, const Heads *b)
{
    Gap sum = {0};
    double *of_a = constant_of(a), *of_b = constant_of(b);
    for (int i = 0; i < a->model->d_model; i++)
        gap_add(&sum, (Gap){pow(of_a[i] - of_b[i], 2), of_a[i] * of_a[i]});
    free(of_a);
    free(of_b);
    return sum;
}
