/* difference.c - gradients against differences. */
#include <math.h>
#include <stdio.h>

#include "check/difference.h"
#include "heart/random.h"

void
backward_projected(Node *n)
{
    Random r = random_stream(7, "projection");
    real *d = gradient(n);
    if (d)
        for (size_t i = 0; i < size_of(n); i++)
            d[i] += (real)random_normal(&r);
    backward(n);
}

typedef struct Graph {
    Recorder *record;
    void *more;
    Tape *tape; /* of the last result */
} Graph;

/* The projected result of the graph when an entry of a leaf is x. */
static double
result_at(Graph *g, real *entry, double x)
{
    double old = (double)*entry;
    *entry = (real)x;
    tape_reset(g->tape);
    const Node *n = g->record(g->tape, g->more);
    Random r = random_stream(7, "projection");
    double result = 0;
    for (size_t i = 0; i < size_of(n); i++)
        result += random_normal(&r) * (double)n->value[i];
    *entry = (real)old;
    return result;
}

/* The slope at an entry, from five points on one side of it (above if h > 0).
   Its error falls with h^4. */
static double
difference(Graph *g, real *entry, double h)
{
    static const double factor[] = {-25, 48, -36, 16, -3};
    double x = (double)*entry, sum = 0;
    for (int i = 0; i < 5; i++)
        sum += factor[i] * result_at(g, entry, x + i * h);
    return sum / (12 * h);
}

/* Is df at x the slope of f between two points near x? Yes, too, if f or df is
   no number there. */
static bool
is_slope(const Mapping *m, double x, double from, double to)
{
    double d = m->df(x), rounding = 1e-8 * (1 + fabs(m->f(x)));
    double slope = (m->f(to) - m->f(from)) / (to - from);
    double allowed = 1e-4 * (fabs(slope) + fabs(d)) + rounding;
    return !(fabs(slope - d) > allowed);
}

bool
slope_holds(const Mapping *m, double x)
{
    for (double step = 1e-4; step > 5e-7; step /= 10) {
        double h = step * fmax(1, fabs(x));
        if (is_slope(m, x, x - h, x) || is_slope(m, x, x, x + h) ||
            is_slope(m, x, x - h, x + h))
            return true;
    }
    return false;
}

/* How far a gradient is from the slope at its entry, as a multiple of the error
   that is allowed. If the function bends sharply there, smaller steps are
   tried; if it has a kink, as relu has, both sides. *slope becomes the last
   slope. */
static double
excess(Graph *g, real *entry, double gradient, double *slope)
{
    double off = INFINITY;
    for (int try = 0; try < 8; try++) {
        double step = 1e-3 * pow(0.1, try / 2);
        *slope = difference(g, entry, try % 2 ? -step : step);
        double allowed = 5e-7 * (fabs(gradient) + fabs(*slope)) + 1e-9;
        off = fabs(gradient - *slope) / allowed;
        if (off <= 1)
            break;
    }
    return isnan(off) ? INFINITY : off;
}

/* Compares every `every`-th entry of a leaf. If one is wrong, s becomes the
   worst of this leaf. */
static void
compare_leaf(Graph *g, const Node *leaf, int every, Slopes *s)
{
    double worst = 1; /* in units of the error that is allowed */
    double slope;
    for (int k = 0; k < (int)size_of(leaf); k += every) {
        double gradient = leaf->touched ? (double)leaf->gradient[k] : 0;
        double off = excess(g, &leaf->value[k], gradient, &slope);
        if (off <= worst)
            continue;
        worst = off;
        *s = (Slopes){"", k / leaf->cols, k % leaf->cols, gradient, slope};
        snprintf(s->leaf, sizeof s->leaf, "%s", label(leaf));
    }
}

Slopes
slopes_of(Recorder *record, void *more, int every)
{
    Graph g = {record, more, tape_new(0)};
    Slopes s = {.leaf = ""};
    Tape *t = tape_new(0);
    backward_projected(record(t, more));
    for (const Node *n = t->last; n; n = n->previous)
        if (!n->in && n->gradient)
            compare_leaf(&g, n, every, &s);
    tape_free(g.tape);
    tape_free(t);
    return s;
}
