/* check_models.c - layers of published models: how far two are apart. */
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/random.h"
#include "models/likeness.h"
#include "suites.h"

enum { D = 12, HEADS = 4, GROUPS = 2, WIDTH = 4 };

/* A random layer, whose tensors are in memory. */
static Heads
random_layer(const Published *model, Random *random)
{
    Heads l = {.model = model, .rope = model->rope};
    for (int map = QUERY; map <= OUTPUT; map++) {
        bool shared = map == KEY || map == VALUE;
        int heads = shared ? GROUPS : HEADS, cols = heads * WIDTH;
        size_t size = D * (size_t)cols * sizeof(float);
        Tensor *t = allocate(1, sizeof *t);
        *t = (Tensor){
            .name = "random",
            .map = allocate(size, 1),
            .size = size,
            .shape = {map == OUTPUT ? D : cols, map == OUTPUT ? cols : D}};
        for (size_t i = 0; i < D * (size_t)cols; i++)
            tensor_set(t, i, random_normal(random));
        l.maps[map] = (Projection){.weight = t,
                                   .heads = heads,
                                   .width = WIDTH,
                                   .rows = D,
                                   .stride = WIDTH,
                                   .columns_are_rows = map != OUTPUT};
    }
    return l;
}

static Published
model_with(int rope)
{
    return (Published){.has = "rope",
                       .biases = "-",
                       .layers = 1,
                       .d_model = D,
                       .heads = HEADS,
                       .groups = GROUPS,
                       .d_k = WIDTH,
                       .d_v = WIDTH,
                       .rope = rope};
}

/* M of a head (D x D) where the key is so far from the query that pair i of
   columns is turned by angle[i]. */
static void
turned_m(const Heads *l, int head, const double *angle, double *m)
{
    double *q = map_columns(l, QUERY, head * WIDTH, WIDTH);
    double *k = map_columns(l, KEY, head * GROUPS / HEADS * WIDTH, WIDTH);
    for (int at = 0; at < D * D; at++) {
        const double *x = q + at / D * WIDTH, *y = k + at % D * WIDTH;
        m[at] = 0;
        for (int i = 0; i < WIDTH; i++) {
            double turn = i < l->model->rope ? angle[i / 2] : 0;
            double other = i % 2 ? x[i - 1] : -x[i + 1];
            m[at] += (cos(turn) * x[i] + sin(turn) * other) * y[i];
        }
    }
    free(q);
    free(k);
}

/* The distance of M is the mean over all angles, of two heads of different
   layers: of all columns rotated, of a part, and of none. Four angles each are
   enough for the mean of a square. */
TESTS(distance_is_a_mean_over_positions, 3)
{
    Random random = random_stream(7, "models");
    Published model = model_with(2 * _i);
    Heads a = random_layer(&model, &random), b = random_layer(&model, &random);
    Likeness both = likeness_of(&a, &b);
    for (int i = 0; i < HEADS; i++) {
        double apart = 0, size = 0, of_a[D * D], of_b[D * D];
        for (int turn = 0; turn < 16; turn++) {
            double angle[] = {turn / 4 * acos(0), turn % 4 * acos(0)};
            turned_m(&a, i, angle, of_a);
            turned_m(&b, HEADS - 1 - i, angle, of_b);
            for (int at = 0; at < D * D; at++) {
                apart += pow(of_a[at] - of_b[at], 2);
                size += pow(of_a[at], 2);
            }
        }
        double found = gap_relative(head_gap(&both, GAP_M, i, HEADS - 1 - i));
        double wanted = sqrt(apart / size);
        ck_assert_double_eq_tol(found, wanted, IN_DOUBLE ? 1e-12 : 1e-5);
    }
    likeness_free(&both);
}

/* The heads of a layer in another order, groups and within groups, are found
   again; and nothing is apart. */
TESTS(heads_in_another_order_are_found, 2)
{
    static const int order[HEADS] = {3, 2, 0, 1};
    Random random = random_stream(8, "models");
    Published model = model_with(2 * _i);
    Heads a = random_layer(&model, &random), b = random_layer(&model, &random);
    for (int map = QUERY; map <= OUTPUT; map++)
        for (int col = 0; col < a.maps[map].heads * WIDTH; col++) {
            int head = col / WIDTH, heads = a.maps[map].heads;
            int from = order[head * HEADS / heads] * heads / HEADS;
            for (int row = 0; row < D; row++) {
                double entry =
                    entry_of(&a, map, row, from * WIDTH + col % WIDTH);
                set_entry(&b, map, row, col, entry);
            }
        }
    Likeness both = likeness_of(&a, &b);
    int as[HEADS];
    match_heads(&both, as);
    for (int i = 0; i < HEADS; i++) {
        ck_assert_int_eq(order[as[i]], i);
        for (int what = GAP_M; what <= GAP_N; what++)
            ck_assert_double_eq_tol(
                gap_relative(head_gap(&both, what, i, as[i])), 0,
                IN_DOUBLE ? 1e-7 : 1e-3);
    }
    likeness_free(&both);
}
