/* difference.c - compares gradients with finite differences. */
#include <math.h>
#include <stdio.h>

#include "check/difference.h"
#include "heart/random.h"

/* The random numbers of the projection, from the first one on. Any seed would
   do. */
static Random
projection_stream(void)
{
    const int seed = 7;
    return random_stream(seed, "projection");
}

void
backward_projected(Node *a)
{
    Random r = projection_stream();
    real *d = gradient(a); /* NULL if A depends on no trained leaf */
    if (d)
        for (size_t i = 0; i < size_of(a); i++)
            d[i] += (real)random_normal(&r);
    backward(a);
}

/* The graph under test, which is recorded anew for each value of an entry. */
typedef struct Graph {
    Recorder *record;
    void *more; /* the second argument of record */
    Tape *tape; /* reset before each recording */
} Graph;

/* The projection of the graph's result if an entry of a leaf is x. The entry
   then gets its old value back. */
static double
result_at(Graph *g, real *entry, double x)
{
    double old = (double)*entry;
    *entry = (real)x;
    tape_reset(g->tape);
    const Node *n = g->record(g->tape, g->more);
    Random r = projection_stream();
    double result = 0;
    for (size_t i = 0; i < size_of(n); i++)
        result += random_normal(&r) * (double)n->value[i];
    *entry = (real)old;
    return result;
}

/* Let f be the projection as a function of one entry, whose value is x. Returns
   the slope of f at x, from f(x) and four more points on one side of x, above
   it if h > 0:

       f'(x) = (-25 f(x) + 48 f(x + h) - 36 f(x + 2h) + 16 f(x + 3h)
                - 3 f(x + 4h)) / 12h,

   which has an error proportional to h^4. */
static double
one_sided_slope(Graph *g, real *entry, double h)
{
    enum { POINTS = 5 };
    static const double weights[POINTS] = {-25, 48, -36, 16, -3};
    double x = (double)*entry, sum = 0;
    for (int i = 0; i < POINTS; i++)
        sum += weights[i] * result_at(g, entry, x + i * h);
    return sum / (12 * h);
}

/* Returns whether df at x is the slope of f between two points near x, up to
   1e-4 of it and the rounding of f. Also true if f or df is NaN there, because
   nothing can be compared. */
static bool
is_slope(const Mapping *m, double x, double from, double to)
{
    const double relative = 1e-4, rounding = 1e-8;
    double derivative = m->df(x);
    double slope = (m->f(to) - m->f(from)) / (to - from);
    double allowed = relative * (fabs(slope) + fabs(derivative)) +
                     rounding * (1 + fabs(m->f(x)));
    bool differs = fabs(slope - derivative) > allowed; /* false if one is NaN */
    return !differs;
}

/* The smaller steps are for functions that bend sharply at x. */
bool
slope_holds(const Mapping *m, double x)
{
    enum { STEPS = 3 };
    static const double steps[STEPS] = {1e-4, 1e-5, 1e-6};
    for (int i = 0; i < STEPS; i++) {
        double h = steps[i] * fmax(1, fabs(x));
        if (is_slope(m, x, x - h, x) || is_slope(m, x, x, x + h) ||
            is_slope(m, x, x - h, x + h))
            return true;
    }
    return false;
}

/* How far a gradient is from a slope, as a multiple of the allowed error. So a
   result above 1 means a wrong gradient. */
static double
excess(double gradient, double slope)
{
    const double relative = 5e-7, absolute = 1e-9;
    double allowed = relative * (fabs(gradient) + fabs(slope)) + absolute;
    return fabs(gradient - slope) / allowed;
}

/* Returns the excess of a gradient over the slope at its entry, or INFINITY if
   one of them is NaN. Smaller steps are tried because the function may bend
   sharply there, and steps to both sides because it may have a kink, as relu
   has. *slope becomes the slope with the last step tried, for a message. */
static double
excess_at(Graph *g, real *entry, double gradient, double *slope)
{
    enum { STEPS = 8 };
    static const double steps[STEPS] = {1e-3, -1e-3, 1e-4, -1e-4,
                                        1e-5, -1e-5, 1e-6, -1e-6};
    double last = INFINITY;
    for (int i = 0; i < STEPS; i++) {
        *slope = one_sided_slope(g, entry, steps[i]);
        last = excess(gradient, *slope);
        if (last <= 1)
            break;
    }
    return isnan(last) ? INFINITY : last;
}

/* Compares every n-th entry of a leaf, where n is `every`. If any gradient is
   wrong, s becomes the entry of this leaf at which it is most wrong. */
static void
compare_leaf(Graph *g, const Node *leaf, int every, Slopes *s)
{
    double worst = 1; /* an excess up to 1 is allowed */
    double slope;
    for (int k = 0; k < (int)size_of(leaf); k += every) {
        /* A leaf that no backward function touched has the gradient 0. */
        double gradient = leaf->touched ? (double)leaf->gradient[k] : 0;
        double here = excess_at(g, &leaf->value[k], gradient, &slope);
        if (here <= worst)
            continue;
        worst = here;
        *s = (Slopes){.row = k / leaf->cols,
                      .col = k % leaf->cols,
                      .gradient = gradient,
                      .slope = slope};
        snprintf(s->leaf, sizeof s->leaf, "%s", label(leaf));
    }
}

Slopes
slopes_of(Recorder *record, void *more, int every)
{
    Graph g = {record, more, tape_new(COMPUTE)};
    Slopes s = {.leaf = ""};
    Tape *t = tape_new(COMPUTE); /* this tape has the gradients */
    backward_projected(record(t, more));
    for (const Node *n = t->last; n; n = n->previous)
        if (!n->in && n->gradient) /* it is a leaf that is trained */
            compare_leaf(&g, n, every, &s);
    tape_free(g.tape);
    tape_free(t);
    return s;
}
