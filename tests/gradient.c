/* gradient.c - a test that gradients are right. */
#include "gradient.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "suites.h"

typedef struct Graph {
    Build *build;
    void *more;
    const Leaf *leaves;
    int count;
    real *value[MOST_LEAVES], *gradient[MOST_LEAVES];
} Graph;

static Node *
record(Tape *t, void *more)
{
    const Graph *g = more;
    Node *x[MOST_LEAVES];
    for (int i = 0; i < g->count; i++)
        x[i] = leaf(t, g->leaves[i].rows, g->leaves[i].cols,
                    g->leaves[i].sequences, g->value[i], g->gradient[i]);
    return g->build(x, g->more);
}

void
check_gradient(Build *build, void *more, const Leaf *leaves, int count)
{
    Graph g = {.build = build, .more = more, .leaves = leaves, .count = count};
    Random r = random_stream(3, "leaves");
    for (int i = 0; i < count; i++) {
        size_t size = matrix_entries(leaves[i].rows, leaves[i].cols);
        g.value[i] = allocate(size, sizeof(real));
        g.gradient[i] = allocate(size, sizeof(real));
        for (size_t k = 0; k < size; k++)
            g.value[i][k] = (real)(leaves[i].size * random_normal(&r));
    }
    Slopes s = slopes_of(record, &g, 1);
    if (*s.leaf)
        ck_abort_msg("leaf %s, row %d, column %d: gradient %.12g, "
                     "difference %.12g",
                     s.leaf, s.row, s.col, s.gradient, s.slope);
    for (int i = 0; i < count; i++) {
        free(g.value[i]);
        free(g.gradient[i]);
    }
}
