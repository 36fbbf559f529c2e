/* subject.c - a plugin under test, called as training calls it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "algebra/capture.h"
#include "base/report.h"
#include "base/words.h"
#include "check/difference.h"
#include "check/subject.h"
#include "config/build_model.h"
#include "config/positions.h"
#include "decode/cache.h"
#include "heart/fail.h"
#include "heart/random.h"

const Way ways[WAYS] = {
    {2, 3, 0, false, 0, 1, false},  {2, 3, 5, false, 0, 1, false},
    {2, 4, 0, true, 0, 1, false},   {1, 1, 0, false, 0, 1, false},
    {1, 1, 0, true, 0, 1, false},   {1, 33, 0, true, 0, 1, false},
    {2, 3, 0, false, 0, 30, false}, {2, 4, 0, true, 0, 30, false},
    {2, 3, 0, true, 1, 1, false},   {2, 3, 0, true, 2, 1, false},
    {2, 3, 0, false, 0, 1, true},
};

int
entries(const Subject *s, int i)
{
    return s->weights.list[i].rows * s->weights.list[i].cols;
}

/* As many behind them are not to be read, and marked as on a guarded tape. */
static real *
reals(int count)
{
    size_t size = (size_t)count * sizeof(real);
    real *all = allocate(2 * (size_t)count, sizeof *all);
    memset(all + count, UNWRITTEN, size);
    return all;
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
        const Weight *d = &s->weights.list[i];
        double size = s->as_declared ? d->deviation : fmax(d->deviation, 0.1);
        s->values[i] = reals(entries(s, i));
        s->gradients[i] = reals(entries(s, i));
        for (int k = 0; k < entries(s, i); k++)
            s->values[i][k] = (real)(d->mean + size * random_normal(&r));
    }
}

/* Makes s->attention that of a way, and says it in s->found. */
static void
take_case(Subject *s, const Way *w)
{
    Attention *a = &s->attention;
    a->causal = w->causal;
    a->layer = w->layer;
    snprintf(s->found->at, sizeof s->found->at,
             "d_model %d, heads %d, kv_heads %d, d_k %d, d_v %d, latent %d; "
             "%d x %d queries, %d x %d keys, block %d%s",
             a->d_model, a->heads, a->kv_heads, a->d_k, a->d_v, a->latent,
             w->sequences, w->queries, w->sequences,
             w->keys ? w->keys : w->queries, w->layer + 1,
             w->causal ? ", causal" : "");
}

static Subject
with_config(Subject s)
{
    s.attention = positioned_attention(&s.config);
    s.attention.layers = 3;
    s.attention.settings = s.plugin.variant->settings;
    take_case(&s, &ways[0]);
    subject_draw(&s);
    return s;
}

Subject
subject_at(Subject s, const char *shape)
{
    s.config = config_start();
    config_apply(&s.config, shape);
    config_resolve(&s.config, variant_uses(s.plugin.variant));
    return with_config(s);
}

Subject
subject_open(const char *word, Found *found)
{
    Subject s = {.plugin = plugin_open(word), .found = found};
    return subject_at(s, SMALL);
}

Subject
subject_changed(const Subject *s, const Setting *option)
{
    Subject other = *s;
    int *value = (int *)((char *)&other.config + option->offset);
    *value = *value ? 2 * *value : 2;
    return with_config(other);
}

/* forward as a model calls it; in a later block, after the blocks before. */
static Node *
forward(Subject *s, Node *x, Node *y, Node **w)
{
    const Variant *v = s->plugin.variant;
    forward_earlier(v, &s->attention, x, y, w);
    Node *out = plugin_forward(v, &s->attention, x, y, w);
#ifdef __GLIBC__
    struct mallinfo2 all = mallinfo2();
    report->held = (double)(all.uordblks + all.hblkhd);
#endif
    return out;
}

Tokens
tokens_of(Subject *s, Way way)
{
    Random r = random_stream(13, "tokens");
    int d = s->attention.d_model;
    int x = way.sequences * way.queries * d, y = way.sequences * way.keys * d;
    Tokens t = {.subject = s, .way = way, .x = reals(x + y), .x_size = x};
    for (int i = 0; i < x + y; i++)
        t.x[i] = (real)(way.size * random_normal(&r));
    t.y = y ? t.x + x : NULL;
    t.gradient = reals(x + y);
    return t;
}

/* The matrices on a tape, to be freed. */
static Node **
leaves(const Subject *s, Tape *t)
{
    Node **w = allocate((size_t)s->weights.count, sizeof *w);
    for (int i = 0; i < s->weights.count; i++) {
        const Weight *one = &s->weights.list[i];
        w[i] = leaf(t, one->rows, one->cols, 1, s->values[i], s->gradients[i]);
        w[i]->arguments = one->name;
    }
    return w;
}

