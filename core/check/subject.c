/* subject.c - a plugin under test, called as training calls it. Each function
   that draws random numbers starts with its own fixed seed, so all checks see
   the same matrices and tokens. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/operator_table.h"
#include "base/words.h"
#include "check/difference.h"
#include "check/subject.h"
#include "equation/run_equation.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "training/rope_and_alibi.h"

const Way ways[WAYS] = {
    [SELF_WAY] = {.sequences = 2, .queries = 3, .size = 1},
    [CROSS_WAY] = {.sequences = 2, .queries = 3, .keys = 5, .size = 1},
    [CAUSAL_WAY] = {.sequences = 2, .queries = 4, .causal = true, .size = 1},
    {.sequences = 1, .queries = 1, .size = 1},
    {.sequences = 1, .queries = 1, .causal = true, .size = 1},
    {.sequences = 1, .queries = 33, .causal = true, .size = 1},
    {.sequences = 2, .queries = 3, .size = 30},
    {.sequences = 2, .queries = 4, .causal = true, .size = 30},
    {.sequences = 2, .queries = 3, .size = 1, .x_is_data = true},
    {.sequences = 1, .queries = 33, .keys = 35, .size = 1},
    {.sequences = 2, .queries = 3, .keys = 5, .size = 12, .y_size = 1. / 12},
    {.sequences = 2, .queries = 3, .keys = 5, .size = 1. / 12, .y_size = 12},
};

const char *
advice(const Subject *s, const char *in_c, const char *in_equation)
{
    bool is_equation = plan_of_variant(s->plugin.variant) != NULL;
    return is_equation ? in_equation : in_c;
}

/* Allocates `count` numbers, followed by a red zone of the same size, whose
   bytes make each number in it a NaN. An operator that reads past the end of
   the numbers therefore gives NaN. */
static real *
reals(size_t count)
{
    real *all = allocate(2 * count, sizeof *all);
    memset(all + count, UNWRITTEN, count * sizeof *all);
    return all;
}

void
subject_draw(Subject *s)
{
    const double least = 0.1; /* the least deviation, unless as_declared */
    const int seed = 11;
    Random r = random_stream(seed, "check");
    s->weights = weights_declared(s->plugin.variant, &s->attention);
    for (int i = 0; i < s->weights.count; i++) {
        Weight *w = &s->weights.list[i];
        double deviation = w->deviation;
        if (!s->as_declared)
            deviation = fmax(deviation, least);
        w->value = reals(entries_of(w));
        w->gradient = reals(entries_of(w));
        for (size_t k = 0; k < entries_of(w); k++)
            w->value[k] = (real)(w->mean + deviation * random_normal(&r));
    }
}

/* The shapes; the last one is LARGE. All sizes in a row differ, so that a
   plugin that confuses two of them fails. Rows with positions have few layers,
   so that a plugin that relies on more layers fails. In the first two rows no
   two widths have the same ratio, so that a number that is made from a width
   tells from which one (check_equation). With rope, d_k is even, as
   rope requires. */
static const struct {
    const char *config;
    const char *positions; /* the end of messages about the shape, or "" */
    int layers;
} shapes[SHAPES + 1] = {
    {"d-model=8 heads=4 kv-heads=2 d-k=6 d-v=5 latent=7", "", LAYERS},
    {"d-model=24 heads=6 kv-heads=3 d-k=2 d-v=7 latent=5 positions=alibi",
     ", positions alibi", 1},
    {"d-model=16 heads=2 kv-heads=1 d-k=6 d-v=4 latent=10 positions=rope",
     ", positions rope", 2},
    {"d-model=320 heads=5 kv-heads=1 d-k=128 d-v=72 latent=150", "", LAYERS},
};

/* Sets the mask of s->attention for a way of calling, and describes the call in
   s->found->at, for messages. */
