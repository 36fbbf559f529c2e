/* positions.c - rotation by the position, and the positions that the model puts
   into every variant's scores. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/positions.h"
#include "heart/tape.h"

typedef struct Rotation {
    int position; /* of the first token */
    double base;
} Rotation;

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

static const Operator rotation = {"rotate", rotate_forward, rotate_backward};
static const Operator of_model = {"rope", rotate_forward, rotate_backward};

static Node *
turned(const Operator *op, Node *n, int position, double base)
{
    if (n->cols / n->heads % 2 || !(base >= 1))
        bug("rotate: (%d x %d) of %d heads, base %g: heads are an even number "
            "of columns wide, and the base is at least 1",
            n->rows, n->cols, n->heads, base);
    Node *c = new_node(op, n->rows, n->cols, &n, 1);
    c->heads = n->heads;
    keep_arguments(c, &(Rotation){position, base}, sizeof(Rotation));
    return compute(c);
}

Node *
rotate(Attention *a, Node *n, double base)
{
    return turned(&rotation, n, first_position(a, n), base);
}

Node *
rope(Node *n, int position)
{
    return turned(&of_model, n, position, ROPE_BASE);
}

Node *
before_rope(Node *n)
{
    return n->op == &of_model ? n->in[0] : n;
}

Node *
positioned(const Attention *a, Node *n, int first)
{
    return a->relative == ROPE ? rope(n, first) : n;
}

Node *
all_rows(Node *n)
{
    Keeper *k = n->tape->keeper;
    return k ? k->all_rows(k, n) : n;
}

Node *
all_keys(const Attention *a, Node *k)
{
    Keeper *keeper = k->tape->keeper;
    return keeper ? keeper->all_keys(keeper, a, k) : positioned(a, k, 0);
}

int
earlier_rows(const Node *n)
{
    const Keeper *k = n->tape->keeper;
    return k ? k->earlier : 0;
}

int
first_position(const Attention *a, const Node *n)
{
    const Keeper *k = n->tape->keeper;
    return k && n->rows == (k->earlier + k->fresh) * n->sequences ? 0
                                                                  : a->position;
}

double
angle_of(int pair, int width)
{
    return decay(2. * pair / width * logarithm(ROPE_BASE));
}

/* The slope of a head, kept from call to call: those of a row have the same. */
double
alibi(const Attention *a, int head, int query, int key)
{
    static _Thread_local int heads, number;
    static _Thread_local double slope;
    int wanted = (a->scored + head) % a->heads + 1;
    if (heads != a->heads || number != wanted)
        slope = decay(8. * wanted / a->heads * logarithm(2));
    heads = a->heads;
    number = wanted;
    return -slope * abs(query - key);
}
