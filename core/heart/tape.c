/* tape.c - memory for nodes, and the backward pass over them.

   This is reverse-mode differentiation. The forward pass makes the nodes. In
   the backward pass each node adds to the gradients of its operands, after all
   its users, the nodes that have it as an operand, have added to its own
   gradient. From then on its gradient is dead, and its memory is reused for the
   next gradient of that size.

   Functions without a comment have theirs in tape.h or <qkv/operator.h>. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/tape.h"

enum { FIRST_BLOCK = 1 << 16 }; /* bytes */

/* A block of memory, from which nodes and matrices are cut in turn. */
typedef struct Block {
    struct Block *before; /* the newest block until this one was made */
    size_t size, used;    /* bytes */
    _Alignas(CACHE_LINE) char at[];
} Block;

/* Rounds up to whole cache lines. */
static size_t
aligned(size_t bytes)
{
    return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static void
free_blocks(Tape *t)
{
    while (t->block) {
        Block *before = t->block->before;
        free(t->block);
        t->block = before;
    }
}

static void
add_block(Tape *t, size_t size)
{
    Block *b = allocate(1, sizeof *b + size);
    *b = (Block){.before = t->block, .size = size};
    t->block = b;
}

/* Returns the next `bytes` of the tape, at the start of a cache line. If the
   newest block has too few left, adds one that also has space for more, namely
   FIRST_BLOCK and a quarter of all bytes taken since the reset: the more a step
   takes, the larger its blocks, so there are never many. */
static void *
take(Tape *t, size_t bytes)
{
    bytes = aligned(bytes);
    if (!t->block || t->block->size - t->block->used < bytes)
        add_block(t, bytes + aligned(FIRST_BLOCK + t->bytes / 4));
    char *start = t->block->at + t->block->used;
    t->block->used += bytes;
    t->bytes += bytes;
    t->most = t->bytes > t->most ? t->bytes : t->most;
    return start;
}

/* The entries are counted even if they get no memory, which is how a model that
   is too large is measured. Red zones double the memory. */
real *
keep(Node *n, size_t count)
{
    Tape *t = n->tape;
    size_t bytes = aligned(count * sizeof(real));
    t->entries += bytes / sizeof(real);
    if (t->purpose & SHAPES_ONLY)
        return NULL;
    if (t->purpose & RED_ZONES)
        return memset(take(t, 2 * bytes), UNWRITTEN, 2 * bytes);
    return take(t, bytes);
}

/* A stack is a list of nodes, linked by `next`; *stack is the top one. */
static void
push(Node **stack, Node *n)
{
    n->next = *stack;
    *stack = n;
}

static Node *
pop(Node **stack)
{
    Node *n = *stack;
    *stack = n->next;
    n->next = NULL;
    return n;
}

/* Sets `uses` of each node that the result is computed from: how often it is an
   operand of these nodes. `shared` is set if that is more than once. A node is
   newer than its operands, so this walk from new to old has counted all uses of
   a node when it comes to it. */
static void
count_uses(Node *result)
{
    for (Node *n = result; n; n = n->previous) {
        if (n != result && n->uses == 0)
            continue; /* a view, or not used for the result */
        for (int i = 0; i < n->inputs; i++) {
            Node *operand = n->in[i]->root;
            operand->shared = operand->uses > 0;
            operand->uses++;
        }
    }
}

/* A node is ready when all its users are listed. Listing a node takes 1 from
   the `uses` of its operands, so a node with 0 uses left is ready. Ready nodes
   wait on two stacks: `once` has the nodes with one use, and `shared` those
   with several, which are listed only when `once` is empty. `last` is the node
   that was listed last. */
Node *
backward_order(Node *result)
{
    Node *once = NULL, *shared = NULL, *last = NULL;
    count_uses(result);
    push(&once, result);
    while (once || shared) {
        Node *n = pop(once ? &once : &shared);
        if (last)
            last->next = n;
        last = n;
        for (int i = 0; i < n->inputs; i++) {
            Node *operand = n->in[i]->root;
            operand->uses--;
            if (operand->uses == 0)
                push(operand->shared ? &shared : &once, operand);
        }
    }
    return result;
}

Tape *
tape_new(int purpose)
{
    Tape *t = allocate(1, sizeof *t);
    t->purpose = purpose;
    return t;
}

/* If a step took several blocks, one block of the largest step's size replaces
   them. So a step that is no larger than those before it allocates nothing. */
void
tape_reset(Tape *t)
{
    if (t->block && t->block->before) {
        free_blocks(t);
        add_block(t, t->most);
    }
    if (t->block)
        t->block->used = 0;
    t->bytes = t->entries = 0;
    t->last = t->spare = NULL;
    t->recalled = 0;
}

void
tape_free(Tape *t)
{
    if (t)
        free_blocks(t);
    free(t);
}

Node *
leaf(Tape *t, int rows, int cols, int sequences, real *value, real *gradient)
{
    Node *n = take(t, sizeof *n);
    *n = (Node){.rows = rows,
                .cols = cols,
                .sequences = sequences,
                .heads = 1,
                .value = value,
                .gradient = gradient,
                .trained = gradient != NULL,
                .root = n,
                .tape = t,
                .previous = t->last};
    t->last = n;
    return n;
}

/* A view is a leaf that shares the value of its root. Its gradient is the
   root's, to which all operators add. */
Node *
split(Node *a, int heads)
{
    if (heads < 1 || a->cols % heads)
        bug("split: %s does not divide into %d equal heads", label(a), heads);
    Node *n = leaf(a->tape, a->rows, a->cols, a->sequences, a->value, NULL);
    n->heads = heads;
    n->trained = a->trained;
    n->root = a->root;
    return n;
}

const char *
label(const Node *n)
{
    enum { LONGEST = 80 }; /* 50 letters of a name, and the shape */
    /* Only the arguments of a leaf are a name. */
    const char *name = n->root->in ? NULL : n->root->arguments;
    char *text = take(n->tape, LONGEST);
    snprintf(text, LONGEST, "%.50s%s(%d x %d)", name ? name : "",
             name ? " " : "", n->rows, n->cols);
    return text;
}

Node *
new_node(const Operator *op, int rows, int cols, Node *const *in, int inputs)
{
    Tape *t = inputs > 0 ? in[0]->tape : NULL;
    int fewest = t && t->keeper ? 0 : 1; /* a decoder may have no new rows */
    if (inputs < 1 || cols < 1 || rows < fewest)
        bug("%s: a node needs an operand, a row and a column, but this one is "
            "(%d x %d), from %d operands",
            op->name, rows, cols, inputs);
    Node *n = leaf(t, rows, cols, in[0]->sequences, NULL, NULL);
    n->op = op;
    n->flops = NAN;
    n->in = take(t, (size_t)inputs * sizeof *in);
    n->inputs = inputs;
    for (int i = 0; i < inputs; i++) {
        if (in[i]->tape != t)
            bug("%s: operand %d was made in an earlier call: make each node "
                "anew in every call, and keep none in a static variable",
                op->name, i);
        n->in[i] = in[i];
        n->trained |= in[i]->trained;
    }
    if (!(t->purpose & SHAPES_ONLY))
        matrix_entries(rows, cols); /* ends the program if they are too many */
    n->value = keep(n, size_of(n));
    return n;
}

Node *
compute(Node *n)
{
    if (n->value)
        n->op->forward(n);
    if (n->tape->watch)
        n->tape->watch(n->tape->to, n);
    return n;
}

void
keep_arguments(Node *n, const void *arguments, size_t size)
{
    void *copy = take(n->tape, size);
    n->arguments = memcpy(copy, arguments, size);
}

bool
start_gradient(Node *n)
{
    if (n->touched)
        return false;
    if (!n->trained)
        bug("gradient: %s is not trained: check in[i]->trained first",
            label(n));
    n->touched = true;
    if (!n->in)
        return true; /* a leaf has its own memory */
    /* Walks to the first spare gradient of this size, or to the end. */
    Node **spare = &n->tape->spare;
    while (*spare && size_of(*spare) != size_of(n))
        spare = &(*spare)->next;
    if (*spare)
        n->gradient = pop(spare)->gradient; /* takes it out of the list */
    else
        n->gradient = keep(n, size_of(n));
    return true;
}

real *
gradient(Node *n)
{
    bool first = start_gradient(n->root);
    real *d = n->root->gradient; /* NULL if only shapes are wanted */
    if (first && d)
        memset(d, 0, size_of(n) * sizeof(real));
    return d;
}

void
add_gradient(Node *n, const real *x)
{
    bool first = start_gradient(n->root);
    real *d = n->root->gradient;
    for (size_t i = 0, count = size_of(n); i < count; i++)
        d[i] = first ? x[i] : d[i] + x[i];
}

/* If only shapes are wanted, nothing is computed, but the operands get
   gradients, so that their memory is counted. */
static void
run_backward(Node *n)
{
    if (n->value) {
        report_call(NULL, " in a backward");
        n->op->backward(n);
        report_call(NULL, RETURNED);
        return;
    }
    for (int i = 0; i < n->inputs; i++)
        if (n->in[i]->trained)
            start_gradient(n->in[i]->root);
}

void
backward(Node *result)
{
    bool unset = start_gradient(result->root);
    if (unset && result->value)
        *result->root->gradient = 1;
    Node *n = backward_order(result->root);
    while (n) {
        Node *next = n->next; /* push changes n->next */
        /* It has a gradient, and an operator that passes it on. */
        if (n->touched && n->op && n->op->backward) {
            run_backward(n);
            if (!(n->tape->purpose & KEEP_GRADIENTS))
                push(&n->tape->spare, n);
        }
        n = next;
    }
}
