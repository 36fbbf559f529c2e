/* operation.c - applies the operators of an equation to its values.

   The meaning of a product depends on its operands. Tokens by a matrix are a
   map; a map with an index gives its heads to the operand that has none. Tokens
   by transposed tokens are scores. Scores by tokens are a weighted sum. */

#include <string.h>

#include "equation/operation.h"

bool
same_operator(const Plan *p, const Step *s, const Step *t)
{
    return s->act == t->act && s->inputs == t->inputs &&
           s->weight == t->weight &&
           equal_numbers(p->text, s->number[0], t->number[0]) &&
           equal_numbers(p->text, s->number[1], t->number[1]);
}

/* The earlier step that is equal to s; NO_STEP if there is none. */
static int
step_like(const Plan *p, const Step *s)
{
    for (int i = 0; i < p->steps; i++) {
        const Step *t = &p->step[i];
        if (same_operator(p, s, t) && !memcmp(s->in, t->in, sizeof s->in))
            return i;
    }
    return NO_STEP;
}

/* The largest number of matrices between the tokens and the result of a step.
 */
static int
depth_of(const Plan *p, int step)
{
    const Step *s = &p->step[step];
    return s->act == STEP_WEIGHT ? p->weight[s->weight].depth : s->depth;
}

/* Notes whether a new step has rows for x or for y, and its depth: both follow
   from its operands. */
static void
note_origin(const Plan *p, Step *s)
{
    if (s->act == STEP_X)
        s->rows = 'x';
    if (s->act == STEP_Y)
        s->rows = 'y';
    for (int i = 0; i < s->inputs; i++) {
        int depth = depth_of(p, s->in[i]);
        if (!s->rows)
            s->rows = p->step[s->in[i]].rows;
        if (depth > s->depth)
            s->depth = depth;
    }
}

/* Adds a step, unless there is one like it already, and returns its number. */
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
    Step s = {.act = act, .at = at};
    if (first != NO_STEP)
        s.in[s.inputs++] = first;
    if (second != NO_STEP)
        s.in[s.inputs++] = second;
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

/* The variant's matrix that a value is; NULL if it is not one matrix. */
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

/* Checks that the matrix m is as wide as left requires in left m, and notes how
   far from the tokens m is when it is first used. */
static void
fit_matrix(Builder *b, Value left, Value m)
{
    PlanWeight *w = own_weight(b, m);
    equal_widths(b, left.width, m.transposed ? m.width : m.rows, m.at);
    if (w && w->depth == 0)
        w->depth = depth_of(b->plan, left.step) + 1;
}

/* left m, if left has heads: each is multiplied by its block of m, or by m if
   that has no heads. */
static Value
mapped_by_head(Builder *b, Value left, Value m)
{
    if (m.heads && !same_heads(b, left.heads, m.heads))
        refuse(b, m.at,
               "its index differs from that of its left factor: give both the "
               "same");
    Act act = m.transposed ? STEP_EACH_HEAD_T : STEP_EACH_HEAD;
    Value v = left;
    v.step = add_step(b, act, m.at, left.step, m.step);
    Step *s = &b->plan->step[v.step];
    s->heads = left.heads;
    s->width = left.width;
    s->block = m.heads ? m.width : NULL;
    return v;
}

/* left m, if left has no heads. The product has those of m. */
static Value
mapped_whole(Builder *b, Value left, Value m)
{
    if (m.heads && m.transposed)
        refuse(b, m.at,
               "a transposed block of a head needs heads on its left, but its "
               "left factor has none");
    Act act = m.transposed ? STEP_MAP_T : STEP_MAP;
    Value v = left;
    v.step = add_step(b, act, m.at, left.step, m.step);
    v.heads = m.heads;
    if (m.heads)
        v.step = add_number_step(b, STEP_SPLIT, m.at, v.step, m.heads);
    return v;
}

