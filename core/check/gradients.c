/* gradients.c - checks that compare gradients with finite differences, in
   double precision. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "check/checks.h"
#include "check/difference.h"
#include "operators/elementwise.h"
#include "training/build_model.h"

/* Compares the gradients when forward is called in way i. Those of the matrices
   come first, since they show more clearly where a mistake is. In the first two
   ways forward is called twice on the same operands, which reveals a backward
   pass that overwrites a gradient instead of adding to it. */
static void
compare_slopes(Subject *s, int i, int every)
{
    Way way = ways[i];
    way.size = way.y_size > 0 ? way.size : fmin(way.size, 4);
    Tokens in = tokens_of(s, way);
    in.twice = i < 2;
    Slopes wrong = slopes_of(record, &in, every);
    if (*wrong.leaf)
        fail("the gradient of %s, row %d, column %d, is %.6g, but the slope "
             "there is %.6g: %s",
             wrong.leaf, wrong.row + 1, wrong.col + 1, wrong.found,
             wrong.wanted,
             s->plugin.own_operator
                 ? "does a backward sum over the wrong index (is a transpose "
                   "missing), have a wrong factor or sign, or = for +=?"
                 : advice(s,
                          "is a number as large as -1e9 added, which leaves no "
                          "digits to the others (-INFINITY masks), or does a "
                          "map bend too sharply?",
                          "do numbers grow so large, as in exp, that rounding "
                          "hides their slope?"));
}

/* The smallest x > 0 at which df of a map is not the slope of its f, there or
   at -x: returned with its sign. NaN if df is right everywhere. */
static double
wrong_slope_of(const Mapping *m)
{
    for (double x = 0.0137; x < 1000; x *= 1.7) {
        if (!slope_holds(m, -x))
            return -x;
        if (!slope_holds(m, x))
            return x;
    }
    return NAN;
}

/* The smallest such place of all maps in a call; NaN if all are right. */
static double
wrong_slope(Tokens *in)
{
    double smallest = NAN;
    Tape *t = shapes_of(in);
    for (const Node *n = t->last; n; n = n->previous) {
        double x = n->op == &map_op ? wrong_slope_of(n->arguments) : NAN;
        bool first = isnan(smallest);
        if (!isnan(x) && (first || fabs(x) < fabs(smallest)))
            smallest = x;
    }
    return smallest;
}

/* Compares every entry in the first block. In later blocks that compute
   something new, and at other shapes, it compares only some entries in three
   ways. These are fewer in later blocks, since each entry runs all earlier
   blocks again. */
void
check_gradients(Subject *s)
{
    int most = s->attention.layer || s->shape ? 3 : WAYS;
    int every = most < WAYS ? 7 + 3 * s->attention.layer : 1;
    Tokens in = tokens_of(s, ways[0]);
    double x = wrong_slope(&in);
    if (!isnan(x))
        fail("in a map, f' is not the derivative of f at %.3g: correct f'", x);
    if (new_in_layer(s))
        for (int i = 0; i < most; i++)
            if (ways[i].queries <= 8 && !ways[i].untrained)
                compare_slopes(s, i, every);
    passed(s, "of x, y and every matrix, entry by entry and sign by sign, to "
              "1e-6");
}

/* The largest entry of the gradient of matrix i. */
static double
largest_gradient(const Subject *s, int i)
{
    double largest = 0;
    for (int k = 0; k < entries(s, i); k++)
        largest = fmax(largest, fabs((double)s->weights.list[i].gradient[k]));
    return largest;
}

/* Bits of a matrix: whether it gets a gradient in the first block and in a
   later one, and whether that is ever more than rounding. A key bias, which
   cancels in the softmax, has a gradient that is not 0, but about 1e-16 of the
   others.
 */
enum { NOWHERE = 0, IN_FIRST = 1, IN_LATER = 2, MATTERS = 4 };
static const double rounding = 1e-12; /* of the largest gradient of a call */

/* Sets bit `as` in at[i] for each matrix i that gets a gradient in this block,
   in self-, cross- or causal attention, and MATTERS if it is more than
   rounding; returns whether any matrix gets one. */
