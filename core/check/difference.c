/* difference.c - gradients against differences. */
#include <math.h>
#include <stdlib.h>

#include "check/difference.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"

/* sum_ij r_ij A_ij */
static void
project_forward(Node *c)
{
    const Node *a = c->in[0];
    Random r = random_stream(7, "projection");
    c->value[0] = 0;
    for (int i = 0; i < a->rows * a->cols; i++)
        c->value[0] += (real)random_normal(&r) * a->value[i];
}

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
    static const Operator op = {"project", project_forward, project_backward};
    return compute(new_node(&op, 1, 1, &a, 1));
}

typedef struct Graph {
    Build *build;
    void *more;
    const Leaf *leaves;
    int count;
    real **value, **gradient;
    Node **nodes; /* of the leaves, in the last run */
    Tape *tape;
} Graph;

static int
leaf_size(const Leaf *l)
{
    return l->rows * l->cols;
}

static Node *
result_of(Graph *g, Tape *t)
{
    for (int i = 0; i < g->count; i++)
        g->nodes[i] = leaf(t, g->leaves[i].rows, g->leaves[i].cols,
                           g->leaves[i].sequences, g->value[i], g->gradient[i]);
    return project(g->build(g->nodes, g->more));
}

static double
result_at(Graph *g, real *entry, double x)
{
    double old = (double)*entry;
    *entry = (real)x;
    tape_reset(g->tape);
    double result = (double)result_of(g, g->tape)->value[0];
    *entry = (real)old;
    return result;
}

/* The slope at an entry by the five-point rule, whose error falls with h^4; or
   from points on one side of it (-1, 1), with h^2. */
static double
difference(Graph *g, real *entry, double h, int side)
{
    double x = (double)*entry, k = side * h;
    if (side)
        return (4 * result_at(g, entry, x + k) - 3 * result_at(g, entry, x) -
                result_at(g, entry, x + 2 * k)) /
               (2 * k);
    double near = result_at(g, entry, x + h) - result_at(g, entry, x - h);
    double far =
        result_at(g, entry, x + 2 * h) - result_at(g, entry, x - 2 * h);
    return (8 * near - far) / (12 * h);
}

static void
make_leaves(Graph *g)
{
    Random r = random_stream(3, "leaves");
    g->value = allocate((size_t)g->count, sizeof *g->value);
    g->gradient = allocate((size_t)g->count, sizeof *g->gradient);
    g->nodes = allocate((size_t)g->count, sizeof(Node *));
    for (int i = 0; i < g->count; i++) {
        int size = leaf_size(&g->leaves[i]);
        g->value[i] = allocate((size_t)size, sizeof(real));
        g->gradient[i] = allocate((size_t)size, sizeof(real));
        for (int k = 0; k < size; k++)
            g->value[i][k] = (real)(g->leaves[i].size * random_normal(&r));
    }
}

static void
graph_free(Graph *g)
{
    for (int i = 0; i < g->count; i++) {
        free(g->value[i]);
        free(g->gradient[i]);
    }
    free(g->value);
    free(g->gradient);
    free(g->nodes);
    tape_free(g->tape);
}

/* By how many times what is allowed the gradient misses the slope. */
static double
miss(double found, double wanted)
{
    double allowed = 1e-6 * (fabs(found) + fabs(wanted)) / 2 + 1e-9;
    double off = fabs(found - wanted) / allowed;
    return isnan(off) ? INFINITY : off;
}

bool
slope_holds(const Mapping *m, double x)
{
    double d = m->df(x), rounding = 1e-8 * (1 + fabs(m->f(x)));
    for (int try = 0; try < 9; try++) {
        double h = 1e-4 * pow(0.1, try / 3) * fmax(1, fabs(x));
        double up = try % 3 == 0 ? 0 : h, down = try % 3 == 1 ? 0 : h;
        double slope = (m->f(x + up) - m->f(x - down)) / (up + down);
        if (!(fabs(slope - d) >
              1e-4 * (fabs(slope) + fabs(d)) + rounding)) /* or no number */
            return true;
    }
    return false;
}

double
ratio_of(const double *found, const double *wanted, int count)
{
    double both = 0, all = 0, off = 0, largest = 0;
    for (int i = 0; i < count; i++) {
        both += found[i] * wanted[i];
        all += wanted[i] * wanted[i];
    }
    double ratio = both / all;
    for (int i = 0; i < count; i++) {
        off = fmax(off, fabs(found[i] - ratio * wanted[i]));
        largest = fmax(largest, fabs(ratio * wanted[i]));
    }
    return off <= 1e-5 * largest ? ratio : NAN;
}

/* Compares one leaf. Where the function bends sharply a smaller step decides;
   at a kink, as of relu, one side of it. */
static Slopes
compare_leaf(Graph *g, int i)
{
    Slopes s = {.leaf = -1};
    int size = leaf_size(&g->leaves[i]), cols = g->leaves[i].cols;
    double worst = 1;
    double *found = allocate((size_t)size, sizeof *found);
    double *wanted = allocate((size_t)size, sizeof *wanted);
    for (int k = 0; k < size; k++) {
        double off = INFINITY;
        found[k] = (double)g->gradient[i][k];
        for (int try = 0; try < 12 && off > 1; try++) {
            double h = 1e-3 * pow(0.1, try / 3);
            wanted[k] = difference(g, &g->value[i][k], h, (try + 1) % 3 - 1);
            off = miss(found[k], wanted[k]);
        }
        if (off <= worst)
            continue;
        worst = off;
        s = (Slopes){i, k / cols, k % cols, found[k], wanted[k], 0};
    }
    s.ratio = ratio_of(found, wanted, size);
    free(found);
    free(wanted);
    return s;
}

Slopes
slopes_of(Build *build, void *more, const Leaf *leaves, int count)
{
    Graph g = {.build = build, .more = more, .leaves = leaves, .count = count};
    Slopes s = {.leaf = -1};
    make_leaves(&g);
    g.tape = tape_new(0);
    backward(result_of(&g, g.tape));
    for (int i = 0; i < count && s.leaf < 0; i++)
        s = compare_leaf(&g, i);
    graph_free(&g);
    return s;
}
