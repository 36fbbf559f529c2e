/* operation.c - applies the operators of an equation to its values.

   The meaning of a product depends on its operands. Tokens by a matrix are a
   map; a map with an index gives its heads to the operand that has none. Tokens
   by transposed tokens are scores. Scores by tokens are a weighted sum. */

#include "equation/operation.h"

/* The earlier step that is equal to s; NO_STEP if there is none. */
static int
step_like(const Plan *p, const Step *s)
{
    for (int i = 0; i < p->steps; i++) {
        const Step *t = &p->step[i];
        bool same = t->act == s->act && t->inputs == s->inputs &&
                    t->weight == s->weight;
        for (int k = 0; same && k < s->inputs; k++)
            same = t->in[k] == s->in[k];
        for (int k = 0; same && k < 2; k++)
            same = equal_numbers(p->text, t->number[k], s->number[k]);
        if (same)
            return i;
    }
    return NO_STEP;
}

/* How many matrices are on the longest way from the tokens to a step. */
static int
depth_of(const Plan *p, int step)
{
    const Step *s = &p->step[step];
    return s->act == STEP_WEIGHT ? p->weight[s->weight].depth : s->depth;
}

/* Notes whose rows a new step has, and its distance from the tokens: both
   follow from its operands. */
static void
note_origin(const Plan *p, Step *s)
{
    s->rows = s->act == STEP_X ? 'x' : s->act == STEP_Y ? 'y' : 0;
    for (int i = 0; i < s->inputs; i++) {
        int depth = depth_of(p, s->in[i]);
        if (!s->rows)
            s->rows = p->step[s->in[i]].rows;
        if (depth > s->depth)
            s->depth = depth;
    }
}

/* The number of the step, which is new unless there is one like it. */
static int
put_step(Builder *b, Step s)
{
    Plan *p = b->plan;
    int like = step_like(p, &s);
    if (like != NO_STEP)
        return like;
    note_origin(p, &s);
    p->step = grow(p->step, p->steps, &p->step_capacity, sizeof s);
    p->step[p->steps] = s;
    p->steps++;
    return p->steps - 1;
}

int
add_step(Builder *b, Act act, const char *at, int first, int second)
{
    Step s = {.act = act, .at = at, .in = {first, second}};
    s.inputs = (first != NO_STEP) + (second != NO_STEP);
    return put_step(b, s);
}

int
add_weight_step(Builder *b, int weight, const char *at)
{
    return put_step(b, (Step){.act = STEP_WEIGHT, .at = at, .weight = weight});
}

int
add_number_step(Builder *b, Act act, const char *at, int of, Tree *number)
{
    Step s = {.act = act, .at = at, .in = {of}, .inputs = 1};
    s.number[0] = number;
    return put_step(b, s);
}

/* The matrix that a value is, if it is one of the variant's own. */
static PlanWeight *
own_weight(const Builder *b, Value v)
{
    const Step *s = &b->plan->step[v.step];
    bool own = v.sort == MATRIX && s->act == STEP_WEIGHT;
    return own ? &b->plan->weight[s->weight] : NULL;
}

static bool
same_heads(const Builder *b, const Tree *s, const Tree *t)
{
    return equal_numbers(b->text, s, t);
}

char
tokens_behind(const Builder *b, int step)
{
    return b->plan->step[step].rows;
}

static void
equal_widths(Builder *b, Width *v, Width *w, const char *at)
{
    make_equal(b->text, v, w, at, "the two must have the same width");
}

static Width *
width_one(void)
{
    return width_new(tree_number(1));
}

Value
scaled(Builder *b, Value v, Tree *scale)
{
    if (scale)
        v.step = add_number_step(b, STEP_SCALE, v.at, v.step, scale);
    return v;
}

/* Products */

/* Notes how far from the tokens a matrix is, when it is first used. */
static void
note_depth(Builder *b, Value left, PlanWeight *w)
{
    if (w && w->depth == 0)
        w->depth = depth_of(b->plan, left.step) + 1;
}

/* left m, for tokens or a matrix on the left. If both have heads, they are
   multiplied head by head. */
