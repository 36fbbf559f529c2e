/* gradients.c - checks that compare gradients with finite differences, in
   double precision. */
#include <math.h>
#include <stdio.h>

#include "check/checks.h"
#include "check/difference.h"
#include "heart/operators.h"

typedef struct Graph {
    Subject *subject;
    bool crossed, twice;
} Graph;

/* forward; or if `twice`, the sum of two calls on the same operands. */
static Node *
build(Node **in, void *more)
{
    Graph *g = more;
    Subject *s = g->subject;
    Node *x = in[s->weights.count], *y = in[s->weights.count + g->crossed];
    Node *out = subject_forward(s, x, y, in);
    return g->twice ? add(out, subject_forward(s, x, y, in)) : out;
}

/* The mistake that would look like this. */
static const char *
likely(const Slopes *s, const Leaf *l, bool own, bool twice)
{
    static char text[160];
    int count = l->rows * l->cols;
    double ratio = ratio_of(s->found, s->wanted, count), all = 0;
    for (int i = 0; i < count; i++)
        all += fabs(s->found[i]);
    if (isnan(all))
        return isnan(s->wanted[s->row * l->cols + s->col])
                   ? "the function itself is no number there"
                   : "a backward divides by 0, or takes a root of what is "
                     "below it";
    if (!own) /* all that it can get wrong */
        return "in a map, f' is not the derivative of f";
    if (all == 0)
        return "no gradient arrives there: does backward add to every operand?";
    if (twice)
        return "right where an operand is used once, wrong where twice: = in a "
               "backward where += belongs";
    if (fabs(ratio + 1) <= 1e-5)
        return "its sign is wrong";
    if (fabs(ratio - 1) > 1e-3) {
        snprintf(text, sizeof text,
                 "all of it is %.4g times what it should be: a factor is "
                 "missing in a backward",
                 ratio);
        return text;
    }
    return "a backward sums over the wrong index (a transpose is missing), or "
           "overwrites what others have added (= for +=)";
}

/* Compares the gradients in one way of calling it; used[i] becomes true where
   the result depends on matrix i, unless `used` is NULL. Matrices are compared
   before x and y: they tell more. */
static Finding
slopes_of_way(Subject *s, const Way *w, bool twice, bool *used)
{
    Graph g = {s, w->keys != 0, twice};
    int d = s->attention.d_model, count = s->weights.count;
    Leaf *leaves = allocate((size_t)(count + 2), sizeof *leaves);
    double size = w->size > 1 ? 2 : 1;
    for (int i = 0; i < count; i++) {
        const Weight *p = &s->weights.list[i];
        leaves[i] = (Leaf){p->rows, p->cols, 1, 1 / sqrt(p->rows)};
    }
    leaves[count] = (Leaf){w->sequences * w->queries, d, w->sequences, size};
    leaves[count + 1] = (Leaf){w->sequences * w->keys, d, w->sequences, size};
    subject_case(s, w);
    Slopes slopes = slopes_of(build, &g, leaves, count + 1 + g.crossed);
    for (int i = 0; used && i < count; i++)
        used[i] |= slopes.reached[i];
    if (slopes.leaf < 0)
        return passed("of x, y and every matrix, entry by entry and sign by "
                      "sign, to 1e-6");
    int i = slopes.leaf, at = slopes.row * leaves[i].cols + slopes.col;
    const char *name = i < count    ? s->weights.list[i].name
                       : i == count ? "x"
                                    : "y";
    return failed("%s: %s (%d x %d), row %d, column %d: %.6g, where the "
                  "function's slope is %.6g; %s",
                  w->what, name, leaves[i].rows, leaves[i].cols, slopes.row + 1,
                  slopes.col + 1, slopes.found[at], slopes.wanted[at],
                  likely(&slopes, &leaves[i], s->plugin.own_operator, twice));
}

/* Where df of a map of the plugin is not the slope of its f, however large the
   numbers that reach it; NaN: nowhere. */
static double
wrong_slope(Subject *s, const Tokens *in)
{
    double found = NAN;
    Tape *t = shapes_of(s, in);
    for (const Node *n = t->last; n; n = n->previous) {
        const Mapping *m = n->op == &map_op ? n->arguments : NULL;
        for (double x = 0.0137; m && x < 1000; x *= 1.7)
            for (int sign = -1; sign < 2; sign += 2)
                if (!(fabs(found) <= x) && !slope_holds(m, sign * x))
                    found = sign * x;
    }
    tape_free(t);
    return found;
}

Finding
check_gradients(Subject *s)
{
    Finding f = {.verdict = PASSED};
    for (int i = 0; i < WAYS && f.verdict == PASSED; i++)
        if (ways[i].queries <= 8)
            f = slopes_of_way(s, &ways[i], false, NULL);
    for (int i = 0; i < 2 && f.verdict == PASSED; i++)
        f = slopes_of_way(s, &ways[i], true, NULL);
    Tokens in = tokens_of(s, ways[0]);
    double x = f.verdict == PASSED ? wrong_slope(s, &in) : NAN;
    return isnan(x)
               ? f
               : failed("in a map, f' is not the derivative of f at %.3g", x);
}

/* Does a gradient arrive anywhere as the matrices start? */
static bool
can_start(Subject *s)
{
    Tokens in = tokens_of(s, ways[0]);
    s->as_declared = true;
    subject_draw(s);
    computed(s, &in, true);
    for (int i = 0; i < s->weights.count; i++)
        for (int k = 0; k < entries(s, i); k++)
            if (s->gradients[i][k] != 0)
                return true;
    return s->weights.count == 0;
}

Finding
check_use(Subject *s)
{
    int count = s->weights.count;
    bool *used = allocate((size_t)count, sizeof *used);
    slopes_of_way(s, &ways[0], false, used);
    slopes_of_way(s, &ways[SECOND_BLOCK], false, used);
    for (int i = 0; i < count; i++)
        if (!used[i])
            return failed(
                "%s is declared, counted and saved, but no gradient arrives at "
                "it: is it used, and not times 0 (1 / a->d_k is a division of "
                "integers); does each backward add to all its operands?",
                s->weights.list[i].name);
    if (!can_start(s))
        return failed("as the matrices start, no gradient arrives at any of "
                      "them: are two that are multiplied both 0 (initialise)? "
                      "It never learns");
    return passed("the output depends on every matrix declared");
}