static bool
arrives(Subject *s, int as, int *at)
{
    bool any = s->weights.count == 0;
    subject_draw(s);
    for (int way = 2; way >= 0; way--) {
        Tokens in = tokens_of(s, ways[way]);
        double most = 0;
        computed(&in, true);
        for (int i = 0; i < s->weights.count; i++)
            most = fmax(most, largest_gradient(s, i));
        for (int i = 0; i < s->weights.count; i++) {
            double largest = largest_gradient(s, i);
            if (largest == 0)
                continue;
            any = true;
            at[i] |= largest > rounding * most ? as | MATTERS : as;
        }
    }
    return any;
}

/* The blocks of a model in which matrix i gets no gradient, "2, 4"; "" if it
   gets none in any, because only cross-attention uses it. */
static const char *
unused_blocks(const Model *m, int i)
{
    char *list = "";
    int blocks = 0;
    for (int p = 0; p < m->places; p++) {
        const Weight w = place_weights(m, p).list[i];
        bool used = false;
        for (int k = 0; k < w.rows * w.cols; k++)
            used |= w.gradient[k] != 0;
        if (used)
            continue;
        list = format_text("%s%s%d", list, *list ? ", " : "", p + 1);
        blocks++;
    }
    return blocks < m->places ? list : "";
}

/* Names the first few matrices that some blocks do not use, with these blocks.
   That may be intended, since all blocks declare the same matrices. */
static char *
say_unused(Subject *s)
{
    enum { TOKENS = 8, ENOUGH = 200 };
    char *text = "";
    Stack k = stack_of(s, TOKENS);
    backward_projected(model_forward(k.model, tape_new(0), &k.batch));
    for (int i = 0; i < s->weights.count; i++) {
        const char *where = unused_blocks(k.model, i);
        if (*where && strlen(text) < ENOUGH)
            text = format_text("%s; %s is unused in block %s", text,
                               s->weights.list[i].name, where);
    }
    return text;
}

/* Returns a text that names the matrices whose gradients are only rounding at
   the shape that is reported, which has no positions; "" if there are none. */
static char *
cancelled_words(const Subject *s, const int *used)
{
    char *text = "";
    for (int i = 0; i < s->weights.count; i++)
        if (!(used[i] & MATTERS))
            text = format_text("%s%s %s", text, *text ? "," : "",
                               s->weights.list[i].name);
    if (!*text)
        return text;
    return format_text("; the output does not depend on%s without positions: "
                       "the gradient there is only rounding",
                       text);
}

/* Notes in `used` at which matrices a gradient arrives with random values.
   Fails if one does, but none with the initial values that the variant
   declares. */
static void
check_can_learn(Subject *s, int *used)
{
    s->as_declared = false;
    bool any = arrives(s, s->attention.layer ? IN_LATER : IN_FIRST, used);
    s->as_declared = true;
    if (any && !arrives(s, NOWHERE, used))
        fail("every initial gradient is 0, so it cannot learn: are two "
             "multiplied matrices both 0 (%s)?",
             advice(s, "initialise", "~ N(0, 0)"));
}

/* Fails if a gradient arrives at matrix i in no block, or only in the first. */
static void
check_used(const Subject *s, int used, int i)
{
    const char *name = s->weights.list[i].name;
    if (!(used & (IN_FIRST | IN_LATER)))
        fail("%s is declared, but no gradient arrives at it: %s", name,
             advice(s,
                    "is it used, and not times 0 (1 / a->d_k divides "
                    "integers)? Does each backward add to all its operands?",
                    "is it multiplied by 0?"));
    if ((used & (IN_FIRST | IN_LATER)) == IN_FIRST)
        fail("%s is declared and saved in every block, but only the first "
             "uses it: use it in every block, or leave it out",
             name);
}

/* This is called once for each block, in their order. `used` collects the
   matrices of all blocks at which a gradient arrives, and the call for the last
   block judges them. */
void
check_use(Subject *s)
{
    static int *used; /* one for each matrix, all 0 before the first block */
    int layer = s->attention.layer;
    if (layer == 0)
        used = allocate((size_t)s->weights.count, sizeof *used);
    check_can_learn(s, used);
    if (layer == LAYERS - 1) /* a shape of fewer blocks does not tell */
        for (int i = 0; i < s->weights.count; i++)
            check_used(s, used[i], i);
    if (layer == s->attention.layers - 1)
        passed(s, "the output is computed from every matrix declared%s%s",
               cancelled_words(s, used), say_unused(s));
}
