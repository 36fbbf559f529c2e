/* bias.c - scores that get a bias by position, and scores that are masked
   without a softmax.

   A bias depends on head and positions only, so the canonical form of a head
   with one is softmax(s x M y' + b) y N. */
#include <string.h>

#include "heart/attention.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "operators/bias.h"

/* C = S + b(head, query, key), the same in all sequences */
static void
bias_forward(Node *c)
{
    const Added *b = c->arguments;
    const Attention *a = &b->attention;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    int size = c->rows * c->cols, sequence = tokens * c->cols;
    memcpy(c->value, c->in[0]->value, (size_t)size * sizeof(real));
    for (int row = 0; row < tokens * c->heads; row++) {
        int h = row % c->heads, query = a->position + row / c->heads;
        for (int j = 0; j < keys; j++) {
            double bias = b->bias(a, h, query, j);
            for (int at = row * keys + j; at < size; at += sequence)
                c->value[at] += (real)bias;
        }
    }
}

/* dS += dC, which is 0 wherever the bias masks */
static void
bias_backward(Node *c)
{
    add_gradient(c->in[0], c->gradient);
}

const Operator fixed_bias_op = {"fixed_bias", bias_forward, bias_backward};

Node *
fixed_bias(Attention *a, Node *s, Bias *bias)
{
    return make(&fixed_bias_op, OF(s), (Made){WITH((Added){*a, bias})});
}

Node *
attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale, Bias *bias)
{
    Node *s = fixed_bias(a, scores(a, q, k, scale), bias);
    return apply_weights(a, softmax(a, s), v);
}

/* C = A where it is not masked, else 0 */
static void
add_seen(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    const Attended *with = c->arguments;
    int tokens = c->rows / c->sequences, keys = c->cols / c->heads;
    for (int i = 0; i < c->rows * c->heads; i++) {
        int t = i / c->heads % tokens;
        int seen = keys_seen(with->causal, t, tokens, keys);
        add_between(of_c + i * keys, of_a + i * keys, seen, back);
    }
}

const LinearOperator mask_zero_op = {
    {"mask_zero", linear_forward, linear_backward}, add_seen};

Node *
mask_zero(Attention *a, Node *s)
{
    check_mask("mask_zero", a, s, s->cols / s->heads);
    return make(&mask_zero_op.op, OF(s),
                (Made){WITH((Attended){1, a->causal})});
}
