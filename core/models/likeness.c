/* likeness.c - compares two layers in what their heads compute.

   Let q and k be the columns of the queries and keys of one head, r and s those
   of another. The inner product of their matrices M, q k' and r s', equals that
   of q'r and k's, which have a row and a column for each column of a head, not
   for each column of a token. So the matrices M are never computed (columns.h).
*/
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "models/likeness.h"

Likeness
likeness_of(const Heads *a, const Heads *b)
{
    enum { BOTH = 2 };
    Likeness l = {.layers = {a, b}};
    l.left[GAP_M] = columns_read(l.layers, BOTH, QUERY);
    l.shared[GAP_M] = columns_read(l.layers, BOTH, KEY);
    l.left[GAP_N] = columns_read(l.layers, BOTH, OUTPUT);
    l.shared[GAP_N] = columns_read(l.layers, BOTH, VALUE);
    return l;
}

void
likeness_free(Likeness *l)
{
    for (int which = GAP_M; which <= GAP_N; which++) {
        columns_free(&l->left[which]);
        columns_free(&l->shared[which]);
    }
}

/* The number of head j of the second layer among the heads of both layers. The
   first layer's heads come first. */
static int
number_in_both(const Likeness *l, int j)
{
    return l->layers[0]->model->heads + j;
}

/* The number of a head's group among the groups of both layers. `head` is the
   head's number among the heads of both layers. */
static int
group_in_both(const Likeness *l, int head)
{
    const Heads *a = l->layers[0], *b = l->layers[1];
    int heads_of_a = a->model->heads, groups_of_a = a->maps[KEY].heads;
    if (head < heads_of_a)
        return group_of(a, KEY, head);
    return groups_of_a + group_of(b, KEY, head - heads_of_a);
}

/* The inner product of the matrices M (or N, if `which` is GAP_N) of heads
   `one` and `two`, which are numbered among the heads of both layers. */
static double
inner_product(Likeness *l, int which, int one, int two)
{
    int n = l->left[which].width;
    const real *left = columns_product(&l->left[which], one, two);
    const real *shared = columns_product(
        &l->shared[which], group_in_both(l, one), group_in_both(l, two));
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

/* |A - B|^2 = |A|^2 + |B|^2 - 2 <A, B>. Rounding hides a square below
   DBL_EPSILON (|A|^2 + |B|^2), which is a distance of about 2e-8. Matrices that
   differ get at least this square, so that only identical ones have 0. */
Gap
head_gap(Likeness *l, int which, int i, int j)
{
    int other = number_in_both(l, j);
    double a = inner_product(l, which, i, i);
    double b = inner_product(l, which, other, other);
    double both = inner_product(l, which, i, other);
    bool identical = a == both && b == both;
    double hidden = identical ? 0 : DBL_EPSILON * (a + b);
    return (Gap){fmax(hidden, a + b - 2 * both), a};
}

void
layer_gaps(const Heads *a, const Heads *b, double gap[2])
{
    Likeness both = likeness_of(a, b);
    for (int which = GAP_M; which <= GAP_N; which++) {
        Gap sum = {0};
        int heads = both.left[which].heads / 2; /* the heads of one layer */
        for (int i = 0; i < heads; i++)
            gap_add(&sum, head_gap(&both, which, i, i));
        gap[which] = gap_relative(sum);
    }
    likeness_free(&both);
}

/* How similar head i of the first layer and head j of the second are: the
   cosine of the angle between their M plus that between their N. Only N counts
   if queries and keys are normed, because then there is no M. */
static double
similarity(Likeness *l, int i, int j)
{
    double sum = 0;
    int other = number_in_both(l, j);
    int first = scores_are_normed(l->layers[0]->model) ? GAP_N : GAP_M;
    for (int which = first; which <= GAP_N; which++) {
        double squares = inner_product(l, which, i, i);
        squares *= inner_product(l, which, other, other);
        if (squares > 0)
            sum += inner_product(l, which, i, other) / sqrt(squares);
    }
    return sum;
}

/* The partner of a head that is not paired yet; the best pair as long as none
   was found. */
enum { NONE = -1 };

/* Returns whether head i of the first layer may be paired with head j of the
   second: neither may be paired yet, and two heads of the first layer must be
   in one group exactly if their partners are. */
static bool
may_pair(const Likeness *l, const int *partner, int i, int j)
{
    const Heads *a = l->layers[0], *b = l->layers[1];
    if (partner[i] != NONE)
        return false;
    for (int k = 0; k < a->model->heads; k++) {
        if (partner[k] == NONE)
            continue;
        bool one_group = group_of(a, KEY, k) == group_of(a, KEY, i);
        bool group_of_partners =
            group_of(b, KEY, partner[k]) == group_of(b, KEY, j);
        if (partner[k] == j || one_group != group_of_partners)
            return false;
    }
    return true;
}

void
match_heads(Likeness *l, int *partner)
{
    int heads = l->layers[0]->model->heads, pairs = heads * heads;
    double *similar = allocate(matrix_entries(heads, heads), sizeof *similar);
    /* Pair k has head k / heads of the first layer, k % heads of the second. */
    for (int k = 0; k < pairs; k++)
        similar[k] = similarity(l, k / heads, k % heads);
    for (int i = 0; i < heads; i++)
        partner[i] = NONE;
    for (int paired = 0; paired < heads; paired++) {
        int best = NONE;
        for (int k = 0; k < pairs; k++)
            if (may_pair(l, partner, k / heads, k % heads) &&
                (best == NONE || similar[k] > similar[best]))
                best = k;
        partner[best / heads] = best % heads;
    }
    free(similar);
}

Gap
map_gap(const Heads *a, int head_a, const Heads *b, int head_b, int map)
{
    Gap sum = {0};
    int rows = a->maps[map].rows, width = a->maps[map].width;
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < width; col++) {
            double of_a = entry_of(a, map, row, head_a * width + col);
            double of_b = entry_of(b, map, row, head_b * width + col);
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
    if (reads_latent(a, KEY)) {
        Heads rotated = rotated_heads(*a), other = rotated_heads(*b);
        layer_gaps(&rotated, &other, gap);
        apart = fmax(apart, gap[GAP_M]);
    }
    return apart;
}
