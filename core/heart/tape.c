/* tape.c - memory for nodes, and the walk back over them.

   Reverse-mode differentiation: the forward pass makes the nodes; in the
   backward pass each adds to the gradients of its operands, after all that use
   it have added to its own. Then its own is not read any more, and its memory
   serves the next gradient of that size. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/tape.h"

enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 16, HUGE_PAGE = 1 << 21 };

/* Memory that nodes and matrices are cut from, one after the other. */
typedef struct Block {
    struct Block *next; /* the one before it, which is full */
    size_t size, used;
    _Alignas(ALIGNMENT) char at[];
} Block;

/* Gradients of one size that nobody uses any more: a chain through their first
   bytes, if they have memory at all. */
enum { MOST_SIZES = 64 };
typedef struct Spare {
    size_t count; /* entries of each */
    int free;
    real *first;
} Spare;

struct Tape {
    int purpose;
    Block *block;
    size_t bytes;   /* of the nodes and matrices since the last reset; */
    size_t most;    /* and of those before any reset */
    size_t entries; /* of the matrices alone */
    Node *last;
    Keeper *keeper; /* of a decoder */
    void (*watch)(void *to, Node *n);
    void *to;
    Spare spare[MOST_SIZES];
    int sizes;
};

static size_t
aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A large block may be in large pages, which the processor finds faster, but
   which the system clears whole when their first byte is used. */
static Block *
block_new(size_t size, Block *next)
{
    size_t bytes = sizeof(Block) + size;
    size_t page = bytes < 2 * (size_t)HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
    Block *b = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!b)
        fail("out of memory: the nodes and matrices of a step take another %zu "
             "bytes; make the model, the batch or the sequences smaller",
             bytes);
#ifdef MADV_HUGEPAGE
    if (page == HUGE_PAGE)
        madvise(b, bytes, MADV_HUGEPAGE);
#endif
    *b = (Block){.next = next, .size = size};
    return b;
}

static void
free_blocks(Tape *t)
{
    for (Block *next; t->block; t->block = next) {
        next = t->block->next;
        free(t->block);
    }
}

/* The next `bytes` of the tape, at the start of a cache line. While it grows,
   each further block is a quarter of all that there are. */
static void *
take(Tape *t, size_t bytes)
{
    bytes = aligned(bytes);
    t->bytes += bytes;
    if (!t->block || t->block->size - t->block->used < bytes) {
        size_t size = t->bytes / 4 > FIRST_BLOCK ? t->bytes / 4 : FIRST_BLOCK;
        t->block = block_new(size > bytes ? aligned(size) : bytes, t->block);
    }
    t->block->used += bytes;
    return t->block->at + t->block->used - bytes;
}

/* Memory for the entries of a matrix; NULL where only shapes are wanted. */
static real *
take_entries(Tape *t, size_t count)
{
    size_t bytes = aligned(count * sizeof(real));
    size_t all = t->purpose & RED_ZONES ? 2 * bytes : bytes;
    t->entries += bytes / sizeof(real);
    if (t->purpose & SHAPES_ONLY) {
        t->bytes += all;
        return NULL;
    }
    real *at = take(t, all);
#ifdef QKV_DEBUG /* nothing unwritten goes unseen */
    memset(at, UNWRITTEN, all);
#else
    if (t->purpose & RED_ZONES)
        memset(at, UNWRITTEN, all);
#endif
    return at;
}

/* Those of a size; NULL where there are more sizes than are kept apart. */
static Spare *
spare_of(Tape *t, size_t count)
{
    for (int i = 0; i < t->sizes; i++)
        if (t->spare[i].count == count)
            return &t->spare[i];
    if (t->sizes == MOST_SIZES)
        return NULL;
    t->spare[t->sizes] = (Spare){.count = count};
    return &t->spare[t->sizes++];
}

/* Memory for the gradient of n, which is a root: a leaf has its own. */
static void
find_gradient(Node *n)
{
    if (!n->trained)
        bug("a gradient is asked for where nothing is trained: in a backward, "
            "ask for that of in[i] only if in[i]->trained");
    if (!n->in)
        return;
    Spare *s = spare_of(n->tape, size_of(n));
    if (!s || !s->free) {
        n->gradient = take_entries(n->tape, size_of(n));
        return;
    }
    s->free--;
    n->gradient = s->first;
    if (n->gradient)
        memcpy(&s->first, n->gradient, sizeof s->first);
}

static void
release_gradient(Node *n)
{
    bool keeps = n->tape->purpose & KEEP_GRADIENTS;
    Spare *s = n->in && !keeps ? spare_of(n->tape, size_of(n)) : NULL;
    if (!s)
        return;
    s->free++;
    if (n->gradient)
        memcpy(n->gradient, &s->first, sizeof s->first);
    s->first = n->gradient;
    n->gradient = NULL;
}

