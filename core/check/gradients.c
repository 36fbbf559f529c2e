/* gradients.c - checks that compare gradients with finite differences, in
   double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "check/checks.h"
#include "check/difference.h"
#include "operators/elementwise.h"
#include "training/build_model.h"

/* Calls forward in ways[way_number], and compares every n-th entry of each
   gradient with its slope, where n is `every`. */
static void
compare_slopes(Subject *s, int way_number, int every)
{
    const double largest_size = 4;
    Way way = ways[way_number];
    /* If x and y are both large, so are the scores, and a softmax of large
       scores has no slope. */
    bool equally_large = way.y_size == 0;
    if (equally_large)
        way.size = fmin(way.size, largest_size);
    Tokens in = tokens_of(s, way);
    /* Two calls on the same operands reveal a backward pass that overwrites a
       gradient instead of adding to it. */
    in.twice = way_number == SELF_WAY || way_number == CROSS_WAY;
    Slopes wrong = slopes_of(record, &in, every);
    if (!*wrong.leaf)
        return;
    const char *cause =
        advice(s,
               "is a number as large as -1e9 added, which leaves no digits to "
               "the others (-INFINITY masks), or does a map bend too sharply?",
               "do numbers grow so large, as in exp, that rounding hides their "
               "slope?");
    if (s->plugin.own_operator)
        cause = "does a backward sum over the wrong index (is a transpose "
                "missing), have a wrong factor or sign, or = for +=?";
    fail("the gradient of %s, row %d, column %d, is %.6g, but the slope there "
         "is %.6g: %s",
         wrong.leaf, wrong.row + 1, wrong.col + 1, wrong.gradient, wrong.slope,
         cause);
}

/* Returns the x nearest to 0, among those tried, at which a map's df is not the
   slope of its f, or INFINITY if df is right at all of them. Each x that is
   tried is `factor` times the one before, with either sign. None of them is a
   round number, because a kink is likely to be at a round number. */
static double
wrong_x_of_map(const Mapping *m)
{
    const double least = 0.0137, most = 1000, factor = 1.7;
    for (double x = least; x < most; x *= factor) {
        if (!slope_holds(m, -x))
            return -x;
        if (!slope_holds(m, x))
            return x;
    }
    return INFINITY;
}

/* Returns the x nearest to 0 at which the df of any map in a call is wrong, or
   INFINITY if every df is right. */
static double
wrong_x_of_call(Tokens *in)
{
    double nearest = INFINITY;
    Tape *t = shapes_of(in);
    for (const Node *n = t->last; n; n = n->previous) {
        if (n->op != &map_op)
            continue;
        double x = wrong_x_of_map(n->arguments);
        if (fabs(x) < fabs(nearest))
            nearest = x;
    }
    return nearest;
}

/* In the first block, at the first shape, this check compares every entry in
   all ways. Elsewhere it compares only some entries in the BASIC_WAYS, and only
   in blocks that compute something new. */
void
check_gradients(Subject *s)
{
    const int few_queries = 8; /* more would take too long */
    int layer = s->attention.layer;
    bool all = layer == FIRST_LAYER && s->shape == FIRST_SHAPE;
    int count = all ? WAYS : BASIC_WAYS;
    /* The later a block, the fewer entries: each runs all earlier blocks again.
       7 and 3 are arbitrary. */
    int every = all ? 1 : 7 + 3 * layer;
    Tokens in = tokens_of(s, ways[SELF_WAY]);
    double wrong_x = wrong_x_of_call(&in);
    if (wrong_x != INFINITY)
        fail("in a map, f' is not the derivative of f at %.3g: correct f'",
             wrong_x);
    bool is_compared = new_in_layer(s);
    for (int i = 0; i < count; i++) {
        bool is_short = ways[i].queries <= few_queries;
        /* If x is data, every gradient left is one that another way has. */
        if (is_compared && is_short && !ways[i].x_is_data)
            compare_slopes(s, i, every);
    }
    passed(s, "of x, y and every matrix: each entry is the slope, to 1e-6");
}

/* Returns the largest absolute entry of the gradient of a matrix. */
static double
largest_gradient(const Weight *w)
{
    double largest = 0;
    for (int k = 0; k < w->rows * w->cols; k++)
        largest = fmax(largest, fabs((double)w->gradient[k]));
    return largest;
}

/* s->weights has the gradients of a call. Notes in use[i] whether matrix i got
   one. Returns whether any matrix did. */
static bool
note_gradients(const Subject *s, Usage *use)
{
    /* A gradient below this share of the call's largest one is only rounding.
       For example, a key bias cancels in the softmax, but its gradient is about
       1e-16 of the largest one instead of 0. */
    const double rounding = 1e-12;
    const Weights *w = &s->weights;
    double largest = 0;
    for (int i = 0; i < w->count; i++)
        largest = fmax(largest, largest_gradient(&w->list[i]));
    bool in_first = s->attention.layer == FIRST_LAYER;
    for (int i = 0; i < w->count; i++) {
        double own = largest_gradient(&w->list[i]);
        use[i].in_first |= own > 0 && in_first;
        use[i].in_later |= own > 0 && !in_first;
        use[i].above_rounding |= own > rounding * largest;
    }
    return largest > 0;
}

