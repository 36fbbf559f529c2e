/* capture.c - what attention computed in a forward pass.

   A node knows its operator and its operands, so a capture finds the scores,
   their factors and the queries and keys by going back from each softmax. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/operator_table.h"
#include "heart/attention_operands.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/embedding_and_loss.h"
#include "heart/plugin.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "operators/elementwise.h"
#include "operators/scores_and_softmax.h"
#include "training/rope_and_alibi.h"

/* Ends the program if a list of `count` calls, or of places, is full. */
static void
check_capacity(int count)
{
    if (count == MOST_CALLS)
        bug("a capture holds at most %d calls of attend: use fewer layers, or "
            "fewer calls in each",
            MOST_CALLS);
}

size_t
entries_of(const Weight *w)
{
    return (size_t)w->rows * (size_t)w->cols;
}

Node **
leaves_of(Tape *t, const Weights *w)
{
    Node **leaves = allocate((size_t)w->count + 1, sizeof *leaves);
    for (int i = 0; i < w->count; i++) {
        const Weight *d = &w->list[i];
        leaves[i] = leaf(t, d->rows, d->cols, UNBATCHED, d->value, d->gradient);
        leaves[i]->arguments = d->name; /* the leaf's name (tape.h) */
    }
    leaves[w->count] = undeclared(t);
    return leaves;
}

void
forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                Node **w)
{
    Attention earlier = *a;
    for (earlier.layer = 0; earlier.layer < a->layer; earlier.layer++)
        plugin_forward(v, &earlier, x, y, w);
}

/* Replaces the attention weights of a call by 0. If the call computes head
   r->only, the weights of that head become the identity instead. */
static void
replace_weights(const Capture *r, const Call *c)
{
    Node *n = c->weights;
    memset(n->value, 0, size_of(n) * sizeof(real));
    int head_here = r->only - c->first_head;    /* as this call counts heads */
    if (head_here < 0 || head_here >= n->heads) /* it is not in this call */
        return;
    Matrix p = call_weights(c, ONLY_SEQUENCE, head_here);
    for (int i = 0; i < p.rows && i < p.cols; i++)
        p.at[i * p.down + i] = 1; /* the diagonal */
}

/* Sets q, k, product and scale of a call. It goes back from the scores through
   biases by position and multiplications by a number, to the product q k' that
   the scores are made from, if there is one. A model's rope rotates q and k
   before they are multiplied; the call gets them unrotated. */
static void
find_product(Call *call, Node *scores)
{
    Node *n = scores;
    call->scale = 1;
    while (n->op == &fixed_bias_op || n->op == &scale_op.op) {
        if (n->op == &scale_op.op)
            call->scale *= *(const double *)n->arguments;
        n = n->in[0];
    }
    call->product = n;
    if (n->op == &scores_op.op) {
        call->q = before_rope(n->in[0]);
        call->k = before_rope(n->in[1]);
    }
}

/* Records a softmax, and replaces its weights if r->only demands it. Its node
   is the attention weights; its first operand is the scores. */
static void
record_softmax(Capture *r, Node *weights)
{
    Call call = {.weights = weights, .first_head = r->heads};
    bool only_shapes = !weights->value;
    find_product(&call, weights->in[0]);
    if (r->only != EVERY_HEAD && !only_shapes)
        replace_weights(r, &call);
    r->heads += weights->heads;
    check_capacity(r->calls);
    r->call[r->calls] = call;
    r->calls++;
}

/* Returns the recorded call, number `first` or later, that has these weights;
   NULL if there is none. */
static Call *
find_call(Capture *r, int first, const Node *weights)
{
    for (int i = first; i < r->calls; i++)
        if (r->call[i].weights == weights)
            return &r->call[i];
    return NULL;
}

/* The tape calls this with each new node (Tape.watch). Records each softmax,
   and notes whether the variant rotates. A weighted sum, whose first operand is
   the weights, is recorded in the call that made these weights. */
static void
capture_node(void *capture, Node *n)
{
    const int first_call = 0;
    Capture *r = capture;
    if (n->op == &softmax_op || n->op == &softmax_sink_op)
        record_softmax(r, n);
    if (n->op == &apply_weights_op.op) {
        Call *call = find_call(r, first_call, n->in[0]);
        if (call)
            call->sum = n;
    }
    r->rotated |= meaning_of(n)->rotates;
}

