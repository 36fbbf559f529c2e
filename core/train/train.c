/* train.c - the training loop: draw, forward, backward, step.

   Once a step has run, all that it needs is there: the next ones allocate
   nothing. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "heart/fail.h"
#include "heart/layers.h"
#include "task/corpus.h"
#include "train/optimizer.h"
#include "train/train.h"

enum { WINDOW = 10 }; /* batches that "solved" is the mean of */

/* Bytes that a micro-batch of so many sequences takes, forward and back. */
static double
bytes_of(Model *m, const Batch *b, int sequences)
{
    Batch micro = batch_part(b, m->sizes, 0, sequences);
    Tape *t = tape_new(SHAPES_ONLY);
    Node *logits = model_forward(m, t, &micro);
    backward(model_loss(m, logits, micro.all.targets, micro.rows));
    double bytes = (double)tape_bytes(t);
    tape_free(t);
    return bytes;
}

Needs
training_needs(const Dataset *data, const Variant *v)
{
    const Config *c = &data->config;
    Model *m = model_outline(c, data->sizes, v);
    int size = micro_batch_size(m, c->batch), rest = c->batch % size;
    Batch micro = batch_new(data->sizes, size);
    double step = bytes_of(m, &micro, size);
    if (rest)
        step = fmax(step, bytes_of(m, &micro, rest));
    double tokens =
        (double)(data->sizes.tokens + data->sizes.source) * c->batch;
    double rows = c->embed == EMBED_ONEHOT ? m->attention.d_model : 0;
    Needs n = {(4. * (double)m->parameters + rows * rows) * sizeof(real),
               tokens * (data->sizes.each + 1) * sizeof(int), step,
               (data->corpus ? corpus_bytes(data->corpus) : 0) +
                   (c->steps / c->log_every + 1.) * sizeof(LogRow)};
    batch_free(&micro);
    model_free(m);
    return n;
}

/* A batch goes through the model in micro-batches, so that what one leaves on
   the tape is still in the caches in the backward pass. The gradients are those
   of the whole batch: each is a chain of multiply-adds in the order of the
   tokens, wherever it pauses. The wider the tokens, the more of them a
   micro-batch has, since it reads every weight once. */
int
micro_batch_size(const Model *m, int sequences)
{
    return sequences_within(m->sizes, 4 * m->config.d_model, sequences);
}

/* All micro-batches of b; the backward pass too where it is to learn. Returns
   the loss, and how many of `counted` answers are right in *right. */
static double
run_batch(Model *m, Tape *t, const Batch *b, int counted, bool learn,
          double *right)
{
    double loss = 0;
    int size = micro_batch_size(m, b->sequences);
    for (int i = 0; i < b->sequences; i += size) {
        int left = b->sequences - i;
        Batch micro = batch_part(b, m->sizes, i, left < size ? left : size);
        tape_reset(t);
        Node *logits = model_forward(m, t, &micro);
        if (i > 0)
            model_add_gradients(m);
        Node *share = model_loss(m, logits, micro.all.targets, counted);
        if (learn)
            backward(share);
        loss += (double)share->value[0];
        *right += model_right(m, logits, micro.all.targets);
    }
    return loss;
}

void
evaluate(Model *m, const Dataset *data, Split split, Tape *t, Batch *b,
         double *loss, double *accuracy)
{
    Random r = dataset_stream(data, split);
    double sum = 0, right = 0;
    int all = 0;
    for (int i = 0; dataset_draw(data, split, &r, i, b) > 0; i++) {
        int counted = counted_rows(b->all.targets, b->rows);
        sum += run_batch(m, t, b, counted, false, &right) * counted;
        all += counted;
    }
    *loss = sum / all;
    *accuracy = isfinite(sum) ? right / all : NAN;
}

double
train_step(Model *m, Optimizer *o, Tape *t, const Batch *b, int step,
           double *accuracy)
{
    int counted = counted_rows(b->all.targets, b->rows);
    double right = 0, loss = run_batch(m, t, b, counted, true, &right);
    optimizer_step(o, m, step);
    *accuracy = right / counted;
    return loss;
}

/* The sums since the last line of the log, and the accuracies of the last
   batches. */
typedef struct Recent {
    double loss, accuracy, last[WINDOW];
} Recent;

/* One step, and what it means for the result. */
static void
one_step(Model *m, Optimizer *o, Tape *t, const Batch *b, int step,
         Recent *since, Result *r)
{
    double accuracy, loss = train_step(m, o, t, b, step, &accuracy);
    since->loss += loss;
    since->accuracy += accuracy;
    since->last[step % WINDOW] = accuracy;
    r->steps = step;
    r->diverged = !isfinite(loss);
    double sum = 0;
    for (int i = 0; i < WINDOW; i++)
        sum += since->last[i];
    if (!r->solved_at && step >= WINDOW && sum / WINDOW >= m->config.threshold)
        r->solved_at = step;
}

/* The last step may have spoilt a weight that no training batch uses. */
static bool
all_finite(const Model *m, const Result *r)
{
    bool finite = isfinite(r->rows[r->count - 1].validation_loss) &&
                  isfinite(r->test_loss);
    for (size_t i = 0; i < m->parameters; i++)
        finite &= isfinite(m->values[i]) != 0;
    return finite;
}

/* A line of the log after step `step`: before the first one there is nothing
   but validation. */
static LogRow *
add_line(Model *m, const Dataset *data, Tape *t, Batch *b, int step,
         Recent *since, Result *r)
{
    int steps = step ? (step - 1) % m->config.log_every + 1 : 0;
    LogRow *row = &r->rows[r->count++];
    *row = (LogRow){step, since->loss / steps, since->accuracy / steps, 0, 0};
    evaluate(m, data, VALIDATION, t, b, &row->validation_loss,
             &row->validation_accuracy);
    since->loss = since->accuracy = 0;
    return row;
}

/* Have the last `patience` lines brought no lower validation loss? */
static bool
out_of_patience(const Result *r, int patience)
{
    double best = INFINITY;
    int at = 0;
    for (int i = 0; i < r->count; i++)
        if (r->rows[i].validation_loss < best) {
            best = r->rows[i].validation_loss;
            at = i;
        }
    return r->count - 1 - at >= patience;
}

Result
train(Model *m, const Dataset *data, void (*logged)(void *, LogRow), void *to)
{
    const Config *c = &m->config;
    Batch b = batch_new(data->sizes, c->batch);
    Optimizer o = optimizer_new(m);
    Tape *t = tape_new(0);
    size_t lines = (size_t)(c->steps / c->log_every) + 1;
    Result r = {.rows = allocate(lines, sizeof *r.rows)};
    Random stream = dataset_stream(data, TRAINING);
    Recent since = {0};
    double start = now();
    bool done = false;
    for (int step = c->steps ? 1 : 0; !done; step++) {
        if (step) {
            dataset_draw(data, TRAINING, &stream, step - 1, &b);
            one_step(m, &o, t, &b, step, &since, &r);
        }
        done = step >= c->steps || r.diverged;
        if (step % c->log_every && !done)
            continue;
        LogRow *row = add_line(m, data, t, &b, step, &since, &r);
        if (logged)
            logged(to, *row);
        done |= c->patience && out_of_patience(&r, c->patience);
    }
    r.seconds = now() - start;
    r.tape_bytes = tape_bytes(t);
    evaluate(m, data, TEST, t, &b, &r.test_loss, &r.test_accuracy);
    r.diverged |= !all_finite(m, &r);
    batch_free(&b);
    optimizer_free(&o);
    tape_free(t);
    return r;
}

void
result_free(Result *r)
{
    free(r->rows);
}