Node *
record(Tape *t, void *tokens)
{
    const Tokens *in = tokens;
    Subject *s = in->subject;
    int d = s->attention.d_model, each = in->way.sequences;
    Node **w = leaves(s, t);
    Node *x = leaf(t, each * in->way.queries, d, each, in->x,
                   in->way.untrained && s->weights.count ? NULL : in->gradient);
    Node *y = x;
    x->arguments = "x";
    if (in->y) {
        y = leaf(t, each * in->way.keys, d, each, in->y,
                 in->gradient + in->x_size);
        y->arguments = "y";
    }
    take_case(s, &in->way);
    Node *out = forward(s, x, y, w);
    out = in->twice ? add(out, forward(s, x, y, w)) : out;
    free(w);
    return out;
}

/* Did the operators on a tape with RED_ZONES write all of their matrices, and
   nothing else? Every byte of such a tape is UNWRITTEN at first, which makes an
   entry a NaN that arithmetic hands on; behind each matrix as many bytes must
   stay so. */
static bool
unwritten(const real *from, size_t count)
{
    const unsigned char *at = (const unsigned char *)from;
    size_t i = 0, bytes = count * sizeof *from;
    while (i < bytes && at[i] == UNWRITTEN)
        i++;
    return i == bytes;
}

static void
verify_node(const Node *n)
{
    size_t count = size_of(n);
    if (!unwritten(n->value + count, count) ||
        (n->gradient && !unwritten(n->gradient + count, count)))
        bug("something was written past the end of an operator's result, or "
            "of its gradient (%d x %d)",
            n->rows, n->cols);
    for (int i = 0; i < n->rows * n->cols; i++)
        if (unwritten(n->value + i, 1))
            bug("an operator with result (%d x %d) did not write its row %d, "
                "column %d, or read past the end of an operand",
                n->rows, n->cols, i / n->cols + 1, i % n->cols + 1);
}

static void
verify_finite(const real *x, size_t count, const char *what, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            bug("%s%s is not finite", what, name);
}

/* Verifies the nodes in the order in which they were made: the first to be
   wrong is the one to blame. */
static void
verify(const Node *n)
{
    if (!n)
        return;
    verify(n->previous);
    if (n->root == n && n->in)
        verify_node(n);
}

real *
computed(Tokens *in, bool back)
{
    Tape *before = tape_new(SHAPES_ONLY),
         *t = tape_new(KEEP_GRADIENTS | RED_ZONES);
    record(before, in); /* a node kept from it is of an earlier call then */
    Node *out = record(t, in), *result = project(out);
    real *copy = reals(in->x_size);
    memcpy(copy, out->value, size_of(out) * sizeof(real));
    if (back)
        backward(result);
    verify(t->last);
    verify_finite(copy, size_of(out), "the output", "");
    for (const Node *n = t->last; n && back; n = n->previous)
        if (!n->in && n->gradient)
            verify_finite(n->gradient, size_of(n), "the gradient of ",
                          label(n));
    tape_free(before);
    tape_free(t);
    return copy;
}

uint64_t
call_all(Subject *s)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < WAYS; i++) {
        Tokens in = tokens_of(s, ways[i]);
        hash = hash_bytes(hash, computed(&in, true),
                          (size_t)in.x_size * sizeof(real));
    }
    return hash;
}

real *
decoded(Tokens *in, int *kept)
{
    enum { FIRST = 3 };
    Subject *s = in->subject;
    int d = s->attention.d_model, tokens = in->way.queries, count = FIRST;
    real *copy = reals(in->x_size);
    take_case(s, &in->way);
    Attention a = s->attention;
    Cache *c = cache_new(in->way.layer + 1, tokens, 1);
    for (int i = -FIRST; i < tokens; i += count) { /* at first, for shapes */
        Tape *t = tape_new(i < 0 ? SHAPES_ONLY : 0);
        t->keeper = &c->keeper;
        count = i > 0 ? 1 : FIRST;
        c->keeper.position = i < 0 ? tokens - FIRST : i;
        real *at = in->x + (i < 0 ? 0 : i) * d;
        Node **w = leaves(s, t), *out = NULL;
        Node *x = leaf(t, count, d, 1, at, NULL);
        for (a.layer = 0; a.layer <= in->way.layer; a.layer++) {
            c->keeper.enter(&c->keeper, &a, a.layer, x, x);
            out = plugin_forward(s->plugin.variant, &a, x, x, w);
            c->keeper.leave(&c->keeper);
        }
        if (i < 0)
            cache_clear(c);
        else
            memcpy(copy + i * d, out->value, size_of(out) * sizeof *copy);
    }
    *kept = cache_entries(c, in->way.layer);
    return copy;
}

Tape *
shapes_of(Tokens *in)
{
    Tape *t = tape_new(SHAPES_ONLY);
    record(t, in);
    return t;
}

double
bytes_kept(Tokens *in)
{
    Tape *t = tape_new(0);
    double least = INFINITY;
    for (int i = 0; i < 12; i++) { /* malloc caches what seven of them free */
        double before = report->held;
        tape_reset(t);
        backward(project(record(t, in)));
        least = i > 2 ? fmin(least, report->held - before) : least;
    }
    return least;
}
