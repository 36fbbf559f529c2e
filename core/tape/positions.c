/* positions.c - positions that the model puts into every variant's scores. */
#include <stdlib.h>

#include "heart/numbers.h"
#include "tape/attend.h"

Node *
positioned(const Attention *a, Node *n, int first)
{
    return a->relative == ROPE ? rope(n, first) : n;
}

Node *
all_rows(Node *n)
{
    Keeper *k = tape_keeper(n->tape);
    return k ? k->all_rows(k, n) : n;
}

Node *
all_keys(const Attention *a, Node *k)
{
    Keeper *keeper = tape_keeper(k->tape);
    return keeper ? keeper->all_keys(keeper, a, k) : positioned(a, k, 0);
}

int
earlier_rows(const Node *n)
{
    const Keeper *k = tape_keeper(n->tape);
    return k ? k->earlier : 0;
}

int
first_position(const Attention *a, const Node *n)
{
    const Keeper *k = tape_keeper(n->tape);
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