static void
begin_call(Subject *s, const Way *w)
{
    Attention *a = &s->attention;
    a->causal = w->causal;
    snprintf(s->found->at, sizeof s->found->at,
             "d_model %d, heads %d, kv_heads %d, d_k %d, d_v %d, latent %d; "
             "%d x %d queries, %d x %d keys, block %d of %d%s%s",
             a->d_model, a->heads, a->kv_heads, a->d_k, a->d_v, a->latent,
             w->sequences, w->queries, w->sequences,
             w->keys ? w->keys : w->queries, a->layer + 1, a->layers,
             w->causal ? ", causal" : "", shapes[s->shape].positions);
}

/* Returns s with the attention and the matrices of s.config. Messages before
   the first call describe a call of self-attention. */
static Subject
with_config(Subject s)
{
    s.attention = positioned_attention(&s.config);
    s.attention.layers = shapes[s.shape].layers;
    begin_call(&s, &ways[SELF_WAY]);
    subject_draw(&s);
    return s;
}

Subject
subject_at(Subject s, int shape)
{
    s.shape = shape;
    s.config = config_start();
    config_apply(&s.config, shapes[shape].config);
    config_resolve(&s.config, variant_uses(s.plugin.variant));
    return with_config(s);
}

/* Returns whether rope can rotate all queries and keys, in all blocks: their
   heads must have an even number of columns. The blocks are run without rope,
   which would end the process at an odd number. */
static bool
takes_rope(Subject s)
{
    s.attention.relative = NULL;
    s.attention.layer = s.attention.layers - 1; /* forward runs all blocks */
    Tokens in = tokens_of(&s, ways[SELF_WAY]);
    Tape *t = shapes_of(&in);
    for (const Node *n = t->last; n; n = n->previous) {
        Work work = meaning_of(n)->work;
        bool has_queries = work == SCORING || work == ATTENDING;
        if (!has_queries)
            continue;
        const Node *queries = n->in[0]; /* keys are as wide as queries */
        if (queries->cols / queries->heads % 2 != 0)
            return false;
    }
    return true;
}

void
check_everywhere(Check *check, const char *word, Found *found)
{
    Subject s = {.plugin = plugin_open(word), .found = found};
    for (int shape = FIRST_SHAPE; shape < SHAPES; shape++) {
        s = subject_at(s, shape);
        int layers = s.attention.layers;
        if (s.attention.relative == &rope && !takes_rope(s))
            continue; /* the plugin cannot be used at this shape */
        for (int layer = FIRST_LAYER; layer < layers; layer++) {
            s.attention.layer = layer;
            check(&s);
        }
    }
}

Subject
subject_changed(const Subject *s, const Setting *option)
{
    Subject other = *s;
    char value[32];
    /* atoi gives 0 for an option that is not set. */
    int old = atoi(setting_text(option, &s->config));
    int new = old ? 2 * old : 2;
    if (option->kind == OWN)
        new = old == 1 ? 2 : 1;
    snprintf(value, sizeof value, "%d", new);
    setting_set(option, &other.config, value);
    return with_config(other);
}

/* Calls forward as a model does: forward of all earlier blocks is called first.
   `w` has the leaves of the matrices. */
static Node *
forward(Subject *s, Node *x, Node *y, Node **w)
{
    const Variant *v = s->plugin.variant;
    forward_earlier(v, &s->attention, x, y, w);
    return plugin_forward(v, &s->attention, x, y, w);
}

Tokens
tokens_of(Subject *s, Way way)
{
    Calls calls = s->plugin.variant->calls;
    const int seed = 13;
    Random r = random_stream(seed, "tokens");
    if (calls == CAUSAL_ONLY)
        way.causal = true;
    if (calls != ANY_CALL)
        way.keys = NO_Y;
    int d = s->attention.d_model;
    int x_entries = way.sequences * way.queries * d;
    int y_entries = way.sequences * way.keys * d; /* 0 in self-attention */
    int all = x_entries + y_entries;
    double y_size = way.y_size > 0 ? way.y_size : way.size;
    Tokens t = {.subject = s, .way = way, .x_size = x_entries, .size = all};
    t.x = reals((size_t)all);
    for (int i = 0; i < all; i++) {
        double deviation = i < x_entries ? way.size : y_size;
        t.x[i] = (real)(deviation * random_normal(&r));
    }
    t.y = y_entries ? t.x + x_entries : NULL;
    t.gradient = reals((size_t)all);
    return t;
}