/* left m, for tokens or a matrix on the left. */
static Value
mapped(Builder *b, Value left, Value m)
{
    PlanWeight *w = own_weight(b, m);
    fit_matrix(b, left, m);
    if (m.transposed) /* W_i^Q (W_i^K)': the width of queries and keys */
        note_keys(m.width, NULL);
    if (w)
        w->beside = true;
    Value v =
        left.heads ? mapped_by_head(b, left, m) : mapped_whole(b, left, m);
    v.width = m.transposed ? m.rows : m.width;
    v.at = m.at;
    return v;
}

/* left m, for an m that leads back from the heads: left has its heads side by
   side and m has its blocks below each other, so that one product also sums
   over the heads. (In the transpose of a matrix whose blocks are side by side
   they are below each other.) */
static Value
led_back(Builder *b, Value left, Value m)
{
    PlanWeight *w = m.transposed ? NULL : own_weight(b, m);
    fit_matrix(b, left, m);
    if (w && w->beside)
        refuse(b, m.at,
               "%s maps to heads above, so it cannot lead back from them: take "
               "its transpose, or another matrix",
               w->written);
    if (w)
        w->stacked = true;
    Act act = m.transposed ? STEP_MAP_T : STEP_MAP;
    left.step = add_step(b, act, m.at, left.step, m.step);
    left.heads = NULL;
    left.width = m.transposed ? m.rows : m.width;
    return left;
}

/* left I_i cuts tokens into heads, each of which gets its share of the columns;
   left I_i' puts head i back in its place. */
static Value
sliced(Builder *b, Value left, Value slice)
{
    Tree *share = tree_of(TREE_PRODUCT, slice.at, tree_name("d_model"),
                          tree_of(TREE_INVERSE, slice.at, slice.heads, NULL));
    Width *whole = width_new(tree_name("d_model")), *part = width_new(share);
    if (slice.transposed) {
        if (!same_heads(b, left.heads, slice.heads))
            refuse(b, slice.at,
                   "I_i' puts head i back in its place, but its left factor "
                   "does not have these heads: write it after heads, as in y "
                   "I_i I_i'");
        equal_widths(b, left.width, part, slice.at);
        left.heads = NULL;
        left.width = whole;
    } else {
        if (left.heads)
            refuse(b, slice.at,
                   "I_i cuts tokens into heads, but its left factor has heads "
                   "already: leave I_i out");
        equal_widths(b, left.width, whole, slice.at);
        left.heads = slice.heads;
        left.width = part;
    }
    left.step = add_number_step(b, STEP_SPLIT, slice.at, left.step, left.heads);
    return left;
}

/* W, if the scale is 1 / sqrt(W); otherwise NULL. */
static Tree *
below_root(const Tree *scale)
{
    const Tree *inverse = scale && scale->count == 1 ? scale->of[0] : NULL;
    if (!inverse || inverse->kind != TREE_INVERSE ||
        !tree_calls(inverse->of[0], "sqrt"))
        return NULL;
    return inverse->of[0]->of[0];
}

bool
makes_scores(Value left, Value right)
{
    return left.sort == TOKENS && !left.transposed && right.sort == TOKENS &&
           right.transposed;
}

Value
scored(Builder *b, Value q, Value k, Tree *scale)
{
    equal_widths(b, q.width, k.width, k.at);
    note_keys(q.width, below_root(scale));
    if (k.heads && !q.heads)
        refuse(b, k.at, "keys have heads, but queries have none: write W_i^Q");
    q.sort = SCORES;
    if (tokens_behind(b, k.step) == 'x')
        refuse(b, k.at, "keys come from y, not x: write y W_i^K");
    q.width = width_one();
    q.step = put_step(b, (Step){.act = STEP_SCORES,
                                .at = k.at,
                                .in = {q.step, k.step},
                                .inputs = 2,
                                .number = {scale}});
    return q;
}

