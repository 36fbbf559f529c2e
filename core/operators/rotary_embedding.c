/* rotary_embedding.c - rotary position embedding. */
#include "heart/attention_operands.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "operators/functions.h"
#include "operators/rotary_embedding.h"

/* Adds to `to` columns j and j + 1 of `from`, rotated by the angle with this
   cosine and sine: in every head of row t of every sequence. Both matrices have
   the shape of c. */
static void
rotate_pairs(const Node *c, int t, int j, double cosine, double sine, real *to,
             const real *from)
{
    int tokens = c->rows / c->sequences, width = c->cols / c->heads;
    for (int s = 0; s < c->sequences; s++)
        for (int h = 0; h < c->heads; h++) {
            int at = (s * tokens + t) * c->cols + h * width + j;
            double u = (double)from[at], v = (double)from[at + 1];
            to[at] += (real)(cosine * u - sine * v);
            to[at + 1] += (real)(sine * u + cosine * v);
        }
}

/* C is A with columns j and j + 1 of each head, for each even j, rotated by the
   angle t base^(-j / width) in the row of position t. The power is e^(-j /
   width log base). The transpose of a rotation, which the backward pass needs,
   rotates by the opposite angle. */
void
add_rotated(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    const Rotation *by = c->arguments;
    int tokens = c->rows / c->sequences, width = c->cols / c->heads;
    for (int j = 0; j < width; j += 2) {
        double rate = decay((double)j / width * logarithm(by->base));
        for (int t = 0; t < tokens; t++) {
            double cosine, sine;
            sine_cosine((by->position + t) * rate, &sine, &cosine);
            if (back)
                rotate_pairs(c, t, j, cosine, -sine, of_a, of_c);
            else
                rotate_pairs(c, t, j, cosine, sine, of_c, of_a);
        }
    }
}

const LinearOp rotate_op = LINEAR("rotate", add_rotated);

/* When decoding, n has either the rows of the new tokens, from a->position on,
   or the rows of `all` tokens so far, from 0 on. */
Node *
rotate(Attention *a, Node *n, double base)
{
    const Keeper *k = n->tape->keeper;
    bool all = k && n->rows == (k->earlier + k->fresh) * n->sequences;
    int position = all ? FROM_START : a->position, width = n->cols / n->heads;
    if (width % 2 || !(base >= 1)) /* or base is NaN */
        bug("rotate: %s of %d heads, with base %g: each head needs an even "
            "number of columns, and the base must be at least 1",
            label(n), n->heads, base);
    return make(&rotate_op.op, OF(n), (Spec){WITH((Rotation){position, base})});
}
