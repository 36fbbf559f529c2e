/* train.c - the training loop: draw, forward, backward, step.

   Everything that a step needs is allocated before the first one. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "fail.h"
#include "layers.h"
#include "optimizer.h"
#include "train.h"

enum { WINDOW = 10 }; /* batches that "solved" is the mean of */

Tape *
tape_for(Model *m, const Batch *b)
{
    Tape *measured = tape_measure();
    cross_entropy(model_forward(m, measured, b), b->all.targets, b->rows);
    Tape *t = tape_fitting(measured);
    tape_free(measured);
    return t;
}

/* A batch goes through the model part by part, a few hundred tokens at a time,
   so that what a part leaves on the tape is still in the caches on the way
   back. The gradients are those of the whole batch: each is a chain of
   multiply-adds in the order of the tokens, wherever it pauses. A part has the
   more tokens the wider they are: it reads every weight once. */
int
part_sequences(const Model *m, int sequences)
{
    int tokens =
        m->sizes.tokens > m->sizes.source ? m->sizes.tokens : m->sizes.source;
    int rows = m->config.d_model > 64 ? 2 * m->config.d_model : 128;
    int most = rows / tokens > 1 ? rows / tokens : 1;
    return most < sequences ? most : sequences;
}

/* All parts of b; the way back too where it is to learn. Returns the loss, and
   how many of `counted` answers are correct. */
static double
run_batch(Model *m, Tape *t, const Batch *b, int counted, bool learn,
          int *correct)
{
    double loss = 0;
    int size = part_sequences(m, b->sequences);
    for (int i = 0; i < b->sequences; i += size) {
        int left = b->sequences - i;
        Batch part = batch_part(b, m->sizes, i, left < size ? left : size);
        tape_reset(t);
        Node *logits = model_forward(m, t, &part);
        if (i > 0)
            model_add_gradients(m);
        Node *share = cross_entropy(logits, part.all.targets, counted);
        if (learn)
            backward(share);
        loss += (double)share->value[0];
        *correct += correct_rows(logits, part.all.targets);
    }
    return loss;
}

void
evaluate(Model *m, const Source *s, Split split, Tape *t, Batch *b,
         double *loss, double *accuracy)
{
    Random r = source_stream(s, split);
    double sum = 0;
    int all = 0, correct = 0;
    for (int i = 0; source_draw(s, split, &r, i, b) > 0; i++) {
        int counted = counted_rows(b->all.targets, b->rows);
        sum += run_batch(m, t, b, counted, false, &correct) * counted;
        all += counted;
    }
    *loss = sum / all;
    *accuracy = isfinite(sum) ? (double)correct / all : NAN;
}

double
train_step(Model *m, Optimizer *o, Tape *t, const Batch *b, int step,
           double *accuracy)
{
    int correct = 0, counted = counted_rows(b->all.targets, b->rows);
    double loss = run_batch(m, t, b, counted, true, &correct);
    optimizer_step(o, m, step);
    *accuracy = (double)correct / counted;
    return loss;
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

Result
train(Model *m, const Source *s, void (*progress)(void *, LogRow), void *to)
{
    const Config *c = &m->config;
    Batch b = batch_new(s->sizes, c->batch);
    Optimizer o = optimizer_new(m);
    Batch part = batch_part(&b, m->sizes, 0, part_sequences(m, c->batch));
    Tape *t = tape_for(m, &part);
    Result r = {.rows = allocate((size_t)(c->steps / c->log_every) + 1,
                                 sizeof *r.rows)};
    Random data = source_stream(s, TRAINING);
    double last[WINDOW], loss_sum = 0, accuracy_sum = 0, start = now();
    for (int step = 1; step <= c->steps && !r.diverged; step++) {
        double accuracy;
        source_draw(s, TRAINING, &data, step - 1, &b);
        double loss = train_step(m, &o, t, &b, step, &accuracy);
        loss_sum += loss;
        accuracy_sum += accuracy;
        last[step % WINDOW] = accuracy;
        r.steps = step;
        r.diverged = !isfinite(loss);
        if (!r.solved_at && step >= WINDOW &&
            mean_of(last, WINDOW) >= c->threshold)
            r.solved_at = step;
        if (step % c->log_every && step < c->steps && !r.diverged)
            continue;
        int since = (step - 1) % c->log_every + 1;
        LogRow *row = &r.rows[r.count++];
        *row = (LogRow){step, loss_sum / since, accuracy_sum / since, 0, 0};
        evaluate(m, s, VALIDATION, t, &b, &row->validation_loss,
                 &row->validation_accuracy);
        loss_sum = accuracy_sum = 0;
        if (progress)
            progress(to, *row);
    }
    r.seconds = now() - start;
    r.tape_bytes = tape_bytes(t);
    evaluate(m, s, TEST, t, &b, &r.test_loss, &r.test_accuracy);
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
