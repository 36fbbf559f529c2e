/* run_equation.c - makes a variant from an equation.

   A plugin in C has its own functions `weights` and `forward`. All equations
   share the two below: `weights` declares the matrices of the equation's plan,
   and `forward` calls the operator of each step, which makes a node. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <qkv/operator.h>

#include "equation/matrices.h"
#include "equation/plan.h"
#include "equation/run_equation.h"
#include "heart/fail.h"

/* A variant that was made from an equation. `variant` is the first member, so
   that a pointer to it can be cast to a pointer to the Equation. */
typedef struct Equation {
    Variant variant;
    const Plan *plan;
} Equation;

/* Variant.weights of every equation: declares the matrices of its plan, in the
   order of the variant. A bias or sink is initialised to 0, and a gain to 1,
   unless its declaration gives other initial entries. */
static void
weights(Weights *w, const Attention *a)
{
    const Plan *p = plan_of_variant(a->variant);
    const double zero = 0, one = 1, no_deviation = 0;
    for (int k = 0; k < p->weights; k++) {
        const PlanWeight *m = &p->weight[p->order[k]];
        weight(w, k, m->stored, stored_rows(p, m, a), stored_cols(p, m, a));
        if (m->declared && m->declared->mean)
            initialise(w, k, scalar_value(m->declared->mean, a),
                       scalar_value(m->declared->deviation, a));
        else if (m->adds)
            initialise(w, k, zero, no_deviation);
        else if (m->multiplies)
            initialise(w, k, one, no_deviation);
    }
}

/* The value of s->scalar[which], which counts heads, columns or tokens. Exits
   unless the value is a whole number of at least 0. */
static int
count_of(const Plan *p, const Step *s, int which, const Attention *a)
{
    double x = scalar_value(s->scalar[which], a);
    if (!(x >= 0 && x <= INT_MAX && x == floor(x)))
        equation_wrong(p->text, s->place,
                       "%s is %g at these sizes, but must be a whole number of "
                       "at least 0: choose other sizes",
                       scalar_text(s->scalar[which]), x);
    return (int)x;
}

/* The scale of a step; without a scalar it is 1. */
static double
scale_of(const Step *s, const Attention *a)
{
    const Tree *scale = s->scalar[ONLY_SCALAR];
    return scale ? scalar_value(scale, a) : 1;
}

/* columns(n, ...) takes columns of each head of n. On split(n, ONE_HEAD), it
   takes columns of the whole width of n. */
enum { ONE_HEAD = 1 };

/* The node of STEP_EACH_HEAD and STEP_EACH_HEAD_T: each head of n times its
   block of m, side by side. If the step has no block, each head of n is
   multiplied by all of m. */
static Node *
each_head(const Step *s, const Attention *a, Node *n, Node *m)
{
    int heads = (int)scalar_value(s->heads, a);
    int width = n->cols / heads, block = m->cols / heads; /* in columns */
    Node *made[heads], *all = split(n, ONE_HEAD), *blocks = split(m, ONE_HEAD);
    for (int i = 0; i < heads; i++) {
        Node *head = columns(all, i * width, width);
        Node *right = s->block ? columns(blocks, i * block, block) : blocks;
        bool transposed = s->kind == STEP_EACH_HEAD_T;
        made[i] = transposed ? matmul_t(head, right) : matmul(head, right);
    }
    return split(concat(made, heads), heads);
}

/* The sum of the heads of a node. */
static Node *
sum_heads(Node *n)
{
    int heads = n->heads, width = n->cols / heads;
    Node *all = split(n, ONE_HEAD);
    Node *sum = columns(all, 0, width); /* head 0 */
    for (int i = 1; i < heads; i++)
        sum = add(sum, columns(all, i * width, width));
    return sum;
}

/* The node of a step whose operator takes the Attention. `in` has the nodes of
   its operands. */
static Node *
attention_node(const Plan *p, const Step *s, Attention *a, Node **in)
{
    Node *zero_sink = NULL;
    switch (s->kind) {
    case STEP_SCORES:
        return scores(a, in[0], in[1], scale_of(s, a));
    case STEP_SOFTMAX:
        return softmax(a, in[0]);
    case STEP_SINK:
        return softmax_sink(a, in[0], in[1]);
    case STEP_SINK_ZERO:
        return softmax_sink(a, in[0], zero_sink);
    case STEP_MASK:
        return mask_zero(a, in[0]);
    case STEP_APPLY:
        return apply_weights(a, in[0], in[1]);
    case STEP_ATTEND:
        return attend(a, in[0], in[1], in[2], scale_of(s, a));
    case STEP_ROTATE:
        return rotate(a, in[0], scalar_value(s->scalar[ONLY_SCALAR], a));
    default:
        bug("%s: no operator carries out a step of kind %d", p->text->path,
            s->kind);
    }
}

