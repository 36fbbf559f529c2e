/* positions.c - positions that the model puts into every variant's scores. */
#include <stdlib.h>

#include "heart/numbers.h"
#include "tape/attend.h"
#include "tape/cache.h"

Node *
positioned(const Attention *a, Node *n, int first)
{
    return a->relative == ROPE ? rope(n, first) : n;
}

Node *
all_keys(const Attention *a, Node *k)
{
    if (a->relative != ROPE)
        return all_rows_of_keys(k);
    return only_keys(k) ? all_rows_of_keys(positioned(a, k, a->position))
                        : positioned(a, all_rows_of_keys(k), 0);
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
