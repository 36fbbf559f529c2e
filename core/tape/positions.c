/* positions.c - positions that the model puts into every variant's scores. */
#include <stdlib.h>

#include "math/elementary.h"
#include "tape/attend.h"
#include "tape/cache.h"

Node *
positioned(const Attention *a, Node *n, int first)
{
    Attention here = *a;
    here.position = first;
    here.recording = NULL; /* it is not the variant that rotates */
    return a->relative == ROPE ? rotate(&here, n, ROPE_BASE) : n;
}

Node *
all_keys(const Attention *a, Node *k, bool blocks)
{
    if (a->relative != ROPE)
        return all_rows_of_keys(k, blocks);
    return only_keys(k)
               ? all_rows_of_keys(positioned(a, k, a->position), blocks)
               : positioned(a, closed(all_rows_of_keys(k, blocks)), 0);
}

double
angle_of(int pair, int width)
{
    return decay(2. * pair / width * logarithm(ROPE_BASE));
}

double
alibi(const Attention *a, int head, int query, int key)
{
    int number = (a->scored + head) % a->heads + 1;
    return -decay(8. * number / a->heads * logarithm(2)) * abs(query - key);
}
