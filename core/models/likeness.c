/* likeness.c - compares two layers in what their heads compute.

   Let q and k be the columns of one head, r and s the columns of another. The
   inner product of q k' and r s' is the inner product of q'r and k's, which are
   as narrow as a head. So only the products of all columns with all columns are
   needed of two layers. Heads are numbered through: first the heads of the
   first layer, then the heads of the second. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "models/likeness.h"

/* Averages products of rotated columns over all angles. Two columns of
   different pairs, or a rotated and an unrotated one, have the mean 0. The four
   products of two pairs get the form (a b; -b a). */
static void
average_rotations(Node *products, int width, int rope)
{
    int cols = products->cols;
    for (int at = 0; at < cols * cols; at++) {
        real *entry = products->value + at, *below = entry + cols;
        int i = at / cols % width, j = at % cols % width;
        if (i >= rope && j >= rope)
            continue;
        if (i >= rope || j >= rope || i / 2 != j / 2) {
            *entry = 0;
        } else if (i % 2 == 0 && j % 2 == 0) {
            entry[0] = below[1] = (entry[0] + below[1]) / 2;
            entry[1] = (entry[1] - below[0]) / 2;
            below[0] = -entry[1];
        }
    }
}

/* W holds the columns of a map in all layers, each column as a row; the
   products are W W'. Entry d of a column is its bias, left 0 if that does not
   count. */
Node *
column_products(Tape *t, const Heads *const layers[], int count, int map)
{
    int d = layers[0]->model->d_model, width = layers[0]->of[map].width;
    int all = 0, first = 0;
    for (int k = 0; k < count; k++)
        all += layers[k]->of[map].heads * width;
    Node *w = leaf(t, all, d + 1, 1, NULL, NULL);
    w->value = keep(w, size_of(w));
    for (int k = 0; k < count; k++) {
        int cols = layers[k]->of[map].heads * width;
        double *columns = map_columns(layers[k], map, 0, cols);
        for (int at = 0; at < (d + 1) * cols; at++) {
            int row = at / cols, col = at % cols;
            if (row < d || bias_counts(layers[k], map, col))
                w->value[(first + col) * (d + 1) + row] = (real)columns[at];
        }
        first += cols;
        free(columns);
    }
    Node *products = matmul_t(w, w);
    if (map <= KEY)
        average_rotations(products, width, layers[0]->model->rope);
    return products;
}

Likeness
likeness_of(const Heads *a, const Heads *b)
{
    Likeness l = {.of = {a, b}, .tape = tape_new(0)};
    l.left[GAP_M] = column_products(l.tape, l.of, 2, QUERY);
    l.shared[GAP_M] = column_products(l.tape, l.of, 2, KEY);
    l.left[GAP_N] = column_products(l.tape, l.of, 2, OUTPUT);
    l.shared[GAP_N] = column_products(l.tape, l.of, 2, VALUE);
    return l;
}

/* The number of a head's keys and values among the keys and values of both
   layers. */
static int
shared_place(const Likeness *l, int head)
{
    const Published *a = l->of[0]->model, *b = l->of[1]->model;
    if (head < a->heads)
        return head * a->groups / a->heads;
    return a->groups + (head - a->heads) * b->groups / b->heads;
}

/* The inner product of the matrices M (or N) of two heads, numbered among the
   heads of both layers. */
static double
inner_product(const Likeness *l, int what, int one, int two)
{
    const Node *left = l->left[what], *shared = l->shared[what];
    int n = l->of[0]->of[what == GAP_M ? QUERY : OUTPUT].width;
    int from = shared_place(l, one) * n, to = shared_place(l, two) * n;
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum +=
                (double)left->value[(one * n + i) * left->cols + two * n + j] *
                (double)shared->value[(from + i) * shared->cols + to + j];
    return sum;
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

/* a + b - 2 both is the squared norm of a difference. Rounding hides a square
   below DBL_EPSILON (a + b), a distance of about 2e-8. Matrices that differ get
   at least that distance, so that only identical ones have distance 0. */
Gap
head_gap(const Likeness *l, int what, int i, int j)
{
    j += l->of[0]->model->heads;
    double a = inner_product(l, what, i, i), b = inner_product(l, what, j, j);
    double both = inner_product(l, what, i, j);
    double hidden = a == both && b == both ? 0 : DBL_EPSILON * (a + b);
    return (Gap){fmax(hidden, a + b - 2 * both), a};
}

Gap
layer_gap(const Likeness *l, int what)
{
    Gap sum = {0};
    for (int i = 0; i < l->of[0]->model->heads; i++)
        gap_add(&sum, head_gap(l, what, i, i));
    return sum;
}

/* How alike head i of the first layer and head j of the second are: the cosine
   of the angle between their matrices M, plus that between their N. If queries
   and keys are normed, there is no M, and only N counts. */
static double
alike(const Likeness *l, int i, int j)
{
    double sum = 0;
    j += l->of[0]->model->heads;
    for (int what = scores_are_normed(l->of[0]->model) ? GAP_N : GAP_M;
         what <= GAP_N; what++) {
        double size = inner_product(l, what, i, i);
        size = sqrt(size * inner_product(l, what, j, j));
        if (size > 0)
            sum += inner_product(l, what, i, j) / size;
    }
    return sum;
}

/* May head i of the first layer be paired with head j of the second? as[i] is
   the head that i is paired with, back[j] the same from the other side, and -1
   is a free head. Both must be free, and the other heads of their two groups,
   of `each` heads, must be free or paired with one another. */
static bool
may_pair(const int *as, const int *back, int each, int i, int j)
{
    int group = i / each, other = j / each;
    bool may = as[i] < 0 && back[j] < 0;
    for (int k = 0; k < each; k++) {
        int there = as[group * each + k], here = back[other * each + k];
        may &= there < 0 || there / each == other;
        may &= here < 0 || here / each == group;
    }
    return may;
}

/* Pairs the heads that are most alike first, then the most alike of the others.
 */
void
match_heads(const Likeness *l, int *as)
{
    int heads = l->of[0]->model->heads, each = heads / l->of[0]->model->groups;
    int *back = allocate((size_t)heads, sizeof *back);
    double *likeness = allocate(matrix_entries(heads, heads), sizeof *likeness);
    for (int at = 0; at < heads * heads; at++)
        likeness[at] = alike(l, at / heads, at % heads);
    for (int i = 0; i < heads; i++)
        as[i] = back[i] = -1;
    for (int pairs = 0; pairs < heads; pairs++) {
        int best = -1;
        for (int at = 0; at < heads * heads; at++)
            if (may_pair(as, back, each, at / heads, at % heads) &&
                (best < 0 || likeness[at] > likeness[best]))
                best = at;
        as[best / heads] = best % heads;
        back[best % heads] = best / heads;
    }
    free(likeness);
    free(back);
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

double
heads_apart(const Heads *a, const Heads *b)
{
    double apart = gap_relative(constant_gap(a, b));
    Likeness both = likeness_of(a, b);
    for (int what = scores_are_normed(a->model) ? GAP_N : GAP_M; what <= GAP_N;
         what++)
        apart = fmax(apart, gap_relative(layer_gap(&both, what)));
    tape_free(both.tape);
    return apart;
}
