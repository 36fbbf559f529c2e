/* operation.c - applies the operators of an equation to its values.

   What a product means depends on its operands. A matrix maps tokens; if it has
   an index, the result has heads. Tokens times transposed tokens are scores.
   Scores times tokens are a weighted sum. An output map, the matrix W_i^O at
   the end of an output, maps heads and sums them.

   A function NAME_value changes its copy of an operand into the result. */
#include <string.h>

#include "equation/operation.h"

/* Steps */

bool
same_operator(const Plan *p, const Step *s, const Step *t)
{
    for (int k = 0; k < MOST_SCALARS; k++)
        if (!equal_scalars(p->text, s->scalar[k], t->scalar[k]))
            return false;
    return s->kind == t->kind && s->inputs == t->inputs &&
           s->weight == t->weight;
}

enum { NO_STEP = -1 };

/* The step of the plan that is equal to s, or NO_STEP. */
static int
equal_step(const Plan *p, const Step *s)
{
    for (int i = 0; i < p->steps; i++) {
        const Step *t = &p->step[i];
        bool same_operands = !memcmp(s->in, t->in, sizeof s->in);
        if (same_operands && same_operator(p, s, t))
            return i;
    }
    return NO_STEP;
}

/* The depth of a step (steps.h). The depth of a matrix is not in its step, but
   in Plan.weight. */
static int
depth_of(const Plan *p, int step)
{
    const Step *s = &p->step[step];
    return s->kind == STEP_WEIGHT ? p->weight[s->weight].depth : s->depth;
}

/* Sets row_source and depth of a new step. It gets the row source of its first
   operand that has one, and the depth of its deepest operand. */
static void
set_origin(const Plan *p, Step *s)
{
    for (int i = 0; i < s->inputs; i++) {
        int depth = depth_of(p, s->in[i]);
        if (!s->row_source)
            s->row_source = p->step[s->in[i]].row_source;
        if (depth > s->depth)
            s->depth = depth;
    }
}

int
add_step(Builder *b, Step s)
{
    Plan *p = b->plan;
    int known = equal_step(p, &s);
    if (known != NO_STEP)
        return known;
    set_origin(p, &s);
    p->step = grow(p->step, p->steps, &p->step_capacity, sizeof s);
    p->step[p->steps] = s;
    p->steps++;
    return p->steps - 1;
}

int
add_unary(Builder *b, StepKind kind, int operand)
{
    return add_step(b, (Step){.kind = kind, .in = {operand}, .inputs = 1});
}

int
add_with_scalar(Builder *b, StepKind kind, const char *place, int operand,
                Tree *scalar)
{
    Step s = {.kind = kind, .place = place, .in = {operand}, .inputs = 1};
    s.scalar[ONLY_SCALAR] = scalar;
    return add_step(b, s);
}

static int
add_binary(Builder *b, StepKind kind, int first, int second)
{
    return add_step(b,
                    (Step){.kind = kind, .in = {first, second}, .inputs = 2});
}

/* Values */

/* The plan's matrix, if the value is just one matrix; NULL if it is anything
   else, such as a product of two matrices. */
static PlanWeight *
single_matrix(const Builder *b, Value v)
{
    if (v.sort != MATRIX)
        return NULL;
    const Step *s = &b->plan->step[v.step];
    return s->kind == STEP_WEIGHT ? &b->plan->weight[s->weight] : NULL;
}

char
row_source(const Builder *b, Value v)
{
    return b->plan->step[v.step].row_source;
}

static void
require_same_width(Builder *b, Width *v, Width *w, const char *place)
{
    require_equal(b->text, v, w, place, "the two must have the same width");
}

/* The width 1: that of one column, or the number of rows of one row. */
static Width *
width_of_one(void)
{
    return width_new(tree_number(1));
}

Value
scaled_value(Builder *b, Value v, Tree *scale)
{
    if (scale)
        v.step = add_with_scalar(b, STEP_SCALE, v.place, v.step, scale);
    return v;
}

/* Products with a matrix */

/* Records that m is the right factor of the product left m, so that m must have
   a row for each column of left. If m is a matrix of the plan, its first
   product sets its depth, which is 0 before. */
