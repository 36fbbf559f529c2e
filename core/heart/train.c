/* train.c - the training loop: draw, forward, backward, step.

   Once a step has run, all that it needs is there: the next ones allocate
   nothing. */
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/train.h"

enum { WINDOW = 10 }; /* batches that "solved" is the mean of */

int
sequences_within(Sizes s, int tokens, int most)
{
    int longest = s.tokens > s.source ? s.tokens : s.source;
    int count = tokens / longest;
    return count < 1 ? 1 : count < most ? count : most;
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
        Batch micro = batch_part(b, i, left < size ? left : size);
        tape_reset(t);
        Node *logits = model_forward(m, t, &micro);
        for (int k = 0; i > 0 && k < m->count; k++)
            m->nodes[k]->touched = true; /* the backward pass adds to it */
        Node *share = model_loss(m, logits, micro.targets, counted);
        if (learn)
            backward(share);
        loss += (double)share->value[0];
        *right += model_right(m, logits, micro.targets);
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
        int counted = counted_rows(b->targets, b->rows);
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
    int counted = counted_rows(b->targets, b->rows);
    double right = 0, loss = run_batch(m, t, b, counted, true, &right);
    m->update(o, step);
    *accuracy = right / counted;
    return loss;
}

/* What has been seen since the last row of the log, and the accuracies of the
   last batches. */
typedef struct Recent {
    int steps;
    double loss, accuracy, last[WINDOW];
} Recent;

/* One step, and what it means for the result. */
static void
one_step(Model *m, Optimizer *o, Tape *t, const Batch *b, Recent *since,
         Result *r)
{
    double accuracy, sum = 0;
    double loss = train_step(m, o, t, b, ++r->steps, &accuracy);
    since->steps++;
    since->loss += loss;
    since->accuracy += accuracy;
    since->last[r->steps % WINDOW] = accuracy;
    r->diverged = !isfinite(loss);
    for (int i = 0; i < WINDOW; i++)
        sum += since->last[i];
    if (!r->solved_at && r->steps >= WINDOW &&
        sum / WINDOW >= m->config.threshold)
        r->solved_at = r->steps;
}

/* A row of the log: before the first step there is nothing but validation. */
static void
add_row(Model *m, const Dataset *data, Tape *t, Batch *b, Recent *since,
        Result *r)
{
    LogRow *row = &r->rows[r->count++];
    *row = (LogRow){r->steps, since->loss / since->steps,
                    since->accuracy / since->steps, 0, 0};
    evaluate(m, data, VALIDATION, t, b, &row->validation_loss,
             &row->validation_accuracy);
    since->loss = since->accuracy = since->steps = 0;
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

Result
train(Model *m, const Dataset *data, Logged *logged, void *to)
{
    const Config *c = &m->config;
    Batch b = batch_new(data->sizes, c->batch);
    Optimizer o = optimizer_new(m);
    Tape *t = tape_new(0);
    size_t lines = (size_t)(c->steps / c->log_every) + 1;
    Result r = {.rows = allocate(lines, sizeof *r.rows)};
    Random stream = dataset_stream(data, TRAINING);
    Recent since = {0};
    for (bool done = false; !done;) {
        if (c->steps) {
            dataset_draw(data, TRAINING, &stream, r.steps, &b);
            one_step(m, &o, t, &b, &since, &r);
        }
        done = r.steps >= c->steps || r.diverged;
        if (r.steps % c->log_every && !done)
            continue;
        add_row(m, data, t, &b, &since, &r);
        done |= logged && !logged(to, &r);
    }
    tape_reset(t);
    r.tape_bytes = t->most;
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