/* The operators that take one node, or two, and nothing else. The index is the
   kind of their step; other kinds have NULL. */
static Node *(*const operator_of_one[STEP_KINDS])(Node *) = {
    [STEP_CACHED] = cached,
    [STEP_TANH] = tanh_of,
    [STEP_SIGMOID] = sigmoid,
    [STEP_GELU] = gelu};
static Node *(*const operator_of_two[STEP_KINDS])(Node *, Node *) = {
    [STEP_MAP] = matmul,
    [STEP_MAP_T] = matmul_t,
    [STEP_ADD] = add,
    [STEP_ENTRIES] = hadamard,
    [STEP_MIX] = mix_heads};

/* The node of a step. `in` has the nodes of its operands. */
static Node *
step_node(const Plan *p, const Step *s, Attention *a, Node **in)
{
    if (operator_of_one[s->kind])
        return operator_of_one[s->kind](in[0]);
    if (operator_of_two[s->kind])
        return operator_of_two[s->kind](in[0], in[1]);
    switch (s->kind) {
    case STEP_EACH_HEAD:
    case STEP_EACH_HEAD_T:
        return each_head(s, a, in[0], in[1]);
    case STEP_SUM_HEADS:
        return sum_heads(in[0]);
    case STEP_SCALE:
        return scale(in[0], scale_of(s, a));
    case STEP_SPLIT:
        return split(in[0], count_of(p, s, ONLY_SCALAR, a));
    case STEP_COLUMNS:
        return columns(in[0], count_of(p, s, FIRST_COLUMN, a),
                       count_of(p, s, COLUMN_COUNT, a));
    case STEP_JOIN:
        return concat(in, s->inputs);
    case STEP_RMS:
        return rms_norm(in[0], scalar_value(s->scalar[ONLY_SCALAR], a));
    case STEP_SHIFT:
        return shift(in[0], count_of(p, s, ONLY_SCALAR, a));
    case STEP_EXP:
        return map(in[0], exp, exp); /* exp is its own derivative */
    default:
        return attention_node(p, s, a, in);
    }
}

/* Variant.forward of every equation: makes a node for each step of its plan
   that is used, in order. In self-attention y is x, so a step has the same
   value as its twin (steps.h), and takes the twin's node instead of computing
   it again.
 */
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    const Plan *p = plan_of_variant(a->variant);
    Node *value[p->steps]; /* NULL for a step that is not used */
    memset(value, 0, sizeof value);
    Node *matrix[p->weights + 1]; /* + 1, because an array cannot be empty */
    for (int k = 0; k < p->weights; k++) /* w has the order of the variant */
        matrix[p->order[k]] = w[k];
    for (int i = 0; i < p->steps; i++) {
        const Step *s = &p->step[i];
        Node *in[MOST_OPERANDS];
        if (!s->uses)
            continue;
        for (int k = 0; k < s->inputs; k++)
            in[k] = value[s->in[k]];
        if (s->kind == STEP_X)
            value[i] = x;
        else if (s->kind == STEP_Y)
            value[i] = y;
        else if (s->kind == STEP_WEIGHT)
            value[i] = matrix[s->weight];
        else if (s->twin != i && y == x)
            value[i] = value[s->twin];
        else
            value[i] = step_node(p, s, a, in);
    }
    return value[p->output];
}

const Variant *
variant_of_text(const char *path, const char *text)
{
    const EquationText *e = equation_read(path, text);
    const Plan *p = plan_make(e);
    Equation *made = allocate(1, sizeof *made);
    made->plan = p;
    made->variant = (Variant){.abi = QKV_ABI,
                              .equation = e->lines,
                              .family = *e->family ? e->family : NULL,
                              .shape = plan_shape(p),
                              .weights = weights,
                              .forward = forward,
                              .settings = *e->settings ? e->settings : NULL};
    return &made->variant;
}

const Plan *
plan_of_variant(const Variant *v)
{
    return v->forward == forward ? ((const Equation *)v)->plan : NULL;
}