static void
note_product(Builder *b, Value left, Value m)
{
    PlanWeight *w = single_matrix(b, m);
    Width *rows = m.transposed ? m.width : m.rows; /* of the right factor */
    require_equal(b->text, left.width, rows, m.place,
                  "the left factor needs a column for each row of the right");
    if (w && w->depth == 0)
        w->depth = depth_of(b->plan, left.step) + 1;
}

/* The step of left m, if left has heads: head i is multiplied by block i of m,
   or by all of m if m has no index. add_binary may return an older, equal step;
   it has the same heads and widths, so setting them again does no harm. */
static int
map_each_head(Builder *b, Value left, Value m)
{
    if (m.heads && !equal_scalars(b->text, left.heads, m.heads))
        refuse(b, m.place,
               "the index of this factor differs from that of its left factor: "
               "give both the same index");
    StepKind kind = m.transposed ? STEP_EACH_HEAD_T : STEP_EACH_HEAD;
    int step = add_binary(b, kind, left.step, m.step);
    Step *s = &b->plan->step[step];
    s->heads = left.heads;
    s->width = left.width;
    s->block = m.heads ? m.width : NULL;
    return step;
}

/* The step of left m, if left has no heads. If m has an index, the product is
   split into its heads. */
static int
map_whole(Builder *b, Value left, Value m)
{
    if (m.heads && m.transposed)
        refuse(b, m.place,
               "a transposed matrix with an index needs a left factor with "
               "heads, as in x W_i^Q (W_i^K)'");
    StepKind kind = m.transposed ? STEP_MAP_T : STEP_MAP;
    int step = add_binary(b, kind, left.step, m.step);
    if (m.heads)
        step = add_with_scalar(b, STEP_SPLIT, m.place, step, m.heads);
    return step;
}

/* The product left m, if left is tokens or a matrix, and m is a matrix. */
static Value
map_value(Builder *b, Value left, Value m)
{
    PlanWeight *w = single_matrix(b, m);
    Tree *no_radicand = NULL; /* there are no scores here to be scaled */
    note_product(b, left, m);
    if (m.transposed) /* as in W_i^Q (W_i^K)', whose inner width is d_k */
        note_keys(m.width, no_radicand);
    if (w)
        w->beside = true; /* its blocks must be stored side by side */
    Value product = left;
    if (left.heads)
        product.step = map_each_head(b, left, m);
    else {
        product.step = map_whole(b, left, m);
        product.heads = m.heads;
    }
    product.width = m.transposed ? m.rows : m.width;
    product.place = m.place;
    return product;
}

/* Exits if the value, which is the left factor of a product, cannot be one. */
static void
check_left_factor(const Builder *b, Value left)
{
    if (left.transposed || left.sort == SLICE)
        refuse(b, left.place,
               "a product cannot begin with a transpose or with I_i: begin it "
               "with tokens, as in x W");
}

/* The heads of left are side by side, and the blocks of m below each other, so
   that one product also sums over the heads. */
Value
output_map_value(Builder *b, Value left, Value m)
{
    check_left_factor(b, left);
    /* The matrix that must be stored with its blocks below each other. A matrix
       with its blocks side by side has them below each other if transposed. */
    PlanWeight *w = m.transposed ? NULL : single_matrix(b, m);
    note_product(b, left, m);
    if (w && w->beside)
        refuse(b, m.place,
               "%s makes heads above, so it cannot also sum them here: use its "
               "transpose, or another matrix",
               w->written);
    if (w)
        w->stacked = true;
    StepKind kind = m.transposed ? STEP_MAP_T : STEP_MAP;
    left.step = add_binary(b, kind, left.step, m.step);
    left.heads = NULL;
    left.width = m.transposed ? m.rows : m.width;
    return left;
}

static Tree *
quotient(Tree *dividend, Tree *divisor, const char *place)
{
    Tree *inverse = tree_unary(TREE_INVERSE, place, divisor);
    return tree_binary(TREE_PRODUCT, place, dividend, inverse);
}

/* The columns of a token for each head of a slice: d_model / heads. */
static Width *
slice_width(Value slice)
{
    return width_new(quotient(tree_name("d_model"), slice.heads, slice.place));
}

/* The product tokens I_i: the tokens, cut into heads. Each head gets an equal
   number of columns. */
