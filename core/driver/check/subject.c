/* subject.c - a plugin under test, called as training calls it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "tape/difference.h"
#include "tape/tape.h"
#include "model/model.h"
#include "driver/check/subject.h"

#define SMALL "d-model=8 heads=4 kv-heads=2 d-k=3 d-v=5 latent=7"

const Way ways[WAYS] = {
    {"self-attention", 2, 3, 0, false, 1},
    {"cross-attention", 2, 3, 5, false, 1},
    {"causal self-attention", 2, 4, 0, true, 1},
    {"one token", 1, 1, 0, false, 1},
    {"one causal token", 1, 1, 0, true, 1},
    {"one sequence of many tokens", 1, 33, 0, true, 1},
    {"large scores", 2, 3, 0, false, 30},
    {"large causal scores", 2, 4, 0, true, 30},
};

Finding
finding(Verdict verdict, const char *format, ...)
{
    Finding f = {.verdict = verdict};
    va_list args;
    va_start(args, format);
    vsnprintf(f.what, sizeof f.what, format, args);
    va_end(args);
    return f;
}

int
entries(const Subject *s, int i)
{
    return s->weights.list[i].rows * s->weights.list[i].cols;
}

static real *
reals(int count)
{
    return allocate((size_t)count, sizeof(real));
}

void
subject_draw(Subject *s)
{
    Random r = random_stream(11, "check");
    s->weights = weights_declared(s->plugin.variant, &s->attention);
    size_t count = (size_t)s->weights.count;
    s->values = allocate(count, sizeof *s->values);
    s->gradients = allocate(count, sizeof *s->gradients);
    for (int i = 0; i < s->weights.count; i++) {
        const Declared *d = &s->weights.list[i];
        double size = fmax(d->deviation, 0.1);
        s->values[i] = reals(entries(s, i));
        s->gradients[i] = reals(entries(s, i));
        for (int k = 0; k < entries(s, i); k++)
            s->values[i][k] = (real)(d->mean + size * random_normal(&r));
    }
}

Subject
subject_open(const char *word)
{
    Subject s = {.plugin = plugin_open(word)};
    Config c = config_start();
    config_apply(&c, SMALL);
    config_settle(&c, s.plugin.variant->shape);
    s.attention = attention_of(&c);
    subject_draw(&s);
    return s;
}

Tokens
tokens_of(const Subject *s, Way way)
{
    Random r = random_stream(13, "tokens");
    int d = s->attention.d_model;
    int x = way.sequences * way.queries * d, y = way.sequences * way.keys * d;
    Tokens t = {.way = way, .x = reals(x + y), .x_size = x};
    for (int i = 0; i < x + y; i++)
        t.x[i] = (real)(way.size * random_normal(&r));
    t.y = y ? t.x + x : NULL;
    t.x_gradient = reals(x);
    t.y_gradient = reals(y);
    return t;
}

/* Records forward on the tape. */
static Node *
apply(Subject *s, Tape *t, const Tokens *in)
{
    const Way *way = &in->way;
    int d = s->attention.d_model;
    Node **w = allocate((size_t)s->weights.count, sizeof *w);
    for (int i = 0; i < s->weights.count; i++)
        w[i] = leaf(t, s->weights.list[i].rows, s->weights.list[i].cols, 1,
                    s->values[i], s->gradients[i]);
    Node *x = leaf(t, way->sequences * way->queries, d, way->sequences, in->x,
                   in->untrained ? NULL : in->x_gradient);
    Node *y = in->y ? leaf(t, way->sequences * way->keys, d, way->sequences,
                           in->y, in->y_gradient)
                    : x;
    s->attention.causal = way->causal;
    Node *out = plugin_forward(s->plugin.variant, &s->attention, x, y, w);
    free(w);
    return out;
}

real *
computed(Subject *s, const Tokens *in, bool back)
{
    Tape *measured = tape_measure();
    project(apply(s, measured, in));
    Tape *t = tape_fitting(measured);
    Node *out = apply(s, t, in), *result = project(out);
    real *copy = reals(in->x_size);
    memcpy(copy, out->value, (size_t)in->x_size * sizeof(real));
    if (back)
        backward(result);
    tape_free(measured);
    tape_free(t);
    return copy;
}

double
factor_between(const double *found, const double *wanted, int count)
{
    double both = 0, all = 0;
    for (int i = 0; i < count; i++) {
        both += found[i] * wanted[i];
        all += wanted[i] * wanted[i];
    }
    return all > 0 ? both / all : 0;
}

bool
proportional(const double *found, const double *wanted, int count,
             double factor)
{
    double off = 0, all = 0;
    for (int i = 0; i < count; i++) {
        off = fmax(off, fabs(found[i] - factor * wanted[i]));
        all = fmax(all, fabs(factor * wanted[i]));
    }
    return off <= 1e-5 * all;
}
