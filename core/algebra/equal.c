/* equal.c - can one variant compute what another does? */
#include <math.h>
#include <string.h>

#include "algebra/equal.h"
#include "algebra/fit.h"
#include "algebra/real_parameters.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"

enum { QUERIES = 6, KEYS = 9 };

/* The output (QUERIES x d_model) for random tokens of that size, under a causal
   mask for itself; to be freed. */
static double *
output_of(const Derived *d, bool causal, double size)
{
    Alone run = d->run;
    int width = run.attention.d_model, count = QUERIES * width;
    real *x = allocate((size_t)(QUERIES + KEYS) * width, sizeof *x);
    real *y = causal ? x : x + count;
    double *out = allocate((size_t)count, sizeof *out);
    Random r = random_stream(19, "outputs");
    for (int i = 0; i < (QUERIES + KEYS) * width; i++)
        x[i] = (real)(size * random_normal(&r));
    run.tape = NULL;
    run.attention.causal = causal;
    run_alone(&run, x, QUERIES, y, causal ? QUERIES : KEYS, EVERY_HEAD);
    for (int i = 0; i < count; i++)
        out[i] = (double)run.out->value[i];
    tape_free(run.tape);
    free(x);
    return out;
}

static double
apart_in(const Derived *a, const Derived *b, bool causal)
{
    double apart = 0;
    for (double size = 1; size <= 4; size *= 4) {
        Difference off = {0};
        double *wanted = output_of(a, causal, size);
        double *found = output_of(b, causal, size);
        for (int i = 0; i < QUERIES * a->run.attention.d_model; i++)
            compare_entries(&off, found[i], wanted[i]);
        apart = fmax(apart, relative_difference(off));
        free(wanted);
        free(found);
    }
    return apart;
}

OutputsApart
outputs_apart(const Derived *a, const Derived *b)
{
    return (OutputsApart){apart_in(a, b, false), apart_in(a, b, true)};
}

bool
give_same_matrices(const Derived *from, const Derived *to)
{
    const Weights *a = &from->run.weights, *b = &to->run.weights;
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = !strcmp(a->list[i].name, b->list[i].name) &&
               a->list[i].rows == b->list[i].rows &&
               a->list[i].cols == b->list[i].cols;
    for (int i = 0; same && i < a->count; i++)
        memcpy(b->list[i].value, a->list[i].value,
               (size_t)a->list[i].rows * (size_t)a->list[i].cols *
                   sizeof(real));
    return same;
}

/* Two variants at one shape, and how near the best proposal came. */
typedef struct Both {
    Derived from, to;
    OutputsApart best;
} Both;

static bool
run_both(void *more)
{
    Both *b = more;
    OutputsApart now = outputs_apart(&b->from, &b->to);
    if (now.unmasked <= b->best.unmasked)
        b->best = now;
    return now.unmasked <= ROUNDING && now.causal <= ROUNDING;
}

/* Asks the fit of `to` for matrices, and runs both with them. */
static bool
fit_and_run(Both *b)
{
    const Alone *from = &b->from.run, *to = &b->to.run;
    char why[WHY_SIZE];
    Canonical form =
        canonical_form(from->variant, from->attention, from->weights, 0);
    bool fits =
        form.m && fit(to->variant, &to->attention, to->weights, &form, why);
    canonical_free(&form);
    return fits && run_both(b);
}

/* At one shape: 'p' if products can be named, 'f' if its fit does it, 0 if
   neither. */
static char
proposed_at(const char *shape, const Variant *to, const Variant *from,
            Values *products, OutputsApart *best)
{
    Both b = {.from = derive_at(from, shape, 2),
              .to = derive_at(to, shape, 2),
              .best = {INFINITY, INFINITY}};
    char by = substitute(&b.from, &b.to, run_both, &b, products) ? 'p'
              : fit_and_run(&b)                                  ? 'f'
                                                                 : 0;
    *best = b.best;
    derived_free(&b.from);
    derived_free(&b.to);
    return by;
}

/* The shape at which directions are counted. */
#define COUNTED_SHAPE "d-model=16 heads=4"

/* Has `from` more directions in which its function moves than `to` has? A
   function of fewer parameters cannot contain one of more. */
static const char *
more_directions(const Variant *to, const Variant *from)
{
    Derived a = derive_at(from, COUNTED_SHAPE, 1);
    Derived b = derive_at(to, COUNTED_SHAPE, 1);
    int has = real_count(from, a.run.attention).real;
    int most = real_count(to, b.run.attention).real;
    derived_free(&a);
    derived_free(&b);
    if (most < 0 || has <= most)
        return NULL;
    return format_text("it has %d real parameters at %s, and so many "
                       "independent changes need %d",
                       most, COUNTED_SHAPE, has);
}