Value
multiplied(Builder *b, Value left, Value right, bool output)
{
    if (left.transposed || left.sort == SLICE)
        refuse(b, left.at,
               "a product must begin with tokens that are not transposed, as "
               "in x W");
    if (right.sort == SLICE && left.sort == TOKENS)
        return sliced(b, left, right);
    if (right.sort == MATRIX && output && left.heads)
        return led_back(b, left, right);
    if (right.sort == MATRIX)
        return mapped(b, left, right);
    if (left.sort == MATRIX)
        refuse(b, right.at,
               "a matrix must be on the right of what it maps, as in x W");
    if (right.sort == TOKENS)
        refuse(b, right.at,
               "tokens can be multiplied by tokens only in scores, with the "
               "second transposed: q k'");
    refuse(b, right.at,
           "scores must be on the left of tokens, as in softmax(...) y W_i^V");
}

Value
applied(Builder *b, Value p, Value v)
{
    if (v.sort != TOKENS || v.transposed)
        refuse(b, v.at,
               "expected values: attention weights multiply tokens, as in "
               "softmax(...) y W_i^V");
    if (v.heads && !p.heads)
        refuse(b, v.at, "values have heads, but scores have none: write W_i^Q");
    if (tokens_behind(b, v.step) == 'x')
        refuse(b, v.at, "values come from y, not x: write y W_i^V");
    note_values(v.width);
    if (!p.masked)
        p.step = add_step(b, STEP_MASK, p.at, p.step, NO_STEP);
    v.heads = p.heads;
    v.step = add_step(b, STEP_APPLY, p.at, p.step, v.step);
    return v;
}

/* Sums, and products entry by entry */

/* Makes a matrix fit the value `to`, to which it is added, or with which it is
   multiplied entry by entry. It has one row, which all tokens share, with an
   entry for each column of `to`, or a single entry. */
static Value
fitted(Builder *b, Value to, Value m, Act act)
{
    PlanWeight *w = own_weight(b, m);
    Tree *width = width_known(m.width);
    bool single = width && width->kind == TREE_NUMBER && width->number == 1;
    make_equal(b->text, m.rows, width_one(), m.at,
               "a matrix that all tokens share must have one row");
    if (!single)
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
        refuse(b, v.at,
               "only tokens, scores and matrices that are not transposed can "
               "be added, or multiplied entry by entry");
}

/* Exits if the two have different heads, or rows of different tokens. */
static void
check_heads_and_rows(const Builder *b, Value first, Value second,
                     const char *at)
{
    char one = tokens_behind(b, first.step);
    char other = tokens_behind(b, second.step);
    if (second.heads && !same_heads(b, first.heads, second.heads))
        refuse(b, at, "the two have different heads: give both the same index");
    if (one && other && one != other)
        refuse(b, at,
               "one has a row for each query in x, the other for each key in "
               "y: make both from x, or both from y");
}

/* Is the left operand shared by all tokens, or by all heads, of the right one?
 */
static bool
is_shared(Value left, Value right)
{
    if (left.sort == MATRIX && right.sort != MATRIX)
        return true;
    return left.sort == right.sort && !left.heads && right.heads;
}

/* A + B or A . B, entry by entry. The first operand of an operator has the
   shape of its result, so a left operand that is shared becomes the second. */
Value
combined(Builder *b, Act act, Value left, Value right)
{
    check_combined(b, left);
    check_combined(b, right);
    bool swap = is_shared(left, right);
    Value first = swap ? right : left, second = swap ? left : right;
    if (second.sort == MATRIX && first.sort != MATRIX)
        second = fitted(b, first, second, act);
    else if (second.sort != first.sort)
        refuse(b, right.at,
               "scores and tokens cannot be combined entry by entry: combine "
               "scores with scores, and tokens with tokens");
    else
        equal_widths(b, first.width, second.width, right.at);
    if (first.sort == MATRIX)
        equal_widths(b, first.rows, second.rows, right.at);
    check_heads_and_rows(b, first, second, right.at);
    /* A sum is 0 where both terms are 0, and a product where either factor is
       0. */
    bool both = first.masked && second.masked;
    bool either = first.masked || second.masked;
    first.masked = act == STEP_ADD ? both : either;
    first.step = add_step(b, act, right.at, first.step, second.step);
    return first;
}

