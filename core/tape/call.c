/* call.c - what a watch notes of a variant's calls to attend. */
#include <math.h>

#include "math/elementary.h"
#include "tape/attend.h"
#include "tape/tape.h"

void
watch_call(Watch *w, Call call)
{
    Node *out = call.out;
    int number = w->calls++;
    call.number = number;
    if (number < MOST_CALLS)
        w->call[number] = call;
    if (w->replaced < 0 || !out->value)
        return;
    for (int i = 0; i < out->rows; i++)
        for (int j = 0; j < out->cols; j++)
            out->value[(size_t)i * (size_t)out->cols + (size_t)j] =
                number == w->replaced && i == j;
}

void
watch_place(Watch *w, Seen seen)
{
    int call = w->calls < MOST_CALLS ? w->calls : MOST_CALLS;
    int softmax = w->softmaxes < MOST_CALLS ? w->softmaxes : MOST_CALLS;
    for (Node *n = backward_order(seen.out->root); n; n = n->next) {
        for (int i = seen.calls; i < call; i++)
            if (w->call[i].out == n) {
                Call last = w->call[--call];
                w->call[call] = w->call[i];
                w->call[i] = last;
            }
        for (int i = seen.softmaxes; i < softmax; i++)
            if (w->softmax[i] == n) {
                w->softmax[i] = w->softmax[--softmax];
                w->softmax[softmax] = n;
            }
    }
    if (w->places < MOST_CALLS)
        w->place[w->places++] = seen;
}

void
call_weights(const Call *c, int sequence, int head, double *scores,
             double *weights)
{
    int k_head = head / (c->q->heads / c->k->heads);
    Matrix q = head_of(c->q, c->q->value, sequence, head);
    Matrix k = head_of(c->k, c->k->value, sequence, k_head);
    for (int i = 0; i < q.rows; i++) {
        double *s = scores + i * k.rows, *p = weights + i * k.rows;
        double most = -INFINITY, sum = 0;
        for (int j = 0; j < k.rows; j++) {
            s[j] = c->causal && j > i ? -INFINITY : 0;
            for (int l = 0; l < q.cols; l++)
                s[j] += c->scale * (double)q.at[i * q.down + l] *
                        (double)k.at[j * k.down + l];
            most = fmax(most, s[j]);
        }
        for (int j = 0; j < k.rows; j++)
            sum += p[j] = most - s[j] >= 700 ? 0 : decay(most - s[j]);
        for (int j = 0; j < k.rows; j++)
            p[j] /= sum;
    }
}