/* Notes in `use` which matrices get a gradient in this block, in self-, cross-
   or causal attention, with entries that are drawn anew (Subject.as_declared).
   Returns whether any matrix does, or true if there are no matrices. */
static bool
note_use(Subject *s, Usage *use)
{
    bool any = s->weights.count == 0;
    subject_draw(s);
    /* Messages describe the last call, so self-attention is the last way. */
    for (int way = BASIC_WAYS - 1; way >= SELF_WAY; way--) {
        Tokens in = tokens_of(s, ways[way]);
        computed(&in, true);
        any |= note_gradients(s, use);
    }
    return any;
}

/* Returns the numbers of the blocks of a model in which matrix i gets no
   gradient, such as "2, 4"; or "" if there are none. */
static const char *
unused_blocks(const Model *m, int i)
{
    Values unused = {0};
    for (int p = 0; p < m->places; p++)
        if (largest_gradient(&place_weights(m, p).list[i]) == 0)
            values_add(&unused, format_text("%d", p + 1));
    if (unused.count == m->places) /* check_used accepted it, so it is used in
                                      cross-attention, which m does not call */
        return "";
    return joined(&unused, ", ");
}

/* Returns the end of a message, which names the matrices that only some blocks
   use, with the blocks that do not. This is no error: all blocks must declare
   the same matrices. No matrix is added to a text of LONG_ENOUGH letters. */
static const char *
say_unused(Subject *s)
{
    enum { TOKENS = 8, LONG_ENOUGH = 200 };
    char *text = "";
    Stack k = stack_of(s, TOKENS);
    Tape *t = tape_new(COMPUTE);
    backward_projected(model_forward(k.model, t, &k.batch));
    for (int i = 0; i < s->weights.count; i++) {
        const char *blocks = unused_blocks(k.model, i);
        if (*blocks && strlen(text) < LONG_ENOUGH)
            text = format_text("%s; %s is unused in block %s", text,
                               s->weights.list[i].name, blocks);
    }
    return text;
}

/* Returns the end of a message, which names the matrices whose gradients are
   only rounding, so that the output does not depend on them; "" if there are
   none. The message is of the first shape (passed), which has no positions;
   with them a key bias may matter, so it says "without positions". */
static const char *
say_cancelled(const Subject *s)
{
    Values names = {0};
    for (int i = 0; i < s->weights.count; i++)
        if (!s->use[i].above_rounding)
            values_add(&names, copy_text(s->weights.list[i].name));
    if (!names.count)
        return "";
    return format_text("; the output does not depend on %s without positions: "
                       "the gradient there is only rounding",
                       joined(&names, ", "));
}

/* Notes in s->use which matrices get a gradient in this block if all have
   random values. Fails if some matrix does, but none gets a gradient with the
   initial values that the variant declares: it could not learn. */
static void
check_can_learn(Subject *s)
{
    Usage *initial = allocate((size_t)s->weights.count, sizeof *initial);
    s->as_declared = false;
    bool can_learn = note_use(s, s->use);
    s->as_declared = true;
    if (can_learn && !note_use(s, initial))
        fail("every initial gradient is 0, so it cannot learn: are two "
             "multiplied matrices both initialised to 0 (%s)?",
             advice(s, "see initialise", "see ~ N(0, 0)"));
    free(initial);
}

/* Fails if matrix i gets a gradient in no block, or only in the first one. */
static void
check_used(const Subject *s, int i)
{
    const char *name = s->weights.list[i].name;
    const Usage *use = &s->use[i];
    if (!use->in_first && !use->in_later)
        fail("%s is declared, but no gradient arrives at it: %s", name,
             advice(s,
                    "is it unused, or multiplied by 0 (1 / a->d_k is an "
                    "integer division), or does a backward skip an operand?",
                    "is it multiplied by 0?"));
    if (!use->in_later)
        fail("%s is declared and saved in every block, but only the first "
             "uses it: use it in every block, or leave it out",
             name);
}

/* This check is called for each block, in order. s->use collects which matrices
   the blocks use, and is judged in the call for the last block. It is judged
   only at a shape with LAYERS blocks: with fewer blocks, the block that uses a
   matrix might be missing. */
void
check_use(Subject *s)
{
    int layer = s->attention.layer, last = s->attention.layers - 1;
    if (layer == FIRST_LAYER)
        s->use = allocate((size_t)s->weights.count, sizeof *s->use);
    check_can_learn(s);
    if (layer < last)
        return;
    if (s->attention.layers == LAYERS)
        for (int i = 0; i < s->weights.count; i++)
            check_used(s, i);
    passed(s, "the output is computed from every matrix declared%s%s",
           say_cancelled(s), say_unused(s));
}
