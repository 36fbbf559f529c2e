/* likeness.c - compares two layers in what their heads compute.

   Let q and k be the columns of one head, r and s the columns of another. The
   inner product of q k' and r s' is the inner product of q'r and k's, which are
   as narrow as a head. So only the products of columns with columns are needed
   of two layers (columns.h). */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "models/likeness.h"

Likeness
likeness_of(const Heads *a, const Heads *b)
{
    Likeness l = {.of = {a, b}};
    l.left[GAP_M] = columns_read(l.of, 2, QUERY);
    l.shared[GAP_M] = columns_read(l.of, 2, KEY);
    l.left[GAP_N] = columns_read(l.of, 2, OUTPUT);
    l.shared[GAP_N] = columns_read(l.of, 2, VALUE);
    return l;
}

void
likeness_free(Likeness *l)
{
    for (int what = GAP_M; what <= GAP_N; what++) {
        columns_free(&l->left[what]);
        columns_free(&l->shared[what]);
    }
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
inner_product(Likeness *l, int what, int one, int two)
{
    int n = l->left[what].width;
    const real *left = columns_product(&l->left[what], one, two);
    const real *shared = columns_product(&l->shared[what], shared_place(l, one),
                                         shared_place(l, two));
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += (double)left[i] * (double)shared[i];
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
head_gap(Likeness *l, int what, int i, int j)
{
    j += l->of[0]->model->heads;
    double a = inner_product(l, what, i, i), b = inner_product(l, what, j, j);
    double both = inner_product(l, what, i, j);
    double hidden = a == both && b == both ? 0 : DBL_EPSILON * (a + b);
    return (Gap){fmax(hidden, a + b - 2 * both), a};
}

void
layer_gaps(const Heads *a, const Heads *b, double gap[2])
{
    Likeness both = likeness_of(a, b);
    for (int what = GAP_M; what <= GAP_N; what++) {
        Gap sum = {0};
        int heads = both.left[what].heads / 2; /* of each layer */
        for (int i = 0; i < heads; i++)
            gap_add(&sum, head_gap(&both, what, i, i));
        gap[what] = gap_relative(sum);
    }
    likeness_free(&both);
}

/* How alike head i of the first layer and head j of the second are: the cosine
   of the angle between their matrices M, plus that between their N. If queries
   and keys are normed, there is no M, and only N counts. */
static double
alike(Likeness *l, int i, int j)
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
match_heads(Likeness *l, int *as)
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
    double gap[2], apart = gap_relative(constant_gap(a, b));
    layer_gaps(a, b, gap);
    if (!scores_are_normed(a->model))
        apart = fmax(apart, gap[GAP_M]);
    apart = fmax(apart, gap[GAP_N]);
    if (latent_of(a, KEY)) {
        Heads rotated = rotated_heads(*a), other = rotated_heads(*b);
        layer_gaps(&rotated, &other, gap);
        apart = fmax(apart, gap[GAP_M]);
    }
    return apart;
}
