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

/* d_k is even: queries and keys may be rotated, pair by pair. */
#define SMALL     "d-model=8 heads=4 kv-heads=2 d-k=6 d-v=5 latent=7"
#define ELSEWHERE "d-model=12 heads=3 kv-heads=1 d-k=2 d-v=7 latent=5"

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

void
subject_case(Subject *s, const Way *w)
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

static void
take_config(Subject *s)
{
    s->attention = positioned_attention(&s->config);
    s->attention.layers = 3;
    s->attention.settings = s->plugin.variant->settings;
    subject_case(s, &ways[0]);
    subject_draw(s);
}

static void
take_shape(Subject *s, const char *shape)
{
    s->config = config_start();
    config_apply(&s->config, shape);
    config_resolve(&s->config, variant_uses(s->plugin.variant));
    take_config(s);
}

Subject
subject_open(const char *word, Found *found)
{
    Subject s = {.plugin = plugin_open(word), .found = found};
    take_shape(&s, SMALL);
    return s;
}

Subject
subject_elsewhere(const Subject *s)
{
    Subject other = *s;
    take_shape(&other, ELSEWHERE);
    return other;
}

Subject
subject_changed(const Subject *s, const Setting *option)
{
    Subject other = *s;
    int *value = (int *)((char *)&other.config + option->offset);
    *value = *value ? 2 * *value : 2;
    take_config(&other);
    return other;
}

Node *
subject_forward(Subject *s, Node *x, Node *y, Node **w)
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

/* Records forward on the tape. */
static Node *
apply(Subject *s, Tape *t, const Tokens *in)
{
    const Way *way = &in->way;
    int d = s->attention.d_model;
    Node **w = leaves(s, t);
    Node *x = leaf(t, way->sequences * way->queries, d, way->sequences, in->x,
                   way->untrained && s->weights.count ? NULL : in->x_gradient);
    Node *y = in->y ? leaf(t, way->sequences * way->keys, d, way->sequences,
                           in->y, in->y_gradient)
                    : x;
    x->arguments = "x";
    if (in->y)
        y->arguments = "y";
    subject_case(s, way);
    Node *out = subject_forward(s, x, y, w);
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
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            if (unwritten(n->value + (size_t)i * (size_t)n->cols + j, 1))
                bug("an operator with result (%d x %d) did not write its row "
                    "%d, column %d, or read past the end of an operand",
                    n->rows, n->cols, i + 1, j + 1);
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

static void
expect_finite(const real *x, int count, const char *what, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            bug("%s%s is not finite", what, name);
}

real *
computed(Subject *s, const Tokens *in, bool back)
{
    Tape *before = tape_new(SHAPES_ONLY),
         *t = tape_new(KEEP_GRADIENTS | RED_ZONES);
    apply(s, before,
          in); /* so that a node kept from an earlier call is found */
    Node *out = apply(s, t, in), *result = project(out);
    real *copy = reals(in->x_size);
    memcpy(copy, out->value, (size_t)in->x_size * sizeof(real));
    if (back)
        backward(result);
    verify(t->last);
    expect_finite(copy, in->x_size, "the output", "");
    if (back)
        expect_finite(in->x_gradient, in->x_size, "the gradient of ", "x");
    for (int i = 0; back && i < s->weights.count; i++)
        expect_finite(s->gradients[i], entries(s, i), "the gradient of ",
                      s->weights.list[i].name);
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
        hash = hash_bytes(hash, computed(s, &in, true),
                          (size_t)in.x_size * sizeof(real));
    }
    return hash;
}

/* Decodes `count` tokens at x, in this block and those before it. */
static const Node *
decode(const Subject *s, Tape *t, Cache *c, real *x, int count)
{
    Attention a = s->attention;
    Node **w = leaves(s, t), *out = NULL;
    Node *in = leaf(t, count, a.d_model, 1, x, NULL);
    in->arguments = "x";
    for (a.layer = 0; a.layer <= s->attention.layer; a.layer++) {
        c->keeper.enter(&c->keeper, &a, a.layer, in, in);
        out = plugin_forward(s->plugin.variant, &a, in, in, w);
        c->keeper.leave(&c->keeper);
    }
    c->keeper.position += count;
    free(w);
    return out;
}

real *
decoded(Subject *s, const Tokens *in, int *kept)
{
    enum { FIRST = 3 };
    int tokens = in->way.queries, d = s->attention.d_model;
    real *copy = reals(in->x_size);
    subject_case(s, &in->way);
    Cache *c = cache_new(in->way.layer + 1, tokens, 1);
    Tape *measured = tape_new(SHAPES_ONLY), *t = tape_new(0);
    measured->keeper = &c->keeper;
    c->keeper.position = tokens - FIRST;
    decode(s, measured, c, in->x, FIRST);
    t->keeper = &c->keeper;
    cache_clear(c);
    for (int i = 0, n; i < tokens; i += n) {
        n = i ? 1 : FIRST;
        tape_reset(t);
        const Node *out = decode(s, t, c, in->x + i * d, n);
        memcpy(copy + i * d, out->value, size_of(out) * sizeof *copy);
    }
    *kept = cache_entries(c, in->way.layer);
    cache_free(c);
    tape_free(measured);
    tape_free(t);
    return copy;
}

Tape *
shapes_of(Subject *s, const Tokens *in)
{
    Tape *t = tape_new(SHAPES_ONLY);
    apply(s, t, in);
    return t;
}

double
bytes_kept(Subject *s, const Tokens *in)
{
    Tape *t = tape_new(0);
    double least = INFINITY;
    for (int i = 0; i < 12; i++) { /* malloc caches what seven of them free */
        double before = report->held;
        tape_reset(t);
        backward(project(apply(s, t, in)));
        least = i > 2 ? fmin(least, report->held - before) : least;
    }
    return least;
}