static Value
mapped(Builder *b, Value left, Value m)
{
    PlanWeight *w = own_weight(b, m);
    equal_widths(b, left.width, m.transposed ? m.width : m.rows, m.at);
    note_depth(b, left, w);
    if (m.transposed) /* W_i^Q (W_i^K)': the width of queries and keys */
        set_purpose(m.width, 'k', NULL);
    if (w)
        w->beside = true;
    if (left.heads && m.heads && !same_heads(b, left.heads, m.heads))
        equation_wrong(b->text, m.at,
                       "its index differs from that of its left factor: give "
                       "both the same");
    if (!left.heads && m.heads && m.transposed)
        equation_wrong(b->text, m.at,
                       "a transposed block of a head needs heads on its left, "
                       "but its left factor has none");
    Act whole = m.transposed ? STEP_MAP_T : STEP_MAP;
    Act each = m.transposed ? STEP_EACH_HEAD_T : STEP_EACH_HEAD;
    int step = add_step(b, left.heads ? each : whole, m.at, left.step, m.step);
    b->plan->step[step].heads = left.heads;
    b->plan->step[step].width = left.width;
    b->plan->step[step].block = m.heads ? m.width : NULL;
    if (!left.heads && m.heads)
        step = add_number_step(b, STEP_SPLIT, m.at, step, m.heads);
    left.step = step;
    left.heads = left.heads ? left.heads : m.heads;
    left.width = m.transposed ? m.rows : m.width;
    left.at = m.at;
    return left;
}

/* left m, for an m that leads back from the heads: left has its heads side by
   side and m has its blocks below each other, so that one product also sums
   over the heads. (In the transpose of a matrix whose blocks are side by side
   they are below each other.) */
static Value
led_back(Builder *b, Value left, Value m)
{
    PlanWeight *w = own_weight(b, m);
    equal_widths(b, left.width, m.transposed ? m.width : m.rows, m.at);
    note_depth(b, left, w);
    if (w && !m.transposed && w->beside)
        equation_wrong(b->text, m.at,
                       "%s maps to heads above, so it cannot lead back from "
                       "them: take its transpose, or another matrix",
                       w->written);
    if (w && !m.transposed)
        w->stacked = true;
    Act act = m.transposed ? STEP_MAP_T : STEP_MAP;
    left.step = add_step(b, act, m.at, left.step, m.step);
    left.heads = NULL;
    left.width = m.transposed ? m.rows : m.width;
    return left;
}

/* left I_i cuts tokens into heads; left I_i' puts head i back in its place. */
static Value
sliced(Builder *b, Value left, Value slice)
{
    Tree *share = tree_of(TREE_PRODUCT, slice.at, tree_name("d_model"),
                          tree_of(TREE_INVERSE, slice.at, slice.heads, NULL));
    Width *whole = width_new(tree_name("d_model")), *part = width_new(share);
    Tree *needed = slice.transposed ? slice.heads : NULL;
    if (!same_heads(b, left.heads, needed))
        equation_wrong(b->text, slice.at,
                       needed ? "I_i' puts head i back in its place, but its "
                                "left factor does not have these heads"
                              : "I_i cuts tokens into heads, but its left "
                                "factor has heads already");
    equal_widths(b, left.width, needed ? part : whole, slice.at);
    left.heads = needed ? NULL : slice.heads;
    left.width = needed ? whole : part;
    left.step = add_number_step(b, STEP_SPLIT, slice.at, left.step, left.heads);
    return left;
}

/* W, if 1 / sqrt(W) is the scale; or NULL. */
static Tree *
below_root(const Tree *scale)
{
    const Tree *inverse = scale && scale->count == 1 ? scale->of[0] : NULL;
    if (!inverse || inverse->kind != TREE_INVERSE ||
        !tree_calls(inverse->of[0], "sqrt"))
        return NULL;
    return inverse->of[0]->of[0];
}

/* scale q k' */
static Value
scored(Builder *b, Value q, Value k, Tree *scale)
{
    equal_widths(b, q.width, k.width, k.at);
    set_purpose(q.width, 'k', below_root(scale));
    if (k.heads && !q.heads)
        equation_wrong(b->text, k.at,
                       "keys have heads, but queries have none: write W_i^Q");
    q.sort = SCORES;
    if (tokens_behind(b, k.step) == 'x')
        equation_wrong(b->text, k.at, "keys come from y, not x: write y W_i^K");
    q.width = width_one();
    q.step = put_step(b, (Step){.act = STEP_SCORES,
                                .at = k.at,
                                .in = {q.step, k.step},
                                .inputs = 2,
                                .number = {scale}});
    return q;
}