void
capture_start(Capture *r, Tape *t)
{
    t->watch = capture_node;
    t->to = r; /* the first argument of capture_node */
}

/* Of the calls since the place before, keeps those whose weights are among the
   nodes on which place.out depends, and forgets the others. */
void
record_place(Capture *r, Place place)
{
    Call kept[MOST_CALLS];
    int first_kept = MOST_CALLS; /* `kept` has calls from this index on */
    check_capacity(r->places);
    if (r->places > 0) {
        const Place *before = &r->place[r->places - 1];
        place.first_call = before->first_call + before->calls;
    }
    /* These nodes come in backward order, so `kept` is filled from its end. */
    for (Node *n = backward_order(place.out->root); n; n = n->next) {
        const Call *call = find_call(r, place.first_call, n);
        if (call) {
            first_kept--;
            kept[first_kept] = *call;
            place.heads += n->heads;
        }
    }
    place.calls = MOST_CALLS - first_kept;
    r->calls = place.first_call + place.calls;
    memcpy(&r->call[place.first_call], &kept[first_kept],
           (size_t)place.calls * sizeof *kept);
    r->place[r->places] = place;
    r->places++;
}

void
run_block(BlockRun *b, real *x, int x_rows, real *y, int y_rows, int only)
{
    tape_free(b->tape);
    b->tape = tape_new(COMPUTE);
    b->tape->attend = attend_in_steps;
    b->capture = (Capture){.only = only};
    Node **w = leaves_of(b->tape, &b->weights);
    b->x = leaf(b->tape, x_rows, b->attention.d_model, UNBATCHED, x, NULL);
    b->y = leaf(b->tape, y_rows, b->attention.d_model, UNBATCHED, y, NULL);
    b->x->arguments = "x"; /* the names of these leaves */
    b->y->arguments = "y";
    forward_earlier(b->variant, &b->attention, b->x, b->y, w);
    int recalled_before = b->tape->recalled;
    capture_start(&b->capture, b->tape); /* only this block */
    b->out = plugin_forward(b->variant, &b->attention, b->x, b->y, w);
    b->recalled = b->tape->recalled > recalled_before;
    record_place(&b->capture, (Place){.x = b->x, .y = b->y, .out = b->out});
    free(w);
}

const Call *
capture_head(const Capture *r, int place, int head, int *head_here)
{
    const Call *c = &r->call[r->place[place].first_call];
    while (head >= c->weights->heads) {
        head -= c->weights->heads;
        c++;
    }
    *head_here = head;
    return c;
}

Matrix
call_scores(const Call *c, int sequence, int head)
{
    const Node *n = c->weights->in[0];
    return head_of(n, n->value, sequence, head);
}

Matrix
call_weights(const Call *c, int sequence, int head)
{
    return head_of(c->weights, c->weights->value, sequence, head);
}

bool
call_sees(const Call *c, Matrix scores, int i, int j)
{
    const ScaleAndMask *softmax = c->weights->arguments;
    int seen = keys_seen(softmax->causal, i, scores.rows, scores.cols);
    bool masked_by_bias = scores.at[i * scores.down + j] == -INFINITY;
    return j < seen && !masked_by_bias;
}

/* The model calls this with x, y and output of each attention, since
   pass_captured sets Model.attended to it. */
static void
record_attended(void *capture, Node *x, Node *y, Node *out)
{
    record_place(capture, (Place){.x = x, .y = y, .out = out});
}

Pass *
pass_captured(Model *m, const Batch *b)
{
    Pass *p = allocate(1, sizeof *p);
    p->tape = tape_new(KEEP_GRADIENTS);
    p->tape->attend = attend_in_steps;
    p->capture.only = EVERY_HEAD;
    capture_start(&p->capture, p->tape);
    m->attended = record_attended;
    m->to = &p->capture; /* record_attended's first argument */
    p->logits = model_forward(m, p->tape, b);
    m->attended = NULL;
    p->tape->watch = NULL;
    return p;
}

Pass *
pass_with_gradients(Model *m, const Batch *b)
{
    Pass *p = pass_captured(m, b);
    int rows_with_target = counted_rows(b->targets, b->rows);
    double *right_answers = NULL; /* they are not counted */
    backward(m->architecture->loss(m, p->logits, b->targets, rows_with_target,
                                   right_answers));
    return p;
}

void
pass_free(Pass *p)
{
    tape_free(p->tape);
    free(p);
}
