/* generate.c - continues a text with a model, token by token. */
#include <stdlib.h>
#include <string.h>

#include "decode/generate.h"
#include "heart/tape.h"
#include "operators/functions.h"

/* Runs the step for shapes (cache.h), in which the cache finds out what it has
   to keep. It has the shapes of the last step, which needs the most memory.
   Returns how much memory the last step needs, in numbers of type real. */
static size_t
run_step_for_shapes(Decoder *d, int tokens)
{
    Tape *shapes = tape_new(SHAPES_ONLY);
    shapes->keeper = &d->cache->keeper;
    d->cache->keeper.position = tokens - d->batch.rows;
    model_forward(d->model, shapes, &d->batch);
    /* `bytes` has the nodes, but no matrices: those are only counted. */
    size_t needed = shapes->entries + shapes->bytes / sizeof(real);
    tape_free(shapes);
    cache_clear(d->cache);
    return needed;
}

/* A tape that computes, with memory for this many numbers of type real. A node
   without rows takes the memory, and tape_reset then keeps the memory for the
   tape's next nodes. */
static Tape *
tape_with_memory(size_t entries)
{
    const int rows = 0, cols = 0;
    Tape *t = tape_new(COMPUTE);
    keep(leaf(t, rows, cols, UNBATCHED, NULL, NULL), entries);
    tape_reset(t);
    return t;
}

Decoder *
decoder_new(Model *m, int tokens)
{
    const int one_sequence = 1;
    Decoder *d = allocate(1, sizeof *d);
    Sizes step = m->sizes;
    step.tokens = tokens < AT_ONCE ? tokens : AT_ONCE;
    d->model = m;
    d->batch = batch_new(step, one_sequence);
    d->cache = cache_new(m->places, tokens);
    d->tape = tape_with_memory(run_step_for_shapes(d, tokens));
    d->tape->keeper = &d->cache->keeper;
    return d;
}

void
decoder_free(Decoder *d)
{
    cache_free(d->cache);
    tape_free(d->tape);
    batch_free(&d->batch);
    free(d);
}

Model *
model_for_length(const Model *m, int tokens)
{
    Sizes sizes = m->sizes;
    if (m->config.positions != POSITIONS_LEARNED)
        sizes.tokens = tokens;
    Model *copy = model_new(&m->config, sizes, m->variant);
    memcpy(copy->values, m->values, m->parameters * sizeof(real));
    return copy;
}

const real *
decoder_read(Decoder *d, const int *ids, int count)
{
    const Node *logits = NULL;
    int each = d->model->sizes.each;
    while (count > 0) {
        int n = count < AT_ONCE ? count : AT_ONCE; /* tokens of this step */
        d->batch.rows = n;
        memcpy(d->batch.ids, ids, (size_t)n * each * sizeof *ids);
        tape_reset(d->tape);
        logits = model_forward(d->model, d->tape, &d->batch);
        d->cache->keeper.position += n;
        ids += n * each;
        count -= n;
    }
    /* the last row of the last step's logits */
    return logits ? logits->value + size_of(logits) - logits->cols : NULL;
}

const real *
decoder_continue(Decoder *d, const int *ids, int count)
{
    int each = d->model->sizes.each, most = d->cache->tokens;
    if (count - d->first > most) { /* the cache cannot hold all tokens */
        int half = (most + 1) / 2; /* at least 1 */
        cache_clear(d->cache);
        d->first = count - half; /* these are read again */
        d->read = d->first;
    }
    const real *logits = decoder_read(d, ids + d->read * each, count - d->read);
    d->read = count;
    return logits;
}

/* Is the logit x one of the k largest, or equal to the smallest of these? */
static bool
among_largest(const real *logits, int classes, real x, int k)
{
    int larger = 0;
    for (int i = 0; i < classes; i++)
        larger += logits[i] > x;
    return larger < k;
}

/* The probability of class i, divided by that of class `best`, the likeliest:
   e^-(difference of their logits / temperature). decay(x) is e^-x. The result
   is 0 if Sampling.top_k does not allow class i to be chosen. */
static double
relative_chance(const real *logits, int classes, int i, int best, Sampling how)
{
    /* If x is larger, e^-x counts as 0. e^-700 is near the smallest double, and
       decay would not return if x were infinite. */
    enum { LARGEST = 700 };
    double x = (double)(logits[best] - logits[i]) / how.temperature;
    bool allowed =
        how.top_k == 0 || among_largest(logits, classes, logits[i], how.top_k);
    return allowed && x <= LARGEST ? decay(x) : 0;
}

/* Draws a number between 0 and the sum of all relative probabilities, and
   chooses the class at which their running sum exceeds this number. */
int
sample(const real *logits, int classes, Sampling how, Random *r)
{
    int best = 0;
    for (int i = 1; i < classes; i++)
        if (logits[i] > logits[best])
            best = i;
    if (how.temperature == 0)
        return best;
    double sum = 0, running = 0;
    for (int i = 0; i < classes; i++)
        sum += relative_chance(logits, classes, i, best, how);
    double drawn = random_uniform(r) * sum;
    for (int i = 0; i < classes; i++) {
        running += relative_chance(logits, classes, i, best, how);
        if (running > drawn)
            return i;
    }
    return best; /* rounding left the running sum below the number */
}