static Value
slice_value(Builder *b, Value tokens, Value slice)
{
    if (tokens.heads)
        refuse(b, slice.place,
               "I_i cuts tokens into heads, but its left factor already has "
               "heads: remove I_i");
    require_same_width(b, tokens.width, width_new(tree_name("d_model")),
                       slice.place);
    tokens.heads = slice.heads;
    tokens.width = slice_width(slice);
    tokens.step =
        add_with_scalar(b, STEP_SPLIT, slice.place, tokens.step, tokens.heads);
    return tokens;
}

/* The product left I_i': puts each head back into its columns of a token. */
static Value
unslice_value(Builder *b, Value left, Value slice)
{
    if (!equal_scalars(b->text, left.heads, slice.heads))
        refuse(b, slice.place,
               "I_i' puts heads side by side, but its left factor does not "
               "have these heads: write it after heads, as in y I_i I_i'");
    require_same_width(b, left.width, slice_width(slice), slice.place);
    left.heads = NULL;
    left.width = width_new(tree_name("d_model"));
    Tree *one_head = tree_number(1);
    left.step =
        add_with_scalar(b, STEP_SPLIT, slice.place, left.step, one_head);
    return left;
}

Value
product_value(Builder *b, Value left, Value right)
{
    check_left_factor(b, left);
    if (right.sort == SLICE && left.sort == TOKENS)
        return right.transposed ? unslice_value(b, left, right)
                                : slice_value(b, left, right);
    if (right.sort == MATRIX)
        return map_value(b, left, right);
    if (left.sort == MATRIX)
        refuse(b, right.place,
               "a matrix must be on the right of the tokens it maps, as in x "
               "W");
    if (right.sort == TOKENS)
        refuse(b, right.place,
               "tokens can be multiplied by tokens only as scores: transpose "
               "the second, as in q k'");
    refuse(b, right.place,
           "scores must be on the left of tokens, as in softmax(...) y W_i^V");
}

/* Scores and weighted sums */

bool
makes_scores(Value left, Value right)
{
    bool queries = left.sort == TOKENS && !left.transposed;
    bool keys = right.sort == TOKENS && right.transposed;
    return queries && keys;
}

/* n, if the scale is 1 / sqrt(n); otherwise NULL. The scale NULL is 1. */
static Tree *
radicand_of(const Tree *scale)
{
    if (!scale || scale->kind != TREE_INVERSE)
        return NULL;
    const Tree *divisor = scale->operand[0];
    return tree_calls(divisor, "sqrt") ? divisor->operand[0] : NULL;
}

Value
scores_value(Builder *b, Value q, Value k, Tree *scale)
{
    require_same_width(b, q.width, k.width, k.place);
    note_keys(q.width, radicand_of(scale));
    if (k.heads && !q.heads)
        refuse(b, k.place,
               "keys have heads, but queries have none: write W_i^Q");
    if (row_source(b, k) == 'x')
        refuse(b, k.place, "keys come from y, not x: write y W_i^K");
    q.sort = SCORES;
    q.width = width_of_one(); /* a bias of scores has one column */
    Step s = {.kind = STEP_SCORES, .in = {q.step, k.step}, .inputs = 2};
    s.scalar[ONLY_SCALAR] = scale;
    q.step = add_step(b, s);
    return q;
}

/* Attention weights that did not come from a softmax, as in linear attention,
   may not be masked yet. Then they are masked here. */
Value
weighted_value(Builder *b, Value p, Value v)
{
    if (v.sort != TOKENS || v.transposed)
        refuse(b, v.place,
               "attention weights multiply tokens that are not transposed: "
               "write values after them, as in softmax(...) y W_i^V");
    if (v.heads && !p.heads)
        refuse(b, v.place,
               "values have heads, but scores have none: write W_i^Q");
    if (row_source(b, v) == 'x')
        refuse(b, v.place, "values come from y, not x: write y W_i^V");
    note_values(v.width);
    if (!p.masked)
        p.step = add_unary(b, STEP_MASK, p.step);
    v.heads = p.heads;
    v.step = add_binary(b, STEP_APPLY, p.step, v.step);
    return v;
}

/* Sums, and products entry by entry */

/* The operand m of v + m or v . m, ready for the operator, if v is tokens or
   scores and m is a matrix. All tokens share m, so it must have one row, which
   has an entry for each column of v, or a single entry. */