Node *
record(Tape *t, void *tokens)
{
    const Tokens *in = tokens;
    Subject *s = in->subject;
    int d = s->attention.d_model, sequences = in->way.sequences;
    /* Without matrices, x is no data, or nothing would have a gradient. */
    bool x_is_data = in->way.x_is_data && s->weights.count > 0;
    real *x_gradient = x_is_data ? NULL : in->gradient;
    Node **w = leaves_of(t, &s->weights);
    Node *x =
        leaf(t, sequences * in->way.queries, d, sequences, in->x, x_gradient);
    Node *y = x;
    x->arguments = "x"; /* its name in messages */
    if (in->y) {
        y = leaf(t, sequences * in->way.keys, d, sequences, in->y,
                 in->gradient + in->x_size);
        y->arguments = "y";
    }
    begin_call(s, &in->way);
    Node *out = forward(s, x, y, w);
    if (in->twice)
        out = add(out, forward(s, x, y, w));
    free(w);
    return out;
}

/* Returns whether none of these `count` entries was ever written. Every byte of
   a tape with RED_ZONES is UNWRITTEN at first. */
static bool
is_unwritten(const real *numbers, size_t count)
{
    const unsigned char *bytes = (const unsigned char *)numbers;
    for (size_t i = 0; i < count * sizeof *numbers; i++)
        if (bytes[i] != UNWRITTEN)
            return false;
    return true;
}

/* Checks that the operators of n and of all earlier nodes wrote their whole
   results, and nothing in the red zones that follow these. Earlier nodes are
   checked first, because the first wrong one is to blame. */
static void
check_written(const Node *n)
{
    if (!n)
        return;
    check_written(n->previous);
    bool is_view = n->root != n, is_leaf = !n->in; /* no operator made it */
    if (is_view || is_leaf)
        return;
    size_t count = size_of(n);
    if (!is_unwritten(n->value + count, count) ||
        (n->gradient && !is_unwritten(n->gradient + count, count)))
        bug("the operator %s wrote past the end of its result or gradient (%d "
            "x %d): check its loops",
            n->op->name, n->rows, n->cols);
    for (int i = 0; i < n->rows * n->cols; i++)
        if (is_unwritten(n->value + i, 1))
            bug("the operator %s, with result (%d x %d), did not write row %d, "
                "column %d, or read past an operand's end: check its loops",
                n->op->name, n->rows, n->cols, i / n->cols + 1,
                i % n->cols + 1);
}

/* Extends `hash` by `count` numbers. */
static uint64_t
hash_reals(uint64_t hash, const real *numbers, size_t count)
{
    return hash_bytes(hash, numbers, count * sizeof *numbers);
}

/* A hash of the operands of a call: the tokens, and all matrices. */
static uint64_t
hash_operands(const Tokens *in)
{
    const Weights *w = &in->subject->weights;
    uint64_t hash = hash_reals(HASH_START, in->x, (size_t)in->size);
    for (int i = 0; i < w->count; i++)
        hash = hash_reals(hash, w->list[i].value, entries_of(&w->list[i]));
    return hash;
}

/* Returns a hash of the gradients of the tokens and of all matrices. */
static uint64_t
hash_gradients(const Tokens *in)
{
    const Weights *w = &in->subject->weights;
    uint64_t hash = hash_reals(HASH_START, in->gradient, (size_t)in->size);
    for (int i = 0; i < w->count; i++)
        hash = hash_reals(hash, w->list[i].gradient, entries_of(&w->list[i]));
    return hash;
}

/* Ends the process unless all entries of x, the value or the gradient of n, are
   finite. `which` begins the message: "the output " or "the gradient of ". */
static void
check_finite(const Node *n, const real *x, const char *which)
{
    for (size_t i = 0; i < size_of(n); i++)
        if (!isfinite(x[i]))
            bug("%s%s is not finite in row %d, column %d: look for a division "
                "by 0, a log or root of a negative number, or an exp that "
                "overflows",
                which, label(n), (int)i / n->cols + 1, (int)i % n->cols + 1);
}

