/* gradients.c - checks that compare gradients with finite differences, in
   double precision. */
#include <math.h>
#include <stdio.h>

#include "base/words.h"
#include "check/checks.h"
#include "check/difference.h"
#include "heart/operators.h"

typedef struct Graph {
    Subject *subject;
    bool crossed;
} Graph;

/* Two calls of forward on the same operands, added up, so that a backward which
   overwrites what others have added is found. */
static Node *
build(Node **in, void *more)
{
    Graph *g = more;
    Subject *s = g->subject;
    Node *x = in[s->weights.count], *y = in[s->weights.count + g->crossed];
    return add(subject_forward(s, x, y, in), subject_forward(s, x, y, in));
}

/* Compares the gradients in one way of calling it: of the matrices before those
   of x and y, since they tell more. */
static void
compare_slopes(Subject *s, const Way *w)
{
    Graph g = {s, w->keys != 0};
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
    Slopes wrong = slopes_of(build, &g, leaves, count + 1 + g.crossed);
    int i = wrong.leaf;
    if (i < 0)
        return;
    const char *hint =
        !s->plugin.own_operator ? "in a map, f' is not the derivative of f"
        : isnan(wrong.ratio)
            ? "a backward sums over the wrong index (a transpose is missing), "
              "or has = for +="
            : format_text("all of it is %.4g times what it should be: a factor "
                          "or a sign is wrong in a backward, or it has = for "
                          "+=",
                          wrong.ratio);
    fail("%s (%d x %d), row %d, column %d: %.6g, where the function's slope is "
         "%.6g; %s",
         i < count    ? s->weights.list[i].name
         : i == count ? "x"
                      : "y",
         leaves[i].rows, leaves[i].cols, wrong.row + 1, wrong.col + 1,
         wrong.found, wrong.wanted, hint);
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
    return found;
}

void
check_gradients(Subject *s)
{
    for (int i = 0; i < WAYS; i++)
        if (ways[i].queries <= 8 && !ways[i].untrained)
            compare_slopes(s, &ways[i]);
    Tokens in = tokens_of(s, ways[0]);
    double x = wrong_slope(s, &in);
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
    computed(s, &in, true);
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