static Value
shared_row(Builder *b, StepKind kind, Value v, Value m)
{
    PlanWeight *w = single_matrix(b, m);
    Tree *width = width_known(m.width);
    bool single_entry = width && tree_is_number(width, 1);
    require_equal(b->text, m.rows, width_of_one(), m.place,
                  "a matrix that all tokens share must have one row");
    if (!single_entry)
        require_same_width(b, v.width, m.width, m.place);
    if (w && kind == STEP_ADD)
        w->adds = true; /* a bias, which is initialised to 0 */
    if (w && kind == STEP_ENTRIES)
        w->multiplies = true; /* a gain, which is initialised to 1 */
    if (m.heads) /* it has a block for each head, side by side in the row */
        m.step = add_with_scalar(b, STEP_SPLIT, m.place, m.step, m.heads);
    return m;
}

/* Exits if the value cannot be an operand of a sum or of a product entry by
   entry. */
static void
check_term(const Builder *b, Value v)
{
    if (v.transposed || v.sort == SCALAR || v.sort == SLICE)
        refuse(b, v.place,
               "only tokens, scores and matrices that are not transposed can "
               "be added, or multiplied entry by entry");
}

/* Exits if the second value has other heads than the first, or if one
   value has rows for x and the other for y. A value that was computed only from
   matrices has the row source 0, which suits x and y. */
static void
check_heads_and_rows(const Builder *b, Value first, Value second,
                     const char *place)
{
    char one = row_source(b, first), other = row_source(b, second);
    if (second.heads && !equal_scalars(b->text, first.heads, second.heads))
        refuse(b, place,
               "the operands have different heads: give both the same index");
    if (one && other && one != other)
        refuse(b, place,
               "one operand has a row for each query in x, the other for each "
               "key in y: make both from x, or both from y");
}

/* Is left the same for all tokens of right, or for all heads of right? */
static bool
is_shared(Value left, Value right)
{
    if (left.sort == MATRIX && right.sort != MATRIX)
        return true; /* for all tokens */
    return left.sort == right.sort && !left.heads && right.heads;
}

/* The result of the operator has the shape of its first operand, so a shared
   operand has to be the second one. */
Value
combined_value(Builder *b, StepKind kind, Value left, Value right)
{
    check_term(b, left);
    check_term(b, right);
    bool swap = is_shared(left, right);
    Value first = swap ? right : left, second = swap ? left : right;
    /* The second is a row for all tokens, or of the same sort as the first. */
    if (second.sort == MATRIX && first.sort != MATRIX)
        second = shared_row(b, kind, first, second);
    else if (second.sort != first.sort)
        refuse(b, right.place,
               "scores and tokens cannot be added, or multiplied entry by "
               "entry: combine scores with scores, and tokens with tokens");
    else
        require_same_width(b, first.width, second.width, right.place);
    if (first.sort == MATRIX) /* and so is the second */
        require_same_width(b, first.rows, second.rows, right.place);
    check_heads_and_rows(b, first, second, right.place);
    /* A sum is 0 if both terms are 0, and a product if either factor is. */
    bool both = first.masked && second.masked;
    bool either = first.masked || second.masked;
    first.masked = kind == STEP_ADD ? both : either;
    first.step = add_binary(b, kind, first.step, second.step);
    return first;
}

/* Functions */

Value
softmax_sink_value(Builder *b, Value s, Value sink)
{
    s.masked = true; /* a softmax gives masked entries the weight 0 */
    if (sink.sort == SCALAR && tree_is_number(sink.scalar, 0)) {
        s.step = add_unary(b, STEP_SINK_ZERO, s.step);
        return s;
    }
    PlanWeight *w = single_matrix(b, sink);
    if (!w || !equal_scalars(b->text, sink.heads, s.heads))
        refuse(b, sink.place,
               "a sink must be 0, or a matrix with one entry for each head, "
               "such as b_i");
    require_same_width(b, w->rows, width_of_one(), sink.place);
    require_same_width(b, w->cols, width_of_one(), sink.place);
    w->adds = true; /* so it is initialised to 0, as a bias is */
    s.step = add_binary(b, STEP_SINK, s.step, sink.step);
    return s;
}

/* Exits unless p can mix the heads of a. A matrix p is the same for all tokens,
   and has a row for each head of a. If p is tokens, each token has its own
   matrix, whose rows are the heads of the token in p. */