real *
computed(Tokens *in, bool with_gradients)
{
    uint64_t operands = hash_operands(in);
    Tape *earlier = tape_new(SHAPES_ONLY);
    Tape *t = tape_new(KEEP_GRADIENTS | RED_ZONES);
    record(earlier, in); /* a plugin that keeps a node of it fails next time */
    Node *out = record(t, in);
    real *copy = reals((size_t)in->x_size); /* `out` has the shape of x */
    memcpy(copy, out->value, (size_t)in->x_size * sizeof *copy);
    /* A wrong backward pass could change out->value, but not the copy. */
    if (with_gradients && out->trained)
        backward_projected(out);
    check_written(t->last);
    if (hash_operands(in) != operands)
        bug("an operator changed x, y or a matrix: it must write only to its "
            "own c->value and c->kept, and to its operands' gradients");
    check_finite(out, copy, "the output ");
    for (const Node *n = t->last; n; n = n->previous)
        if (with_gradients && !n->in && n->gradient) /* n is a leaf */
            check_finite(n, n->gradient, "the gradient of ");
    tape_free(earlier);
    tape_free(t);
    return copy;
}

/* Calls forward of a block in all ways, and returns a hash of its outputs and
   gradients. Afterwards s->attention is at that block. */
static uint64_t
call_layer(Subject *s, int layer)
{
    uint64_t hash = HASH_START;
    /* Every block gets the matrices that are declared for the first one. So the
       hashes of two blocks differ only if they compute something different. */
    s->attention.layer = FIRST_LAYER;
    subject_draw(s);
    s->attention.layer = layer;
    for (int i = 0; i < WAYS; i++) {
        Tokens in = tokens_of(s, ways[i]);
        hash = hash_reals(hash, computed(&in, true), (size_t)in.x_size);
        hash += hash_gradients(&in);
    }
    return hash;
}

/* Afterwards s->attention is at the same block as before. s->weights are the
   matrices that are declared for the first block. */
uint64_t
call_all(Subject *s)
{
    int before = s->attention.layer;
    for (int layer = FIRST_LAYER; layer < s->attention.layers; layer++)
        s->hash[layer] = call_layer(s, layer);
    s->attention.layer = before;
    return hash_bytes(HASH_START, s->hash, sizeof s->hash);
}

/* Earlier calls have stored the hashes of the earlier blocks in s->hash. */
bool
new_in_layer(Subject *s)
{
    int layer = s->attention.layer;
    s->hash[layer] = call_layer(s, layer);
    for (int i = 0; i < layer; i++)
        if (s->hash[i] == s->hash[layer])
            return false;
    return true;
}

Tape *
shapes_of(Tokens *in)
{
    Tape *t = tape_new(SHAPES_ONLY);
    record(t, in);
    return t;
}

Stack
stack_of(Subject *s, int tokens)
{
    Sizes sizes = {
        .tokens = tokens, .each = 1, .vocabulary = SYMBOLS, .classes = SYMBOLS};
    const double noise = 0.2;
    const int seed = 5, one_sequence = 1;
    Random r = random_stream(seed, "decoding");
    s->config.mask = MASK_CAUSAL;
    s->config.norm = NORM_PRE; /* keeps numbers from growing in many blocks */
    s->config.layers = s->attention.layers;
    Model *m = model_new(&s->config, sizes, s->plugin.variant);
    for (size_t i = 0; i < m->parameters; i++) /* none stays constant */
        m->values[i] += (real)(noise * random_normal(&r));
    Batch b = batch_new(sizes, one_sequence);
    for (int i = 0; i < tokens; i++)
        b.ids[i] = random_below(&r, SYMBOLS);
    /* Messages about the stack name no single call: only the shape, which
       begin_call wrote before the first ";". */
    s->found->at[strcspn(s->found->at, ";")] = 0;
    return (Stack){m, b};
}
