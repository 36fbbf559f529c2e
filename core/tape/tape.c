/* tape.c - memory for nodes, and the walk back over them.

   Reverse-mode differentiation: the forward pass makes the nodes; in the
   backward pass each adds to the gradients of its operands, after all that use
   it have added to its own. Then its own is not read any more, and its memory
   serves the next gradient of that size. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "math/matrix.h"
#include "tape/cache.h"
#include "tape/tape.h"

enum { ALIGNMENT = 64, MEASURED_NOTES = 1 << 24, HUGE_PAGE = 1 << 21 };

/* Matrices of one size that nobody uses: a chain through their first bytes. On
   a measuring tape, how many there would be. */
enum { MOST_SIZES = 64 };
typedef struct Spare {
    size_t count; /* entries of each */
    real *first;
    int measured;
} Spare;

/* Notes are the nodes and their lists, counted in bytes; matrices are counted
   in entries. A measuring tape has notes only. */
struct Tape {
    char *notes;
    real *matrices;
    size_t notes_used, notes_size, matrices_used, matrices_size;
    size_t included; /* entries that another measuring tape needs */
    Node *last;
    Cache *cache; /* of a decoder */
    Spare spare[MOST_SIZES];
    int sizes;
    bool keeps;   /* gradients, for whoever wants to see them */
    bool guarded; /* by as much again behind every matrix */
};

/* A large block may be in large pages, which the processor finds faster, but
   which the system clears whole when their first byte is used. */
static real *
block_of(size_t bytes, size_t page)
{
    page = bytes < 2 * page ? ALIGNMENT : page;
    size_t whole = (bytes + page - 1) / page * page;
    real *at = aligned_alloc(page, whole);
    if (!at)
        fail("out of memory: the nodes or matrices of a step take %zu bytes; "
             "make the model, the batch or the sequences smaller",
             bytes);
#ifdef MADV_HUGEPAGE
    if (page == HUGE_PAGE)
        madvise(at, whole, MADV_HUGEPAGE);
#endif
    return at;
}

static size_t
aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *
notes(Tape *t, size_t bytes)
{
    char *at = t->notes + t->notes_used;
    t->notes_used += aligned(bytes);
    if (t->notes_used > t->notes_size)
        bug(t->matrices
                ? "the tape is full: more operators than in the first, "
                  "measuring run; forward must not change between calls"
                : "the tape is full: more than 50,000 operators in one step; "
                  "take fewer heads or layers");
    return memset(at, 0, bytes);
}

/* Memory for so many entries; NULL on a measuring tape. */
static real *
entries(Tape *t, size_t count)
{
    size_t at = t->matrices_used;
    size_t size = aligned(count * sizeof(real)) / sizeof(real);
    t->matrices_used += t->guarded ? 2 * size : size;
    if (!t->matrices)
        return NULL;
    if (t->matrices_used > t->matrices_size)
        bug("the tape is full: larger matrices than in the first, measuring "
            "run; forward must not change between calls");
    return t->matrices + at;
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
    n->gradient = s ? s->first : NULL;
    if (n->gradient)
        memcpy(&s->first, n->gradient, sizeof s->first);
    else
        n->gradient = entries(n->tape, size_of(n));
}

static void
release_gradient(Node *n)
{
    Spare *s = n->in && !n->tape->keeps ? spare_of(n->tape, size_of(n)) : NULL;
    if (!s)
        return;
    memcpy(n->gradient, &s->first, sizeof s->first);
    s->first = n->gradient;
    n->gradient = NULL;
}

/* The same without memory: the entries it would take. `touched` says who has
 * one.
 */