/* Functions */

Value
softmax_value(Builder *b, Value s)
{
    s.step = add_step(b, STEP_SOFTMAX, s.at, s.step, NO_STEP);
    s.masked = true;
    return s;
}

Value
softmax_sink_value(Builder *b, Value s, Value sink)
{
    PlanWeight *w = own_weight(b, sink);
    bool zero = sink.sort == NUMBERS && sink.number->kind == TREE_NUMBER &&
                sink.number->number == 0;
    if (!zero && (!w || !same_heads(b, sink.heads, s.heads)))
        refuse(b, sink.at, "a sink must be 0, or b_i, one for each head");
    if (zero)
        s.step = add_step(b, STEP_SINK_ZERO, s.at, s.step, NO_STEP);
    else {
        equal_widths(b, w->rows, width_one(), sink.at);
        equal_widths(b, w->cols, width_one(), sink.at);
        w->adds = true;
        s.step = add_step(b, STEP_SOFTMAX, s.at, s.step, sink.step);
    }
    s.masked = true;
    return s;
}

/* The heads of a, mixed by the matrix p, or by p for each token. */
Value
mixed(Builder *b, Value a, Value p)
{
    Width *heads = width_new(a.heads ? a.heads : tree_number(1));
    PlanWeight *w = own_weight(b, p);
    if (w)
        w->mixes = true;
    if (p.sort == MATRIX) {
        equal_widths(b, p.rows, heads, p.at);
        if (!width_known(p.width)) /* it makes as many heads as it mixes */
            equal_widths(b, p.width, heads, p.at);
    } else if (p.sort != TOKENS)
        refuse(b, p.at,
               "heads can be mixed only by a matrix, P, or by tokens, split(x "
               "A^Q, n)");
    else if (!same_heads(b, p.heads, a.heads))
        refuse(b, p.at,
               "a mixture that depends on the token must have the heads of "
               "what it mixes: split(x A^Q, n)");
    a.heads = width_known(p.width);
    if (!a.heads)
        refuse(b, p.at,
               "how many heads this makes is not known: declare the matrix, "
               "\"P: h x h\"");
    a.step = add_step(b, STEP_MIX, p.at, a.step, p.step);
    return a;
}

Value
split_value(Builder *b, Value a, Tree *count)
{
    Tree *all = width_known(a.width);
    if (!all)
        refuse(b, a.at,
               "the width to be split is not known: declare the matrix, \"W: "
               "d_model x h d_k\"");
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
        refuse(b, a.at, "only tokens have columns: q[0 : d_k]");
    Tree *minus = tree_of(TREE_NEGATIVE, a.at, from, NULL);
    bool from_start = from->kind == TREE_NUMBER && from->number == 0;
    Tree *count = from_start ? end : tree_of(TREE_SUM, a.at, end, minus);
    a.step = put_step(b, (Step){.act = STEP_COLUMNS,
                                .at = a.at,
                                .in = {a.step},
                                .inputs = 1,
                                .number = {from, count}});
    a.width = width_new(count);
    return a;
}

/* The values side by side, head by head; those without heads are shared by all
   heads. */
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
            refuse(b, v[i].at,
                   "only tokens of known width can be side by side: declare "
                   "the last matrix, \"W_i^K: d_model x d_k\"");
        if (all.heads && v[i].heads && !same_heads(b, all.heads, v[i].heads))
            refuse(b, v[i].at,
                   "its index differs from that of the part before it");
        all.heads = all.heads ? all.heads : v[i].heads;
        sum = i == 0 ? width : tree_of(TREE_SUM, at, sum, width);
        join.in[i] = v[i].step;
    }
    all.step = put_step(b, join);
    all.width = width_new(sum);
    return all;
}
