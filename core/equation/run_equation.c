/* run_equation.c - an equation as a variant. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <qkv/operator.h>

#include "equation/matrices.h"
#include "equation/plan.h"
#include "equation/run_equation.h"
#include "heart/fail.h"
#include "heart/plugin.h"

/* `variant` is the first member, so a pointer to it is one to the Equation,
   too: forward and weights find their plan through Attention.variant. */
typedef struct Equation {
    Variant variant;
    const Plan *plan;
} Equation;

static const Plan *
plan_of(const Attention *a)
{
    return ((const Equation *)a->variant)->plan;
}

/* Variant.weights of every equation: declares the matrices of its plan. */
static void
weights(Weights *w, const Attention *a)
{
    const Plan *p = plan_of(a);
    for (int k = 0; k < p->weights; k++) {
        const PlanWeight *m = &p->weight[p->order[k]];
        weight(w, k, m->stored, stored_rows(p, m, a), stored_cols(p, m, a));
        if (m->declared && m->declared->mean)
            initialise(w, k, scalar_value(m->declared->mean, a),
                       scalar_value(m->declared->deviation, a));
        else if (m->adds)
            initialise(w, k, 0, 0);
        else if (m->multiplies)
            initialise(w, k, 1, 0);
    }
}

/* Number k of a step, which is a count of heads or columns. Exits if it is not
   whole. */
static int
whole(const Plan *p, const Step *s, int k, const Attention *a)
{
    double x = scalar_value(s->number[k], a);
    if (!(x >= 0 && x <= INT_MAX && x == floor(x)))
        equation_wrong(p->text, s->place,
                       "%s is %g at these sizes, but must be a whole number of "
                       "heads or columns: choose other sizes",
                       scalar_text(s->number[k]), x);
    return (int)x;
}

static double
scale_of(const Step *s, const Attention *a)
{
    return s->number[0] ? scalar_value(s->number[0], a) : 1;
}

/* For each head i, A_i B_i or A_i B_i', side by side. B has a block for each
   head or, if `b_heads` is 1, one for all heads. */
static Node *
each_head(Node *a, Node *b, bool transposed, int b_heads)
{
    int heads = a->heads, width = a->cols / heads, block = b->cols / b_heads;
    Node *made[heads], *all = split(a, 1), *blocks = split(b, 1);
    for (int i = 0; i < heads; i++) {
        Node *part = columns(all, i * width, width);
        Node *m = b_heads == 1 ? blocks : columns(blocks, i * block, block);
        made[i] = transposed ? matmul_t(part, m) : matmul(part, m);
    }
    return split(concat(made, heads), heads);
}

/* sum_i A_i */
static Node *
sum_heads(Node *a)
{
    int heads = a->heads, width = a->cols / heads;
    Node *all = split(a, 1), *sum = columns(all, 0, width);
    for (int i = 1; i < heads; i++)
        sum = add(sum, columns(all, i * width, width));
    return sum;
}

/* The node of a step that takes part in attention. */
static Node *
attention_node(const Plan *p, const Step *s, Attention *a, Node **in)
{
    switch (s->kind) {
    case STEP_SCORES:
        return scores(a, in[0], in[1], scale_of(s, a));
    case STEP_SOFTMAX:
        return s->inputs > 1 ? softmax_sink(a, in[0], in[1])
                             : softmax(a, in[0]);
    case STEP_SINK_ZERO:
        return softmax_sink(a, in[0], NULL);
    case STEP_MASK:
        return mask_zero(a, in[0]);
    case STEP_APPLY:
        return apply_weights(a, in[0], in[1]);
    case STEP_ATTEND:
        return attend(a, in[0], in[1], in[2], scale_of(s, a));
    case STEP_ROTATE:
        return rotate(a, in[0], scalar_value(s->number[0], a));
    default:
        bug("%s: step %d has no operator", p->text->path, s->kind);
    }
}

/* The node of a step, made by the operator that corresponds to its kind.
   attention_node makes the nodes that are part of attention. */
static Node *
step_node(const Plan *p, const Step *s, Attention *a, Node **in)
{
    switch (s->kind) {
    case STEP_MAP:
        return matmul(in[0], in[1]);
    case STEP_MAP_T:
        return matmul_t(in[0], in[1]);
    case STEP_EACH_HEAD:
        return each_head(in[0], in[1], false, s->block ? in[0]->heads : 1);
    case STEP_EACH_HEAD_T:
        return each_head(in[0], in[1], true, s->block ? in[0]->heads : 1);
    case STEP_SUM_HEADS:
        return sum_heads(in[0]);
    case STEP_ADD:
        return add(in[0], in[1]);
    case STEP_ENTRIES:
        return hadamard(in[0], in[1]);
    case STEP_SCALE:
        return scale(in[0], scale_of(s, a));
    case STEP_SPLIT:
        return split(in[0], s->number[0] ? whole(p, s, 0, a) : 1);
    case STEP_COLUMNS:
        return columns(in[0], whole(p, s, 0, a), whole(p, s, 1, a));
    case STEP_JOIN:
        return concat(in, s->inputs);
    case STEP_RMS:
        return rms_norm(in[0], scalar_value(s->number[0], a));
    case STEP_SHIFT:
        return shift(in[0], whole(p, s, 0, a));
    case STEP_MIX:
        return mix_heads(in[0], in[1]);
    case STEP_CACHED:
        return cached(in[0]);
    case STEP_TANH:
        return tanh_of(in[0]);
    case STEP_SIGMOID:
        return sigmoid(in[0]);
    case STEP_GELU:
        return gelu(in[0]);
    case STEP_EXP:
        return map(in[0], exp, exp);
    default:
        return attention_node(p, s, a, in);
    }
}

/* Variant.forward of every equation: carries out the steps of its plan in
   order. */
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    const Plan *p = plan_of(a);
    Node *value[p->steps], *of_weight[p->weights + 1];
    memset(value, 0, sizeof value);
    for (int k = 0; k < p->weights; k++)
        of_weight[p->order[k]] = w[k];
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
            value[i] = of_weight[s->weight];
        else if (s->twin >= 0 && y == x) /* nothing is computed twice */
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