Node *
backward_order(Node *result)
{
    Node *once = result, *shared = NULL, *end = result; /* two stacks, a list */
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

void
tape_reserve(Tape *t, size_t bytes)
{
    t->block = block_new(aligned(bytes), t->block);
}

/* What took several blocks has one from now on: so a step that is as large as
   those before it allocates nothing. */
void
tape_reset(Tape *t)
{
    t->most = tape_bytes(t);
    if (t->block && t->block->next) {
        size_t size = 0;
        for (const Block *b = t->block; b; b = b->next)
            size += b->used;
        free_blocks(t);
        t->block = block_new(size, NULL);
    }
    if (t->block)
        t->block->used = 0;
    t->last = NULL;
    t->bytes = t->entries = 0;
    t->sizes = 0;
}

void
tape_free(Tape *t)
{
    if (t)
        free_blocks(t);
    free(t);
}

size_t
tape_bytes(const Tape *t)
{
    return t->bytes > t->most ? t->bytes : t->most;
}

size_t
tape_entries(const Tape *t)
{
    return t->entries;
}

Node *
tape_last(const Tape *t)
{
    return t->last;
}

bool
tape_has_shapes_only(const Tape *t)
{
    return t->purpose & SHAPES_ONLY;
}

void
tape_watch(Tape *t, void (*watch)(void *to, Node *n), void *to)
{
    t->watch = watch;
    t->to = to;
}

void
tape_keep(Tape *t, Keeper *k)
{
    t->keeper = k;
}

Keeper *
tape_keeper(const Tape *t)
{
    return t->keeper;
}

static Node *
append(Tape *t, int rows, int cols, int sequences)
{
    Node *n = memset(take(t, sizeof *n), 0, sizeof *n);
    n->rows = rows;
    n->cols = cols;
    n->sequences = sequences;
    n->heads = 1;
    n->root = n;
    n->tape = t;
    n->previous = t->last;
    t->last = n;
    return n;
}

Node *
leaf(Tape *t, int rows, int cols, int sequences, real *value, real *gradient)
{
    Node *n = append(t, rows, cols, sequences);
    n->value = value;
    n->gradient = gradient;
    n->trained = gradient != NULL;
    return n;
}

Node *
view(Node *a)
{
    Node *n = append(a->tape, a->rows, a->cols, a->sequences);
    n->value = a->value;
    n->trained = a->trained;
    n->root = a->root;
    return n;
}

Node *
new_node(const Operator *op, int rows, int cols, Node *const *in, int inputs)
{
    if (inputs < 1 || cols < 1 || rows < !in[0]->tape->keeper)
        bug("%s: a node of (%d x %d) from %d operands", op->name, rows, cols,
            inputs);
    Tape *t = in[0]->tape;
    Node *n = append(t, rows, cols, in[0]->sequences);
    n->in = take(t, (size_t)inputs * sizeof *in);
    n->inputs = inputs;
    n->op = op;
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
    n->value = take_entries(t, size_of(n));
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

real *
keep(Node *n, size_t count)
{
    return take_entries(n->tape, count);
}

void
keep_arguments(Node *n, const void *arguments, size_t size)
{
    n->arguments = memcpy(take(n->tape, size), arguments, size);
}

/* The gradient of a root; *fresh where nothing has been added to it, and what
   it holds means nothing. */
static real *
reach(Node *n, bool *fresh)
{
    *fresh = !n->touched;
    if (*fresh) { /* once, before threads add to it: they only look */
        find_gradient(n);
        n->touched = true;
    }
    return n->gradient;
}

real *
gradient(Node *n)
{
    bool fresh;
    real *d = reach(n->root, &fresh);
    return fresh ? memset(d, 0, size_of(n) * sizeof *d) : d;
}

void
add_gradient(Node *n, const real *x)
{
    bool fresh;
    real *d = reach(n->root, &fresh);
    if (fresh)
        memcpy(d, x, size_of(n) * sizeof *d);
    for (size_t i = 0; !fresh && i < size_of(n); i++)
        d[i] += x[i];
}

void
add_product(Node *n, Matrix a, Matrix b)
{
    bool fresh;
    real *d = reach(n->root, &fresh);
    (fresh ? multiply : multiply_add)(matrix(d, n->rows, n->cols, n->cols), a,
                                      b);
}

void
pass_gradient(Node *c, Node *n)
{
    Node *r = n->root;
    if (r->touched || !r->in || !c->in || size_of(r) != size_of(c) ||
        c->tape->purpose & KEEP_GRADIENTS) {
        add_gradient(n, c->gradient);
        return;
    }
    r->gradient = c->gradient;
    r->touched = true;
    c->passed = true;
}

void
backward(Node *loss)
{
    backward_from(loss, &(real){1});
}

/* The backward of n's operator; where only shapes are wanted, the operands that
   it would add to. */
static void
differentiate(Node *n)
{
    if (n->value) {
        enter(NULL, " in a backward");
        n->op->backward(n);
        leave();
        return;
    }
    bool fresh;
    for (int i = 0; i < n->inputs; i++)
        if (n->in[i]->trained)
            reach(n->in[i]->root, &fresh);
}

void
backward_from(Node *result, const real *seed)
{
    bool fresh;
    real *d = reach(result->root, &fresh);
    if (d)
        memcpy(d, seed, size_of(result) * sizeof *seed);
    for (Node *n = backward_order(result->root); n; n = n->next)
        if (n->op && n->op->backward && n->touched) {
            differentiate(n);
            if (!n->passed)
                release_gradient(n);
        }
}
