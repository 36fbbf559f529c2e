/* gradients.c - checks that compare gradients with finite differences, in
   double precision. */
#include <math.h>
#include <stdio.h>

#include "base/words.h"
#include "check/checks.h"
#include "check/difference.h"
#include "heart/operators.h"

/* Compares the gradients in one way of calling it: of the matrices before those
   of x and y, since they tell more. If it is called `twice`, a backward
   which overwrites what others have added is found. */
static void
compare_slopes(Subject *s, Way way, bool twice)
{
    way.size = fmin(way.size, 2);
    Tokens in = tokens_of(s, way);
    in.twice = twice;
    Slopes wrong = slopes_of(record, &in);
    if (!*wrong.leaf)
        return;
    const char *hint =
        !s->plugin.own_operator ? "in a map, f' is not the derivative of f"
        : !(fabs(wrong.ratio - 1) > 1e-3)
            ? "a backward sums over the wrong index (a transpose is missing), "
              "or has = for +="
            : format_text("all of it is %.4g times what it should be: a factor "
                          "or a sign is wrong in a backward, or it has = for "
                          "+=",
                          wrong.ratio);
    fail("%s, row %d, column %d: %.6g, where the function's slope is %.6g; %s",
         wrong.leaf, wrong.row + 1, wrong.col + 1, wrong.found, wrong.wanted,
         hint);
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

void
check_gradients(Subject *s)
{
    for (int i = 0; i < WAYS; i++)
        if (ways[i].queries <= 8 && !ways[i].untrained)
            compare_slopes(s, ways[i], i < 2);
    Tokens in = tokens_of(s, ways[0]);
    double x = wrong_slope(&in);
    if (!isnan(x))
        fail("in a map, f' is not the derivative of f at %.3g", x);
    passed(s, "of x, y and every matrix, entry by entry and sign by sign, to "
              "1e-6");
}

/* Notes to which matrices a gradient arrives in a call; returns whether to any.
 */
static bool
arrives(Subject *s, const Way *w, bool *at)
{
    bool any = s->weights.count == 0;
    Tokens in = tokens_of(s, *w);
    subject_draw(s);
    computed(&in, true);
    for (int i = 0; i < s->weights.count; i++)
        for (int k = 0; k < entries(s, i); k++)
            if (s->gradients[i][k] != 0)
                any = at[i] = true;
    return any;
}

void
check_use(Subject *s)
{
    bool *used = allocate((size_t)s->weights.count, sizeof *used);
    arrives(s, &ways[0], used);
    arrives(s, &ways[SECOND_BLOCK], used);
    for (int i = 0; i < s->weights.count; i++)
        if (!used[i])
            fail("%s is declared, counted and saved, but no gradient arrives "
                 "at it: is it used, and not times 0 (1 / a->d_k is a division "
                 "of integers); does each backward add to all its operands?",
                 s->weights.list[i].name);
    s->as_declared = true;
    if (!arrives(s, &ways[0], used))
        fail("as the matrices start, no gradient arrives at any of them: are "
             "two that are multiplied both 0 (initialise)? It never learns");
    passed(s, "the output depends on every matrix declared");
}