/* The most that the rank of a piece can be in any head. */
static int
rank_bound(const Derived *d, int piece)
{
    int most = 0;
    for (int head = 0; head < d->heads; head++) {
        const Term *t;
        int rank = 0;
        for (int k = 0; (t = term_of(d, head, piece, k)); k++)
            rank += t->width;
        most = rank > most ? rank : most;
    }
    return most;
}

/* Do all heads have another M_i? Then the function has no other form but for
   the order of heads. */
static bool
all_differ(const Canonical *c)
{
    for (int a = 0; a < c->heads; a++)
        for (int b = 0; b < a; b++) {
            Difference off = {0};
            for (int k = 0; k < c->size; k++)
                compare_entries(&off, c->m[a * c->size + k],
                                c->m[b * c->size + k]);
            if (relative_difference(off) < 1e-3)
                return false;
        }
    return true;
}

/* Ranks of the form of `from` that no head of `to` can have; NULL if none. */
static const char *
larger_rank(const Derived *to, const Canonical *form)
{
    const double *of[] = {form->m, form->n};
    static const char *const names[] = {"M_i", "N_i"};
    static const int pieces[] = {M_PIECE, N_PIECE};
    for (int k = 0; k < 2; k++) {
        int most = rank_bound(to, pieces[k]), needed = 0, rank = 0;
        for (int head = 0; head < form->heads; head++) {
            const double *matrix = of[k] + head * form->size;
            int has = spectrum_of(matrix, form->d_model).rank;
            rank = has > rank ? has : rank;
            needed += most ? (has + most - 1) / most : 1;
        }
        bool wider = k == 0 ? rank > most : needed > to->heads;
        const char *name = width_named(to, most);
        if (rank > most && wider)
            return format_text(
                "lost%s: its %s has rank <= %s, and rank %d is needed at %s",
                name ? format_text(", unless %s >= %d", name, rank) : "",
                names[k], name ? name : format_text("%d", most), rank,
                TELLING_SHAPE);
    }
    return NULL;
}

/* Why no matrices of `to` can do it: `to` always has a form, and that of `from`
   is none, or has what no form of `to` has; NULL if that does not tell. */
static const char *
other_form(const Variant *to, const Variant *from)
{
    Derived a = derive_at(from, TELLING_SHAPE, 2);
    Derived b = derive_at(to, TELLING_SHAPE, 2);
    const char *why = NULL;
    Canonical form = canonical_form(from, a.run.attention, a.run.weights, 0);
    bool known = !b.why && derived_apart(&b, &b) <= APART;
    if (known && !form.m && form.deviation > 1e-3)
        why = format_text("it always has a form, and what it would compute has "
                          "none: %s",
                          form.why);
    else if (known && form.m && form.bias)
        why = "its scores have no bias by position";
    else if (known && form.m && form.sink[0] > -INFINITY)
        why = "its weights have no sink: they always sum to 1";
    else if (known && form.m && all_differ(&form))
        why = larger_rank(&b, &form);
    canonical_free(&form);
    derived_free(&a);
    derived_free(&b);
    return why;
}

Verdict
can_compute(const Variant *to, const Variant *from)
{
    Verdict v = {.answer = UNDECIDED};
    if (to->calls != ANY_CALL || from->calls != ANY_CALL) {
        v.why = "one is for self-attention only, and they are compared on "
                "queries and other keys";
        return v;
    }
    Values again = {0};
    OutputsApart small, large = {0};
    char by = proposed_at(TELLING_SHAPE, to, from, &v.products, &small);
    char larger = by ? proposed_at(LARGER_SHAPE, to, from, &again, &large) : 0;
    v.fitted = by == 'f' || larger == 'f';
    if (by && larger) {
        v.answer = CAN;
        return v;
    }
    if (by)
        v.why = "it can at " TELLING_SHAPE ", but nothing was found "
                "at " LARGER_SHAPE;
    else if (small.unmasked <= ROUNDING)
        v.why = format_text("it does without a mask, but under a causal mask "
                            "the outputs differ by %.2g of the largest",
                            small.causal);
    else
        v.why = other_form(to, from);
    if (!by && !v.why)
        v.why = more_directions(to, from);
    bool witness = v.why && !by && small.unmasked > ROUNDING;
    v.answer = witness ? CANNOT : UNDECIDED;
    if (!v.why)
        v.why = "no products of the one's matrices do it as the other's, and "
                "neither a rank nor a count forbids it";
    return v;
}
