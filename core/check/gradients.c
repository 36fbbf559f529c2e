/* gradients.c - checks that compare gradients with finite differences, in
   double precision. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "check/checks.h"
#include "check/difference.h"
#include "heart/operators.h"
#include "operators/elementwise.h"
#include "training/build_model.h"

/* Compares the gradients in one way of calling it: of the matrices before those
   of x and y, since they tell more. If it is called `twice`, a backward
   which overwrites what others have added is found. */
static void
compare_slopes(Subject *s, int i, int every)
{
    Way way = ways[i];
    way.size = way.y_size > 0 ? way.size : fmin(way.size, 4);
    Tokens in = tokens_of(s, way);
    in.twice = i < 2;
    Slopes wrong = slopes_of(record, &in, every);
    if (*wrong.leaf)
        fail("%s, row %d, column %d: %.6g, where the function's slope is %.6g; "
             "%s",
             wrong.leaf, wrong.row + 1, wrong.col + 1, wrong.found,
             wrong.wanted,
             s->plugin.own_operator
                 ? "a backward sums over the wrong index (a transpose is "
                   "missing), has a wrong factor or sign, or has = for +="
                 : "a number as large as -1e9 leaves no digits to what is "
                   "added to it (-INFINITY masks), or a map bends too sharply");
}

/* Where df of a map of the plugin is not the slope of its f, however large the
   numbers that reach it; NaN: nowhere. */
static double
wrong_slope(Tokens *in)
{
    double found = NAN;
    Tape *t = shapes_of(in);
    for (const Node *n = t->last; n; n = n->previous) {
        const Mapping *m = n->op == &map_op ? n->arguments : NULL;
        for (double x = 0.0137; m && x < 1000; x *= 1.7)
            for (int sign = -1; sign < 2; sign += 2)
                if (!(fabs(found) <= x) && !slope_holds(m, sign * x))
                    found = sign * x;
    }
    return found;
}

/* All in the first block; and some, in three ways, in every other that computes
   something else: the fewer the more blocks run before it, each time. */
void
check_gradients(Subject *s)
{
    int most = s->attention.layer || s->shape ? 3 : WAYS;
    int every = most < WAYS ? 7 + 3 * s->attention.layer : 1;
    Tokens in = tokens_of(s, ways[0]);
    double x = wrong_slope(&in);
    if (!isnan(x))
        fail("in a map, f' is not the derivative of f at %.3g", x);
    for (int i = 0; new_in_layer(s) && i < most; i++)
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

/* Bits of a matrix: in which blocks a gradient arrives at it, and whether it is
   ever more than rounding. What cancels, as a key bias does in the softmax, has
   a gradient that is about 1e-16 of the others, and not 0. */
enum { IN_FIRST = 1, IN_LATER = 2, MATTERS = 4 };
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
        int k = 0;
        while (k < w.rows * w.cols && w.gradient[k] == 0)
            k++;
        if (k < w.rows * w.cols)
            continue;
        list = format_text("%s%s%d", list, *list ? ", " : "", p + 1);
        blocks++;
    }
    return blocks < m->places ? list : "";
}

/* Says which matrices are of no use in which blocks: the first few. That may be
   meant, since all blocks declare the same. */
static char *
say_unused(Subject *s)
{
    enum { TOKENS = 8, ENOUGH = 200 };
    char *text = "";
    Stack k = stack_of(s, TOKENS);
    backward_projected(model_forward(k.model, tape_new(0), &k.batch));
    for (int i = 0; i < s->weights.count && strlen(text) < ENOUGH; i++) {
        const char *where = unused_blocks(k.model, i);
        if (*where)
            text = format_text("%s; %s is unused in block %s", text,
                               s->weights.list[i].name, where);
    }
    return text;
}

/* Says which matrices get only rounding: no output depends on them. */
static char *
say_cancelled(const Subject *s, const int *used)
{
    char *text = "";
    for (int i = 0; i < s->weights.count; i++)
        if (!(used[i] & MATTERS))
            text = format_text("%s%s %s", text, *text ? "," : "",
                               s->weights.list[i].name);
    return *text ? format_text("; without positions it does not depend on%s, "
                               "which cancels: what arrives there is rounding",
                               text)
                 : text;
}

void
check_use(Subject *s)
{
    static int used[10000];
    int layer = s->attention.layer;
    if (layer == 0)
        memset(used, 0, sizeof used);
    s->as_declared = false;
    bool any = arrives(s, layer ? IN_LATER : IN_FIRST, used);
    s->as_declared = true;
    if (any && !arrives(s, 0, used))
        fail("as the matrices start, no gradient arrives at any of them: are "
             "two that are multiplied both 0 (initialise)? It never learns");
    for (int i = 0; layer == LAYERS - 1 && i < s->weights.count; i++) {
        const char *name = s->weights.list[i].name;
        if (!(used[i] & (IN_FIRST | IN_LATER)))
            fail("%s is declared, counted and saved, but no gradient arrives "
                 "at it: is it used, and not times 0 (1 / a->d_k is a division "
                 "of integers); does each backward add to all its operands?",
                 name);
        if ((used[i] & (IN_FIRST | IN_LATER)) == IN_FIRST)
            fail("%s is declared, counted and saved in every block, and used "
                 "only in the first: in no other does a gradient arrive at it",
                 name);
    }
    if (layer == s->attention.layers - 1)
        passed(s, "the output is computed from every matrix declared%s%s",
               say_cancelled(s, used), say_unused(s));
}
