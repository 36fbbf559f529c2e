/* tape.c - memory for nodes, and the walk back over them.

   Reverse-mode differentiation: the forward run writes the nodes down in the
   order of computation; backwards, each adds its share to the gradients of
   its operands, after all that use it have added to its own. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fail.h"
#include "matrix.h"
#include "tape.h"

enum { ALIGNMENT = 64, MEASURED_NOTES = 1 << 24, HUGE_PAGE = 1 << 21 };

/* Notes are the nodes and their lists, in bytes, matrices their numbers. A
   measuring tape has notes only. */
struct Tape {
    char *notes;
    real *matrices;
    size_t notes_used, notes_size, matrices_used, matrices_size;
    Node *last;
};

/* In large pages where there is much of it: they are found faster. */
static real *
room(size_t bytes)
{
    size_t page = bytes < 2 * HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
    size_t whole = (bytes + page - 1) / page * page;
    real *at = aligned_alloc(page, whole);
    if (!at)
        fail("out of memory: the matrices of a step take %zu bytes; make the "
             "model, the batch or the sequences smaller",
             bytes);
#ifdef MADV_HUGEPAGE
    if (page == HUGE_PAGE)
        madvise(at, whole, MADV_HUGEPAGE);
#endif
    return at;
}

static Tape *
tape_of(size_t notes, size_t matrices)
{
    Tape *t = allocate(1, sizeof *t);
    t->notes_size = notes;
    t->notes = allocate(notes, 1);
    t->matrices_size = matrices;
    if (matrices)
        t->matrices = room(matrices * sizeof(real));
    tape_reset(t);
    return t;
}

Tape *
tape_measure(void)
{
    return tape_of(MEASURED_NOTES, 0);
}

Tape *
tape_fitting(const Tape *measured)
{
    return tape_of(measured->notes_used, measured->matrices_used + ALIGNMENT);
}

size_t
tape_bytes(const Tape *t)
{
    return t->notes_used + t->matrices_used * sizeof(real);
}

size_t
tape_numbers(const Tape *t)
{
    return t->matrices_used;
}

void
tape_reset(Tape *t)
{
    t->last = NULL;
    t->notes_used = t->matrices_used = 0;
#ifdef QKV_DEBUG /* every byte 255 is a NaN: nothing unwritten goes unseen */
    if (t->matrices)
        memset(t->matrices, 255, t->matrices_size * sizeof(real));
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
                : "the tape is full: more than 80,000 operators in one step; "
                  "take fewer heads or layers");
    return memset(at, 0, bytes);
}

/* Room for numbers, NULL on a measuring tape. */
static real *
numbers(Tape *t, size_t count)
{
    size_t at = t->matrices_used;
    t->matrices_used += aligned(count * sizeof(real)) / sizeof(real);
    if (!t->matrices)
        return NULL;
    if (t->matrices_used > t->matrices_size)
        bug("the tape is full: larger matrices than in the first, measuring "
            "run; forward must not change between calls");
    return t->matrices + at;
}

static Node *
append(Tape *t, int rows, int cols, int sequences)
{
    Node *n = notes(t, sizeof *n);
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
new_node(int rows, int cols, void (*backward)(Node *self), Node *const *in,
         int inputs)
{
    Tape *t = in[0]->tape;
    Node *n = append(t, rows, cols, in[0]->sequences);
    size_t count = (size_t)rows * (size_t)cols;
    n->in = notes(t, (size_t)inputs * sizeof *in);
    n->inputs = inputs;
    n->backward = backward;
    for (int i = 0; i < inputs; i++) {
        if (in[i]->tape != t)
            bug("operand %d lies on another tape than operand 0", i);
        n->in[i] = in[i];
        n->trained |= in[i]->trained;
    }
    n->value = numbers(t, count);
    n->gradient = n->trained ? numbers(t, count) : NULL;
    return n;
}

real *
keep(Node *n, size_t count)
{
    return numbers(n->tape, count);
}

real *
gradient(Node *n)
{
    n = n->root;
    if (!n->touched)
        memset(n->gradient, 0,
               (size_t)n->rows * (size_t)n->cols * sizeof(real));
    n->touched = true;
    return n->gradient;
}

void
add_gradient(Node *n, const real *x)
{
    size_t size = (size_t)n->rows * (size_t)n->cols;
    if (!n->root->touched) {
        memcpy(n->root->gradient, x, size * sizeof *x);
        n->root->touched = true;
        return;
    }
    real *d = n->root->gradient;
    for (size_t i = 0; i < size; i++)
        d[i] += x[i];
}

void
backward(Node *loss)
{
    gradient(loss)[0] = 1;
    for (Node *n = loss; n; n = n->previous)
        if (n->backward && n->touched)
            n->backward(n);
}
