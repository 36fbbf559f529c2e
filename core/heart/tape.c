/* tape.c - memory for nodes, and the walk back over them.

   Reverse-mode differentiation: the forward pass makes the nodes; in the
   backward pass each adds to the gradients of its operands, after all that use
   it have added to its own. Then its own is not read any more, and its memory
   serves the next gradient of that size. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/tape.h"

enum { FIRST_BLOCK = 1 << 16 };

/* Memory that nodes and matrices are cut from, one after the other. */
typedef struct Block {
    struct Block *next; /* the one before it, which is full */
    size_t size, used;
    _Alignas(LINE) char at[];
} Block;

static size_t
aligned(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static void
free_blocks(Tape *t)
{
    for (Block *next; t->block; t->block = next) {
        next = t->block->next;
        free(t->block);
    }
}

/* The next `bytes` of the tape, at the start of a cache line. While the tape
   grows, each further block has a quarter of all that is taken to spare. */
static void *
take(Tape *t, size_t bytes)
{
    Block *b = t->block;
    bytes = aligned(bytes);
    if (!b || b->size - b->used < bytes) {
        size_t size = bytes + aligned(FIRST_BLOCK + t->bytes / 4);
        b = allocate(1, sizeof *b + size);
        *b = (Block){.next = t->block, .size = size};
        t->block = b;
    }
    t->bytes += bytes;
    b->used += bytes;
    return b->at + b->used - bytes;
}

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

/* Counts the users of each node, and appends a node when the last of its users
   is in the list. Those that can go wait on two stacks, for nodes of one user
   and of several. */
Node *
backward_order(Node *result)
{
    Node *once = result, *shared = NULL, *end = result;
    for (Node *n = result; n; n = n->previous) /* users come before operands */
        for (int i = 0; (n == result || n->uses) && i < n->inputs; i++) {
            Node *operand = n->in[i]->root;
            operand->shared = operand->uses++ > 0;
        }
    result->next = NULL;
    while (once || shared) {
        Node **from = once ? &once : &shared, *n = *from;
        *from = n->next;
        n->next = NULL;
        end = n == result ? n : (end->next = n);
        for (int i = 0; i < n->inputs; i++) {
            Node *operand = n->in[i]->root;
            if (--operand->uses > 0)
                continue;
            Node **to = operand->shared ? &shared : &once;
            operand->next = *to;
            *to = operand;
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

/* What took several blocks has one from now on: so a step that is as large as
   those before it allocates nothing. (take counts it, so the bytes are set to 0
   once more.) */
void
tape_reset(Tape *t)
{
    t->most = t->bytes > t->most ? t->bytes : t->most;
    t->bytes = t->entries = 0;
    if (t->block && t->block->next) {
        free_blocks(t);
        take(t, t->most);
    }
    if (t->block)
        t->block->used = 0;
    t->last = t->spare = NULL;
    t->bytes = 0;
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
    return t->last = n;
}

/* A view is a leaf that has its value from its root, and its gradient there. */
Node *
split(Node *a, int heads)
{
    if (heads < 1 || a->cols % heads)
        bug("split: %s does not divide into %d heads", label(a), heads);
    Node *n = leaf(a->tape, a->rows, a->cols, a->sequences, a->value, NULL);
    n->heads = heads;
    n->trained = a->trained;
    n->root = a->root;
    return n;
}

const char *
label(const Node *n)
{
    enum { LONGEST = 80 };
    const char *name = n->root->in ? NULL : n->root->arguments;
    char *text = take(n->tape, LONGEST);
    snprintf(text, LONGEST, "%.50s%s(%d x %d)", name ? name : "",
             name ? " " : "", n->rows, n->cols);
    return text;
}

Node *
new_node(const Operator *op, int rows, int cols, Node *const *in, int inputs)
{
    if (inputs < 1 || cols < 1 || rows < !in[0]->tape->keeper)
        bug("%s: a node of (%d x %d) from %d operands", op->name, rows, cols,
            inputs);
    Tape *t = in[0]->tape;
    Node *n = leaf(t, rows, cols, in[0]->sequences, NULL, NULL);
    n->op = op;
    n->flops = NAN;
    n->in = take(t, (size_t)inputs * sizeof *in);
    n->inputs = inputs;
    for (int i = 0; i < inputs; i++) {
        if (in[i]->tape != t)
            bug("%s: operand %d is of an earlier call: a plugin keeps no node "
                "from one call to the next, as in a static variable",
                op->name, i);
        n->in[i] = in[i];
        n->trained |= in[i]->trained;
    }
    if (!(t->purpose & SHAPES_ONLY))
        matrix_entries(rows, cols);
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
    n->arguments = memcpy(take(n->tape, size), arguments, size);
}

bool
start_gradient(Node *n)
{
    if (n->touched)
        return false;
    if (!n->trained)
        bug("a gradient is asked for where nothing is trained: in a backward, "
            "ask for that of in[i] only if in[i]->trained");
    n->touched = true;
    if (!n->in)
        return true;
    Node **spare = &n->tape->spare;
    while (*spare && size_of(*spare) != size_of(n))
        spare = &(*spare)->next;
    Node *from = *spare;
    if (from)
        *spare = from->next;
    n->gradient = from ? from->gradient : keep(n, size_of(n));
    return true;
}

real *
gradient(Node *n)
{
    if (start_gradient(n->root) && n->root->gradient)
        memset(n->root->gradient, 0, size_of(n) * sizeof(real));
    return n->root->gradient;
}

void
add_gradient(Node *n, const real *x)
{
    bool first = start_gradient(n->root);
    real *d = n->root->gradient;
    for (size_t i = 0, count = size_of(n); i < count; i++)
        d[i] = first ? x[i] : d[i] + x[i];
}

/* Where only shapes are wanted, the operands get their gradients, which are not
   computed. */
void
backward(Node *result)
{
    Tape *t = result->tape;
    if (start_gradient(result->root) && result->value)
        *result->root->gradient = 1;
    for (Node *n = backward_order(result->root), *next; n; n = next) {
        next = n->next;
        if (!n->op || !n->op->backward || !n->touched)
            continue;
        for (int i = 0; !n->value && i < n->inputs; i++)
            if (n->in[i]->trained)
                start_gradient(n->in[i]->root);
        if (n->value) {
            enter(NULL, " in a backward");
            n->op->backward(n);
            enter(NULL, "");
        }
        if (t->purpose & KEEP_GRADIENTS)
            continue;
        n->next = t->spare;
        t->spare = n;
    }
}
