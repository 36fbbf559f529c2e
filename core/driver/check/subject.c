/* subject.c - a plugin on the bench: called as training calls it. */
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

static void
draw(real *to, int count, double size, Random *r)
{
    for (int i = 0; i < count; i++)
        to[i] = (real)(size * random_normal(r));
}

Subject
subject_open(const char *word)
{
    Subject s = {.plugin = plugin_open(word)};
    Random r = random_stream(11, "check");
    Config c = config_start();
    config_apply(&c, SMALL);
    config_settle(&c, s.plugin.variant->shape);
    s.attention = attention_of(&c);
    s.weights = weights_declared(s.plugin.variant, &s.attention);
    size_t count = (size_t)s.weights.count;
    s.values = allocate(count, sizeof *s.values);
    s.gradients = allocate(count, sizeof *s.gradients);
    for (size_t i = 0; i < count; i++) {
        Declared *d = &s.weights.list[i];
        s.values[i] = allocate((size_t)(d->rows * d->cols), sizeof(real));
        s.gradients[i] = allocate((size_t)(d->rows * d->cols), sizeof(real));
        draw(s.values[i], d->rows * d->cols, fmax(d->deviation, 0.1), &r);
        for (int k = 0; k < d->rows * d->cols; k++)
            s.values[i][k] += (real)d->mean;
    }
    return s;
}

Tokens
tokens_drawn(const Subject *s, int sequences, int asking, int asked,
             double size)
{
    Random r = random_stream(13, "tokens");
    int d = s->attention.d_model, nx = sequences * asking * d,
        ny = sequences * asked * d;
    Tokens t = {.sequences = sequences, .asking = asking, .asked = asked};
    t.x = allocate((size_t)(2 * (nx + ny)), sizeof(real));
    draw(t.x, nx + ny, size, &r);
    t.y = asked ? t.x + nx : NULL;
    t.x_gradient = t.x + nx + ny;
    t.y_gradient = t.x_gradient + nx;
    return t;
}

/* Puts forward on the tape; what it returns must be as x is. */
static Node *
apply(Subject *s, Tape *t, const Tokens *in)
{
    int d = s->attention.d_model, rows = in->sequences * in->asking;
    Node **w = allocate((size_t)s->weights.count, sizeof *w);
    for (int i = 0; i < s->weights.count; i++) {
        Declared *p = &s->weights.list[i];
        w[i] = leaf(t, p->rows, p->cols, 1, s->values[i], s->gradients[i]);
    }
    Node *x = leaf(t, rows, d, in->sequences, in->x,
                   in->untrained ? NULL : in->x_gradient),
         *y = x;
    if (in->y)
        y = leaf(t, in->sequences * in->asked, d, in->sequences, in->y,
                 in->y_gradient);
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
    size_t size = (size_t)out->rows * (size_t)out->cols * sizeof(real);
    real *copy = allocate(1, size);
    memcpy(copy, out->value, size);
    if (back)
        backward(result);
    tape_free(measured);
    tape_free(t);
    return copy;
}

const Way ways[WAYS] = {
    {"self-attention", 2, 3, 0, 0, 1},
    {"cross-attention", 2, 3, 5, 0, 1},
    {"causal self-attention", 2, 4, 0, 1, 1},
    {"one token", 1, 1, 0, 0, 1},
    {"one causal token", 1, 1, 0, 1, 1},
    {"one sequence of many tokens", 1, 33, 0, 1, 1},
    {"large scores", 2, 3, 0, 0, 30},
    {"large causal scores", 2, 4, 0, 1, 30},
};