static size_t
measure_gradient(Node *n)
{
    if (!n->in || !n->trained || n->touched)
        return 0;
    Spare *s = spare_of(n->tape, size_of(n));
    n->touched = true;
    if (s && s->measured > 0) {
        s->measured--;
        return 0;
    }
    return aligned(size_of(n) * sizeof(real)) / sizeof(real);
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

/* Entries of all values, of what is kept, and of the gradients of a backward
   pass from the last node. Every trained node is taken to have one: a backward
   pass may need less. */
static size_t
matrices_needed(Tape *measured)
{
    Node *last = measured->last ? measured->last->root : NULL;
    size_t all = measured->matrices_used + ALIGNMENT;
    measured->sizes = 0;
    for (Node *n = last ? backward_order(last) : NULL; n; n = n->next) {
        if (!n->in || !n->trained)
            continue;
        all += measure_gradient(n);
        for (int i = 0; i < n->inputs; i++)
            all += measure_gradient(n->in[i]->root);
        Spare *s = spare_of(measured, size_of(n));
        if (s)
            s->measured++;
    }
    measured->sizes = 0; /* what the last node does not use: no spares */
    for (Node *n = measured->last; n; n = n->previous)
        all += n->root == n ? measure_gradient(n) : 0;
    for (Node *n = measured->last; n; n = n->previous)
        n->touched = false;
    return all > measured->included ? all : measured->included;
}

/* With memory for what has been put on `measured`; NULL: one that measures. */
static Tape *
tape_of(const Tape *measured, size_t matrices)
{
    Tape *t = allocate(1, sizeof *t);
    for (Node *n = measured ? measured->last : NULL; n; n = n->previous)
        matrix_entries(n->rows, n->cols);
    t->notes_size = measured ? measured->notes_used : MEASURED_NOTES;
    t->notes = (char *)block_of(t->notes_size, ALIGNMENT);
    t->matrices_size = matrices;
    if (matrices)
        t->matrices = block_of(matrices * sizeof(real), HUGE_PAGE);
    tape_reset(t);
    return t;
}

Tape *
tape_measure(void)
{
    return tape_of(NULL, 0);
}

void
tape_include(Tape *measured, Tape *other)
{
    size_t more = matrices_needed(other);
    measured->included = more > measured->included ? more : measured->included;
}

Tape *
tape_fitting(Tape *measured)
{
    return tape_of(measured, matrices_needed(measured));
}

/* Entries of all values, of what is kept, and of every gradient. */
static size_t
entries_kept(const Tape *measured)
{
    size_t all = measured->matrices_used;
    for (Node *n = measured->last; n; n = n->previous)
        if (n->root == n && n->in && n->trained)
            all += aligned(size_of(n) * sizeof(real)) / sizeof(real);
    return all + ALIGNMENT;
}

Tape *
tape_keeping(Tape *measured)
{
    Tape *t = tape_of(measured, entries_kept(measured));
    t->keeps = true;
    return t;
}

Tape *
tape_guarded(Tape *measured)
{
    Tape *t = tape_of(measured, 2 * entries_kept(measured));
    t->keeps = t->guarded = true;
    memset(t->matrices, UNWRITTEN, t->matrices_size * sizeof(real));
    return t;
}

size_t
tape_bytes(Tape *t)
{
    size_t matrices = t->matrices ? t->matrices_size : matrices_needed(t);
    return t->notes_used + matrices * sizeof(real);
}

size_t
tape_entries(const Tape *t)
{
    return t->matrices_used;
}

Node *
tape_last(const Tape *t)
{
    return t->last;
}

bool
tape_measures(const Tape *t)
{
    return !t->matrices;
}

void
tape_decode(Tape *t, Cache *c)
{
    t->cache = c;
}

Cache *
tape_cache(const Tape *t)
{
    return t->cache;
}

void
tape_reset(Tape *t)
{
    t->last = NULL;
    t->notes_used = t->matrices_used = 0;
    t->sizes = 0;
#ifdef QKV_DEBUG /* nothing unwritten goes unseen */
    if (t->matrices)
        memset(t->matrices, UNWRITTEN, t->matrices_size * sizeof(real));
#endif
}

void
tape_free(Tape *t)
{
    if (t) {
        free(t->notes);
        free(t->matrices);
        free(t);
    }
}

static Node *
append(Tape *t, int rows, int cols, int sequences)
{
    Node *n = notes(t, sizeof *n);
    n->rows = rows;
    n->cols = cols;
    n->sequences = sequences;
    n->heads = 1;
    n->seen = 1;
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
    n->seen = a->seen;
    return n;
}

Node *
new_node(int rows, int cols, void (*backward)(Node *self), Node *const *in,
         int inputs)
{
    if (inputs < 1 || cols < 1 || rows < !in[0]->tape->cache)
        bug("a node of (%d x %d) from %d operands", rows, cols, inputs);
    Tape *t = in[0]->tape;
    Node *n = append(t, rows, cols, in[0]->sequences);
    size_t count = (size_t)rows * (size_t)cols;
    n->in = notes(t, (size_t)inputs * sizeof *in);
    n->inputs = inputs;
    n->seen = in[0]->seen;
    n->backward = backward;
    for (int i = 0; i < inputs; i++) {
        if (in[i]->tape != t)
            bug("operand %d is of an earlier call: a plugin keeps no node from "
                "one call to the next, as in a static variable",
                i);
        n->in[i] = in[i];
        n->trained |= in[i]->trained;
    }
    n->value = entries(t, count);
    return n;
}

real *
keep(Node *n, size_t count)
{
    return entries(n->tape, count);
}

void
keep_arguments(Node *n, const void *arguments, size_t size)
{
    n->arguments = memcpy(notes(n->tape, size), arguments, size);
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
        c->tape->keeps) {
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

void
backward_from(Node *result, const real *seed)
{
    memcpy(gradient(result), seed, size_of(result) * sizeof *seed);
    for (Node *n = backward_order(result->root); n; n = n->next) {
        if (n->backward && n->touched) {
            enter(NULL, " in a backward");
            n->backward(n);
            leave();
            if (!n->passed)
                release_gradient(n);
        }
    }
}
