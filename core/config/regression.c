/* regression.c - the loss of a model whose answers are numbers. */
#include <qkv/operator.h>

#include "config/regression.h"
#include "heart/operators.h"
#include "heart/tape.h"

/* The answers; one means the number sizes->first + sizes->step * target. */
typedef struct Scale {
    const int *targets;
    int counted;
    const Sizes *sizes;
    double *right; /* or NULL: see number_loss */
} Scale;

/* C = the sum over counted rows of (x - y)^2, / counted */
static void
squared_error_forward(Node *c)
{
    const Node *x = c->in[0];
    const Scale *y = c->arguments;
    double sum = 0, right = 0;
    for (int i = 0; i < x->rows; i++) {
        int target = y->targets[i];
        if (target < 0)
            continue;
        double number = y->sizes->first + y->sizes->step * target;
        c->kept[i] = x->value[i] - (real)number;
        sum += (double)c->kept[i] * (double)c->kept[i];
        double off = (double)x->value[i] - number;
        right += 1 - off * off;
    }
    if (y->right)
        *y->right += right;
    c->value[0] = y->counted ? (real)(sum / y->counted) : 0;
}

/* dX += 2 (x - y) dC / counted */
static void
squared_error_backward(Node *c)
{
    Node *x = c->in[0];
    const Scale *y = c->arguments;
    real *d = gradient(x), factor = 2 * c->gradient[0] / (real)y->counted;
    for (int i = 0; i < x->rows; i++)
        if (y->targets[i] >= 0)
            d[i] += factor * c->kept[i];
}

Node *
number_loss(const Model *m, Node *x, const int *targets, int counted,
            double *right)
{
    static const Operator op = {"squared_error", squared_error_forward,
                                squared_error_backward};
    return make(&op, OF(x),
                (Made){.rows = 1,
                       .cols = 1,
                       .sequences = 1,
                       WITH((Scale){targets, counted, &m->sizes, right}),
                       .keeps = (size_t)x->rows});
}
