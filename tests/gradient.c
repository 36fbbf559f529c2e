/* gradient.c - gradients against differences. */
#include <math.h>
#include <stdlib.h>

#include "fail.h"
#include "gradient.h"
#include "random.h"
#include "suites.h"
#include "tape.h"

/* dA_ij += r_ij dLoss */
static void
project_backward(Node *c)
{
    Node *a = c->in[0];
    real *d = gradient(a);
    Random r = random_stream(7, "projection");
    for (int i = 0; i < a->rows * a->cols; i++)
        d[i] += (real)random_normal(&r) * c->gradient[0];
}

Node *
project(Node *a)
{
    Node *c = new_node(1, 1, project_backward, &a, 1);
    Random r = random_stream(7, "projection");
    if (!c->value)
        return c;
    c->value[0] = 0;
    for (int i = 0; i < a->rows * a->cols; i++)
        c->value[0] += (real)random_normal(&r) * a->value[i];
    return c;
}

typedef struct Graph {
    Build *build;
    void *more;
    const Leaf *leaves;
    int count;
    real *value[MOST_LEAVES], *gradient[MOST_LEAVES];
    Tape *tape;
} Graph;

static Node *
loss_of(Graph *g, Tape *t)
{
    Node *leaf_of[MOST_LEAVES];
    for (int i = 0; i < g->count; i++)
        leaf_of[i] = leaf(t, g->leaves[i].rows, g->leaves[i].cols,
                          g->leaves[i].sequences, g->value[i], g->gradient[i]);
    return project(g->build(leaf_of, g->more));
}

static double
loss_at(Graph *g, real *entry, double x)
{
    double old = (double)*entry;
    *entry = (real)x;
    tape_reset(g->tape);
    double loss = (double)loss_of(g, g->tape)->value[0];
    *entry = (real)old;
    return loss;
}

/* The slope at an entry by the five-point rule, whose error falls with h^4. */
static double
difference(Graph *g, real *entry)
{
    const double h = 1e-3;
    double x = (double)*entry;
    double near = loss_at(g, entry, x + h) - loss_at(g, entry, x - h);
    double far = loss_at(g, entry, x + 2 * h) - loss_at(g, entry, x - 2 * h);
    return (8 * near - far) / (12 * h);
}

void
check_gradient(Build *build, void *more, const Leaf *leaves, int count)
{
    Graph g = {build, more, leaves, count, {0}, {0}, NULL};
    Random r = random_stream(3, "leaves");
    for (int i = 0; i < count; i++) {
        size_t size = (size_t)(leaves[i].rows * leaves[i].cols);
        g.value[i] = allocate(size, sizeof(real));
        g.gradient[i] = allocate(size, sizeof(real));
        for (size_t k = 0; k < size; k++)
            g.value[i][k] = (real)(leaves[i].size * random_normal(&r));
    }
    Tape *measured = tape_measure();
    loss_of(&g, measured);
    g.tape = tape_fitting(measured);
    tape_free(measured);
    backward(loss_of(&g, g.tape));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < leaves[i].rows * leaves[i].cols; k++) {
            double found = (double)g.gradient[i][k];
            double wanted = difference(&g, &g.value[i][k]);
            double most = 1e-6 * (fabs(found) + fabs(wanted)) / 2 + 1e-9;
            ck_assert_msg(fabs(found - wanted) <= most,
                          "leaf %d (%d x %d), entry %d: gradient %.12g, "
                          "difference %.12g",
                          i, leaves[i].rows, leaves[i].cols, k, found, wanted);
        }
    for (int i = 0; i < count; i++) {
        free(g.value[i]);
        free(g.gradient[i]);
    }
    tape_free(g.tape);
}
