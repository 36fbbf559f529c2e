/* watched.c - what a watch has seen of one place of a model. */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "train/watched.h"

Watched *
watch_model(Model *m, const Batch *b)
{
    Watched *w = allocate(1, sizeof *w);
    Tape *measured = tape_measure();
    model_forward(m, measured, b);
    w->tape = tape_fitting(measured);
    tape_free(measured);
    w->watch.replaced = -1;
    m->attention.watch = &w->watch;
    w->logits = model_forward(m, w->tape, b);
    m->attention.watch = NULL;
    return w;
}

void
watched_free(Watched *w)
{
    tape_free(w->tape);
    free(w);
}

Seen
watched_end(const Watch *w, int place)
{
    Seen end = {.calls = w->calls, .softmaxes = w->softmaxes};
    if (place + 1 < w->places)
        end = w->place[place + 1];
    end.calls = end.calls < MOST_CALLS ? end.calls : MOST_CALLS;
    end.softmaxes = end.softmaxes < MOST_CALLS ? end.softmaxes : MOST_CALLS;
    return end;
}

int
watched_heads(const Watch *w, int place)
{
    const Seen *from = &w->place[place], end = watched_end(w, place);
    int heads = 0;
    for (int i = from->calls; i < end.calls; i++)
        heads += w->call[i].q->heads;
    for (int i = from->softmaxes; i < end.softmaxes; i++)
        heads += w->softmax[i]->heads;
    return heads;
}

int
watched_tokens(const Watch *w, int place)
{
    const Node *x = w->place[place].x;
    return x->rows / x->sequences;
}

int
watched_asked(const Watch *w, int place)
{
    const Node *y = w->place[place].y;
    return y->rows / y->sequences;
}

void
watched_weights(const Watch *w, int place, int head, int sequence,
                double *weights)
{
    const Seen *from = &w->place[place], end = watched_end(w, place);
    int tokens = watched_tokens(w, place), asked = watched_asked(w, place);
    for (int i = from->calls; i < end.calls; i++) {
        const Call *c = &w->call[i];
        if (head < c->q->heads) {
            double *scores = allocate((size_t)(tokens * asked), sizeof *scores);
            call_weights(c, sequence, head, scores, weights);
            free(scores);
            return;
        }
        head -= c->q->heads;
    }
    for (int i = from->softmaxes; i < end.softmaxes; i++) {
        const Node *p = w->softmax[i];
        for (int k = 0; head < p->heads && k < tokens * asked; k++) {
            int row = sequence * tokens + k / asked;
            weights[k] =
                (double)p->value[row * p->cols + head * asked + k % asked];
        }
        if (head < p->heads)
            return;
        head -= p->heads;
    }
}

/* Of head `head` of n, how many numbers lie beyond the smallest and the largest
   in the same column of the same sequence of `of`. */
static double
beyond(const Node *n, int head, const Node *of, int of_head)
{
    int width = n->cols / n->heads, tokens = n->rows / n->sequences;
    int asked = of->rows / of->sequences, count = 0;
    for (int s = 0; s < n->sequences; s++)
        for (int j = 0; j < width; j++) {
            real least = INFINITY, most = -INFINITY;
            const real *at = of->value + s * asked * of->cols +
                             of_head * (of->cols / of->heads) + j;
            for (int i = 0; i < asked; i++) {
                real y = at[i * of->cols];
                least = y < least ? y : least;
                most = y > most ? y : most;
            }
            double rounding = 1e-5 * (double)(most - least) + 1e-12;
            double low = (double)least - rounding;
            double high = (double)most + rounding;
            at = n->value + s * tokens * n->cols + head * width + j;
            for (int i = 0; i < tokens; i++) {
                double x = (double)at[i * n->cols];
                count += !(x >= low && x <= high); /* NaN is nowhere */
            }
        }
    return count;
}

/* The products of a softmax's weights with something, in one place. */
static void
count_steps(const Seen *seen, const Node *softmax, Range *r)
{
    for (const Node *n = seen->out; n; n = n->previous) {
        if (n->inputs != 2 || n->in[0] != softmax)
            continue;
        const Node *v = n->in[1], *y = seen->y;
        bool wide = n->cols / n->heads == y->cols;
        for (int h = 0; h < n->heads; h++)
            r->outside += wide ? beyond(n, h, y, 0)
                               : beyond(n, h, v, h / (n->heads / v->heads));
        r->numbers += (double)size_of(n);
    }
}

Range
watched_range(const Watch *w, int place)
{
    const Seen *seen = &w->place[place], end = watched_end(w, place);
    Range r = {.returned = (double)size_of(seen->out)};
    for (int i = seen->calls; i < end.calls; i++) {
        const Call *c = &w->call[i];
        for (int h = 0; h < c->q->heads; h++)
            r.outside +=
                beyond(c->out, h, c->v, h / (c->q->heads / c->v->heads));
        r.numbers += (double)size_of(c->out);
    }
    for (int i = seen->softmaxes; i < end.softmaxes; i++)
        count_steps(seen, w->softmax[i], &r);
    r.returned_beyond = beyond(seen->out, 0, seen->y, 0);
    return r;
}
