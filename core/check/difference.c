/* difference.c - gradients against differences. */
#include <math.h>
#include <stdio.h>
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
    Recorder *record;
    void *more;
    Tape *tape; /* of the last result */
} Graph;

static double
result_at(Graph *g, real *entry, double x)
{
    double old = (double)*entry;
    *entry = (real)x;
    tape_reset(g->tape);
    double result = (double)project(g->record(g->tape, g->more))->value[0];
    *entry = (real)old;
    return result;
}

/* The slope at an entry by five points on one side of it, the side of h, whose
   error falls with h^4. */
static double
difference(Graph *g, real *entry, double h)
{
    static const double factor[] = {-25, 48, -36, 16, -3};
    double x = (double)*entry, sum = 0;
    for (int i = 0; i < 5; i++)
        sum += factor[i] * result_at(g, entry, x + i * h);
    return sum / (12 * h);
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
   at a kink, as of relu, the other side. */
static void
compare_leaf(Graph *g, const Node *leaf, Slopes *s)
{
    int size = (int)size_of(leaf), cols = leaf->cols;
    double worst = 1;
    double *found = allocate((size_t)size, sizeof *found);
    double *wanted = allocate((size_t)size, sizeof *wanted);
    for (int k = 0; k < size; k++) {
        double off = INFINITY;
        found[k] = leaf->touched ? (double)leaf->gradient[k] : 0;
        for (int try = 0; try < 8 && off > 1; try++) {
            double h = (try % 2 ? -1e-3 : 1e-3) * pow(0.1, try / 2);
            wanted[k] = difference(g, &leaf->value[k], h);
            off = miss(found[k], wanted[k]);
        }
        if (off <= worst)
            continue;
        worst = off;
        *s = (Slopes){"", k / cols, k % cols, found[k], wanted[k], 0};
    }
    if (worst > 1) {
        snprintf(s->leaf, sizeof s->leaf, "%s", label(leaf));
        s->ratio = ratio_of(found, wanted, size);
    }
    free(found);
    free(wanted);
}

Slopes
slopes_of(Recorder *record, void *more)
{
    Graph g = {record, more, tape_new(0)};
    Slopes s = {.leaf = ""};
    Tape *t = tape_new(0);
    backward(project(record(t, more)));
    for (const Node *n = t->last; n; n = n->previous)
        if (!n->in && n->gradient)
            compare_leaf(&g, n, &s);
    tape_free(g.tape);
    tape_free(t);
    return s;
}