static void
check_mixing(Builder *b, Value a, Value p)
{
    Width *heads = a.heads ? width_new(a.heads) : width_of_one();
    if (p.sort != MATRIX && p.sort != TOKENS)
        refuse(b, p.place,
               "heads can be mixed only by a matrix, such as P, or by tokens, "
               "such as split(x A^Q, h)");
    if (p.sort == TOKENS && !equal_scalars(b->text, p.heads, a.heads))
        refuse(b, p.place,
               "tokens that mix heads must have as many heads as they mix: for "
               "h heads, write split(x A^Q, h)");
    if (p.sort == MATRIX)
        require_same_width(b, p.rows, heads, p.place);
    if (p.sort == MATRIX && !width_known(p.width)) /* it is square then */
        require_same_width(b, p.width, heads, p.place);
}

/* Mixes the heads of a by p. The result has a head for each column of p. */
Value
mixed_value(Builder *b, Value a, Value p)
{
    PlanWeight *w = single_matrix(b, p);
    check_mixing(b, a, p);
    if (w)
        w->mixes = true; /* so it comes last in the order of matrices */
    a.heads = width_known(p.width);
    if (!a.heads)
        refuse(b, p.place,
               "the number of heads of the result is not known: declare the "
               "matrix of these tokens, as in \"A^Q: d_model x h h\"");
    a.step = add_binary(b, STEP_MIX, a.step, p.step);
    return a;
}

/* Divides all columns of a, over all its heads, into this number of heads. */
Value
split_value(Builder *b, Value a, Tree *heads)
{
    Tree *all_columns = width_known(a.width);
    if (!all_columns)
        refuse(b, a.place,
               "the width to be split is not known: declare the matrix, as in "
               "\"W: d_model x h d_k\"");
    if (a.heads)
        all_columns = tree_binary(TREE_PRODUCT, a.place, a.heads, all_columns);
    a.step = add_with_scalar(b, STEP_SPLIT, a.place, a.step, heads);
    a.heads = heads;
    a.width = width_new(quotient(all_columns, heads, a.place));
    return a;
}

/* Columns from .. end - 1 of each head of a. */
Value
columns_value(Builder *b, Value a, Tree *from, Tree *end)
{
    if (a.sort != TOKENS || a.transposed)
        refuse(b, a.place, "only tokens have columns, as in q[0 : d_k]");
    Tree *count = end; /* the number of columns, end - from */
    if (!tree_is_number(from, 0))
        count = tree_binary(TREE_SUM, a.place, end,
                            tree_unary(TREE_NEGATIVE, a.place, from));
    Step s = {.kind = STEP_COLUMNS, .in = {a.step}, .inputs = 1};
    s.place = a.place;
    s.scalar[FIRST_COLUMN] = from;
    s.scalar[COLUMN_COUNT] = count;
    a.step = add_step(b, s);
    a.width = width_new(count);
    return a;
}

/* The width of a value that is joined with others. Exits unless the value is
   tokens and its width is known. */
static Tree *
joined_width(const Builder *b, Value v)
{
    bool is_tokens = v.sort == TOKENS && !v.transposed;
    Tree *width = is_tokens ? width_known(v.width) : NULL;
    if (!width)
        refuse(b, v.place,
               "only tokens of known width can be side by side: declare their "
               "last matrix, as in \"W_i^K: d_model x d_k\"");
    return width;
}

/* Head i of the result consists of head i of each value, side by side. A value
   without heads is in every head. */
Value
joined_value(Builder *b, const Value *v, int count, const char *place)
{
    Value all = v[0];
    Step join = {.kind = STEP_JOIN, .inputs = count};
    Tree *sum = NULL; /* of the widths */
    for (int i = 0; i < count; i++) {
        Tree *width = joined_width(b, v[i]);
        if (all.heads && v[i].heads &&
            !equal_scalars(b->text, all.heads, v[i].heads))
            refuse(b, v[i].place,
                   "the index of this part differs from that of a part before "
                   "it: give all parts the same index, or none");
        if (!all.heads)
            all.heads = v[i].heads;
        sum = i == 0 ? width : tree_binary(TREE_SUM, place, sum, width);
        join.in[i] = v[i].step;
    }
    all.step = add_step(b, join);
    all.width = width_new(sum);
    return all;
}