Value
multiplied(Builder *b, Value left, Value right, bool output, Tree **scale)
{
    if (left.transposed || left.sort == SLICE)
        equation_wrong(b->text, left.at,
                       "a product must begin with tokens that are not "
                       "transposed, as in x W");
    if (right.sort == SLICE && left.sort == TOKENS)
        return sliced(b, left, right);
    if (right.sort == MATRIX && output && left.heads)
        return led_back(b, left, right);
    if (right.sort == MATRIX)
        return mapped(b, left, right);
    if (left.sort == TOKENS && right.sort == TOKENS && right.transposed) {
        Tree *all = *scale;
        *scale = NULL;
        return scored(b, left, right, all);
    }
    if (left.sort == MATRIX)
        equation_wrong(
            b->text, right.at,
            "a matrix must be on the right of what it maps, as in x W");
    if (right.sort == TOKENS)
        equation_wrong(b->text, right.at,
                       "tokens can be multiplied by tokens only in scores, "
                       "with the second transposed: q k'");
    equation_wrong(b->text, right.at,
                   "scores must be on the left of tokens, as in softmax(...) "
                   "y W_i^V");
}

Value
applied(Builder *b, Value p, Value v)
{
    if (v.sort != TOKENS || v.transposed)
        equation_wrong(b->text, v.at,
                       "expected values: attention weights multiply tokens, as "
                       "in softmax(...) y W_i^V");
    if (v.heads && !p.heads)
        equation_wrong(b->text, v.at,
                       "values have heads, but scores have none: write W_i^Q");
    if (tokens_behind(b, v.step) == 'x')
        equation_wrong(b->text, v.at,
                       "values come from y, not x: write y W_i^V");
    set_purpose(v.width, 'v', NULL);
    if (!p.masked)
        p.step = add_step(b, STEP_MASK, p.at, p.step, NO_STEP);
    v.heads = p.heads;
    v.step = add_step(b, STEP_APPLY, p.at, p.step, v.step);
    return v;
}

/* Sums, and products entry by entry */

/* Makes a row of weights fit the value that it is added to, or multiplied with
   entry by entry: all tokens share it, and it has a number for each column, or
   a single one. */
static Value
fitted(Builder *b, Value to, Value m, Act act)
{
    PlanWeight *w = own_weight(b, m);
    Tree *width = width_known(m.width);
    bool one = width && width->kind == TREE_NUMBER && width->number == 1;
    make_equal(b->text, m.rows, width_one(), m.at,
               "a matrix that all tokens share must have one row");
    if (!one)
        equal_widths(b, to.width, m.width, m.at);
    if (w && act == STEP_ADD)
        w->adds = true;
    if (w && act == STEP_ENTRIES)
        w->multiplies = true;
    if (m.heads)
        m.step = add_number_step(b, STEP_SPLIT, m.at, m.step, m.heads);
    return m;
}

static void
check_combined(const Builder *b, Value v)
{
    if (v.transposed || v.sort == NUMBERS || v.sort == SLICE)
        equation_wrong(b->text, v.at,
                       "a number or a transposed matrix cannot be added, or "
                       "multiplied entry by entry");
}

/* A + B or A . B, entry by entry. The operand that may be smaller, a matrix or
   one without heads, becomes the second. */
Value
combined(Builder *b, Act act, Value left, Value right)
{
    check_combined(b, left);
    check_combined(b, right);
    /* The first operand of an operator has the shape of its result. */
    bool smaller = left.sort == MATRIX && right.sort != MATRIX;
    bool fewer = left.sort == right.sort && !left.heads && right.heads;
    Value first = smaller || fewer ? right : left;
    Value second = smaller || fewer ? left : right;
    if (second.sort == MATRIX && first.sort != MATRIX)
        second = fitted(b, first, second, act);
    else if (second.sort != first.sort)
        equation_wrong(b->text, right.at,
                       "combine scores with scores, and tokens with tokens");
    else
        equal_widths(b, first.width, second.width, right.at);
    if (first.sort == MATRIX)
        equal_widths(b, first.rows, second.rows, right.at);
    if (second.heads && !same_heads(b, first.heads, second.heads))
        equation_wrong(b->text, right.at,
                       "the two have different heads: give both the same "
                       "index");
    char one = tokens_behind(b, first.step);
    char other = tokens_behind(b, second.step);
    if (one && other && one != other)
        equation_wrong(b->text, right.at, "make both from x, or both from y");
    bool both = first.masked && second.masked;
    bool either = first.masked || second.masked;
    first.masked = act == STEP_ADD ? both : either;
    first.step = add_step(b, act, right.at, first.step, second.step);
    return first;
}

/* Functions */

