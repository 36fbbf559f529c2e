/* linear.c - task linear: how a product of matrices learns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/operator.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "tape/tape.h"
#include "task/linear.h"

double
linear_mode(const Config *c, int i)
{
    const char *at = c->spectrum;
    if (!*at)
        return ldexp(4, -i);
    for (char *end;; at = end + 1) {
        double s = strtod(at, &end);
        if (end == at || (*end && *end != '+') || (i > 0 && !*end))
            return NAN;
        if (i-- == 0)
            return s;
    }
}

Sizes
sizes_linear(const Config *c)
{
    if (c->depth < 1)
        usage("depth %d: task linear is a product of that many matrices; give "
              "1 or more",
              c->depth);
    if (c->batch != 1)
        usage("batch %d: task linear sees all of its data in every step; "
              "leave it at 1",
              c->batch);
    if (strcmp(c->variant, "standard"))
        usage("variant %s: task linear has no attention; leave it at "
              "standard",
              c->variant);
    bool more = *c->spectrum && !isnan(linear_mode(c, c->length));
    for (int i = 0; i < c->length; i++)
        if (more || !(linear_mode(c, i) > 0) || !isfinite(linear_mode(c, i)))
            usage("spectrum \"%s\": not %d numbers above 0 with + between, "
                  "one for each of %d modes (length)",
                  c->spectrum, c->length, c->length);
    return (Sizes){.tokens = c->length,
                   .each = 1,
                   .vocabulary = c->length,
                   .classes = c->length,
                   .first = 0,
                   .step = 1};
}

void
draw_linear(const Config *c, Random *r, Example *e)
{
    (void)r;
    for (int i = 0; i < c->length; i++) {
        e->ids[i] = i;
        e->targets[i] = 0;
    }
}

double
linear_start(const Config *c)
{
    return decay(logarithm(100) / c->depth) / sqrt(c->length);
}

typedef struct Power {
    const real *diag;
    bool fourth;
} Power;

static void
power_error_forward(Node *c)
{
    const Node *x = c->in[0];
    const Power *p = c->arguments;
    double sum = 0;
    for (int i = 0; i < x->rows * x->cols; i++) {
        double e = (double)(c->kept[i] = x->value[i] - p->diag[i]);
        sum += p->fourth ? e * e * e * e / 4 : e * e / 2;
    }
    c->value[0] = (real)sum;
}

/* dX += E dC, or E^3 dC, with E = X - diag */
static void
power_error_backward(Node *c)
{
    Node *x = c->in[0];
    const Power *p = c->arguments;
    real *d = gradient(x), factor = c->gradient[0];
    for (int i = 0; i < x->rows * x->cols; i++) {
        real e = c->kept[i];
        d[i] += factor * (p->fourth ? e * e * e : e);
    }
}

Node *
power_error(Node *x, const real *diag, bool fourth)
{
    static const Operator op = {"power_error", power_error_forward,
                                power_error_backward};
    Node *c = new_node(&op, 1, 1, &x, 1);
    c->sequences = 1;
    keep_arguments(c, &(Power){diag, fourth}, sizeof(Power));
    c->kept = keep(c, size_of(x));
    return compute(c);
}

double
power_explained(const Node *x, const real *diag)
{
    double off = 0, all = 0;
    for (int i = 0; i < x->rows * x->cols; i++) {
        double e = (double)x->value[i] - (double)diag[i];
        off += e * e;
        all += (double)diag[i] * (double)diag[i];
    }
    return 1 - off / all;
}
