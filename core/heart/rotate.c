/* rotate.c - rotation by the position, RoPE's: pairs of columns are turned by
   angles that grow from token to token. */
#include <string.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/operators.h"
#include "heart/rotate.h"
#include "heart/tape.h"

/* Adds to each pair of columns 2j, 2j + 1 of `to` that of `from`, turned by
   the angle of its token and j; by minus that angle for sign -1. */
static void
add_rotated(const Node *n, real *to, const real *from, int sign)
{
    const Rotation *by = n->arguments;
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    for (int j = 0; j < width; j += 2) {
        double rate = decay((double)j / width * logarithm(by->base));
        for (int t = 0; t < tokens; t++) {
            double c, s;
            sine_cosine((by->position + t) * rate, &s, &c);
            s *= sign;
            for (int i = t; i < n->rows; i += tokens)
                for (int k = i * n->cols + j; k < (i + 1) * n->cols;
                     k += width) {
                    double u = (double)from[k], v = (double)from[k + 1];
                    to[k] += (real)(c * u - s * v);
                    to[k + 1] += (real)(s * u + c * v);
                }
        }
    }
}

/* C: each pair of A turned */
static void
rotate_forward(Node *c)
{
    memset(c->value, 0, size_of(c) * sizeof(real));
    add_rotated(c, c->value, c->in[0]->value, 1);
}

/* dA += dC, each pair turned back */
static void
rotate_backward(Node *c)
{
    add_rotated(c, gradient(c->in[0]), c->gradient, -1);
}

const Operator rotate_op = {"rotate", rotate_forward, rotate_backward};

Node *
rotated(Node *n, Rotation by)
{
    if (n->cols / n->heads % 2 || !(by.base >= 1))
        bug("rotate: %s of %d heads, base %g: heads are an even number of "
            "columns wide, and the base is at least 1",
            label(n).text, n->heads, by.base);
    return make(&rotate_op, OF(n), (Made){WITH(by)});
}

/* Under a decoder n has the rows of new tokens, or of all. */
Node *
rotate(Attention *a, Node *n, double base)
{
    const Keeper *k = n->tape->keeper;
    bool all = k && n->rows == (k->earlier + k->fresh) * n->sequences;
    return rotated(n, (Rotation){all ? 0 : a->position, base, false});
}