Value
softmax_value(Builder *b, Value s, const Value *sink)
{
    Act act = STEP_SOFTMAX;
    int second = NO_STEP;
    if (sink && sink->sort == NUMBERS) {
        const Tree *zero = sink->number;
        if (zero->kind != TREE_NUMBER || zero->number != 0)
            equation_wrong(b->text, sink->at,
                           "a sink must be 0, or b_i, one for each head");
        act = STEP_SINK_ZERO;
    } else if (sink) {
        PlanWeight *w = own_weight(b, *sink);
        if (!w || !same_heads(b, sink->heads, s.heads))
            equation_wrong(b->text, sink->at,
                           "a sink must be 0, or b_i, one for each head");
        equal_widths(b, w->rows, width_one(), sink->at);
        equal_widths(b, w->cols, width_one(), sink->at);
        w->adds = true;
        second = sink->step;
    }
    s.step = add_step(b, act, s.at, s.step, second);
    s.masked = true;
    return s;
}

/* The heads of a, mixed by the matrix p, or by p for each token. */
Value
mixed(Builder *b, Value a, Value p)
{
    PlanWeight *w = own_weight(b, p);
    Tree *heads = a.heads ? a.heads : tree_number(1);
    if (p.sort != MATRIX && p.sort != TOKENS)
        equation_wrong(b->text, p.at,
                       "heads can be mixed only by a matrix, P, or by tokens, "
                       "split(x A^Q, n)");
    if (p.sort == MATRIX) {
        equal_widths(b, p.rows, width_new(heads), p.at);
        if (!width_known(p.width))
            equal_widths(b, p.width, width_new(heads), p.at);
    }
    if (w)
        w->mixes = true;
    if (p.sort != MATRIX && !same_heads(b, p.heads, a.heads))
        equation_wrong(b->text, p.at,
                       "a mixture that depends on the token must have the "
                       "heads of what it mixes: split(x A^Q, n)");
    a.heads = width_known(p.width);
    if (!a.heads)
        equation_wrong(b->text, p.at,
                       "how many heads this makes is not known: declare the "
                       "matrix, \"P: h x h\"");
    a.step = add_step(b, STEP_MIX, p.at, a.step, p.step);
    return a;
}

Value
split_value(Builder *b, Value a, Tree *count)
{
    Tree *all = width_known(a.width);
    if (!all)
        equation_wrong(b->text, a.at,
                       "the width to be split is not known: declare the "
                       "matrix, \"W: d_model x h d_k\"");
    if (a.heads)
        all = tree_of(TREE_PRODUCT, a.at, a.heads, all);
    Tree *inverse = tree_of(TREE_INVERSE, a.at, count, NULL);
    a.step = add_number_step(b, STEP_SPLIT, a.at, a.step, count);
    a.heads = count;
    a.width = width_new(tree_of(TREE_PRODUCT, a.at, all, inverse));
    return a;
}

Value
columns_value(Builder *b, Value a, Tree *from, Tree *end)
{
    if (a.sort != TOKENS || a.transposed)
        equation_wrong(b->text, a.at, "only tokens have columns: q[0 : d_k]");
    Tree *minus = tree_of(TREE_NEGATIVE, a.at, from, NULL);
    bool first = from->kind == TREE_NUMBER && from->number == 0;
    Tree *count = first ? end : tree_of(TREE_SUM, a.at, end, minus);
    a.step = put_step(b, (Step){.act = STEP_COLUMNS,
                                .at = a.at,
                                .in = {a.step},
                                .inputs = 1,
                                .number = {from, count}});
    a.width = width_new(count);
    return a;
}

/* The values side by side, head by head. */
Value
joined_values(Builder *b, const Value *v, int count, const char *at)
{
    Value all = v[0];
    Step join = {.act = STEP_JOIN, .at = at, .inputs = count};
    Tree *sum = NULL;
    for (int i = 0; i < count; i++) {
        bool tokens = v[i].sort == TOKENS && !v[i].transposed;
        Tree *width = tokens ? width_known(v[i].width) : NULL;
        if (!width)
            equation_wrong(b->text, v[i].at,
                           "only tokens of known width can be side by side: "
                           "declare the last matrix, \"W_i^K: d_model x d_k\"");
        if (all.heads && v[i].heads && !same_heads(b, all.heads, v[i].heads))
            equation_wrong(b->text, v[i].at,
                           "its index differs from that of the part before it");
        all.heads = all.heads ? all.heads : v[i].heads;
        sum = i == 0 ? width : tree_of(TREE_SUM, at, sum, width);
        join.in[i] = v[i].step;
    }
    all.step = put_step(b, join);
    all.width = width_new(sum);
    return all;
}
