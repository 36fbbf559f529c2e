/* train.c - the training loop: draw, forward, backward, step. The first two
   steps allocate all memory that a step needs, and the later ones nothing. */
#include "heart/adam.h"
#include "heart/embedding_and_loss.h"
#include "heart/fail.h"
#include "heart/train.h"

/* A batch is run through the model in micro-batches, so that the nodes of a
   forward pass are still in the caches in its backward pass. The gradients of
   the micro-batches add up to the gradient of the whole batch. For a weight
   that multiplies the tokens even the bits are the same, because each entry of
   its gradient is summed token by token in the same order. A micro-batch has
   about 4 d_model tokens, a number found by timing: the cost of reading a
   matrix of weights grows with d_model^2, and enough tokens have to share it.
 */
int
micro_batch_size(const Model *m)
{
    Sizes s = m->sizes;
    int longest = s.tokens > s.source ? s.tokens : s.source;
    int count = 4 * m->config.d_model / longest;
    return count > 1 ? count : 1;
}

/* Runs the forward pass of all micro-batches of b and, if `learn`, the backward
   pass. `counted` is the number of counted rows of b. Returns the mean loss
   over these, and adds the number of right answers to *right. */
static double
run_batch(Model *m, Tape *t, const Batch *b, int counted, bool learn,
          double *right)
{
    double loss = 0;
    int size = micro_batch_size(m);
    for (int i = 0; i < b->sequences; i += size) {
        int left = b->sequences - i;
        Batch micro = batch_part(b, i, left < size ? left : size);
        tape_reset(t);
        Node *logits = model_forward(m, t, &micro);
        if (i > 0) /* the weights' gradients have sums, which are added to */
            for (int k = 0; k < m->count; k++)
                m->nodes[k]->touched = true;
        Node *part =
            m->architecture->loss(m, logits, micro.targets, counted, right);
        if (learn)
            backward(part);
        loss += (double)part->value[0];
    }
    return loss;
}

void
evaluate(Model *m, const Dataset *data, Split split, Tape *t, Batch *b,
         double *loss, double *accuracy)
{
    Random r = dataset_stream(data, split);
    double sum = 0, right = 0;
    int all_counted = 0;
    for (int i = 0; dataset_draw(data, split, &r, i, b) > 0; i++) {
        int counted = counted_rows(b->targets, b->rows);
        sum += run_batch(m, t, b, counted, false, &right) * counted;
        all_counted += counted;
    }
    *loss = sum / all_counted;
    *accuracy = isfinite(sum) ? right / all_counted : NAN;
}

double
train_step(Model *m, Tape *t, const Batch *b, double *accuracy)
{
    int counted = counted_rows(b->targets, b->rows);
    double right = 0;
    double loss = run_batch(m, t, b, counted, true, &right);
    optimizer_step(m);
    *accuracy = right / counted;
    return loss;
}

/* Completes the next row of the log. Until now its loss and accuracy were sums
   over the steps since the row before; they are divided by the number of these
   steps, and the validation is added. After 0 steps the means are 0 / 0, NaN.
   `t` and `b` are scratch. */
static void
end_row(Model *m, const Dataset *data, Tape *t, Batch *b, Result *r)
{
    LogRow *row = &r->rows[r->count];
    int before = r->count > 0 ? r->rows[r->count - 1].step : 0;
    int steps = r->steps - before;
    r->count++;
    row->step = r->steps;
    row->loss /= steps;
    row->accuracy /= steps;
    evaluate(m, data, VALIDATION, t, b, &row->validation_loss,
             &row->validation_accuracy);
}

Result
train(Model *m, const Dataset *data, Watch *watch, void *to)
{
    const Config *c = &m->config;
    Batch b = batch_new(data->sizes, c->batch);
    Tape *t = tape_new(COMPUTE);
    size_t lines = (size_t)(c->steps / c->log_every) + 1;
    Result r = {.rows = allocate(lines, sizeof *r.rows)};
    Random stream = dataset_stream(data, TRAINING);
    bool done = false;
    while (!done) { /* once even for 0 steps, to write a row */
        LogRow *row = &r.rows[r.count]; /* it has sums until end_row */
        if (c->steps > 0) {
            dataset_draw(data, TRAINING, &stream, r.steps, &b);
            double loss = train_step(m, t, &b, &r.accuracy);
            r.steps++;
            row->loss += loss;
            row->accuracy += r.accuracy;
            done = !isfinite(loss);
        }
        done = done || r.steps >= c->steps;
        r.logged = done || r.steps % c->log_every == 0;
        if (r.logged)
            end_row(m, data, t, &b, &r);
        if (watch && !watch(to, &r))
            done = true;
    }
    r.tape_bytes = t->most;
    evaluate(m, data, TEST, t, &b, &r.test_loss, &r.test_accuracy);
    batch_free(&b);
    tape_free(t);
    return r;
}
