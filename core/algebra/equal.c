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

/* The output (QUERIES x d_model) for random tokens with standard deviation
   `size`. If `causal`, the tokens attend to themselves under a causal mask;
   otherwise queries attend to separate keys. The caller frees it. */
static double *
output_of(const Derived *d, bool causal, double size)
{
    Alone run = d->run;
    int width = run.attention.d_model, count = QUERIES * width;
    real *x = allocate((size_t)(QUERIES + KEYS) * width, sizeof *x);
    double *out = allocate((size_t)count, sizeof *out);
    Random r = random_stream(19, "outputs");
    for (int i = 0; i < (QUERIES + KEYS) * width; i++)
        x[i] = (real)(size * random_normal(&r));
    run.tape = NULL;
    run.attention.causal = causal;
    if (causal)
        run_alone(&run, x, QUERIES, x, QUERIES, EVERY_HEAD);
    else
        run_alone(&run, x, QUERIES, x + count, KEYS, EVERY_HEAD);
    for (int i = 0; i < count; i++)
        out[i] = (double)run.out->value[i];
    tape_free(run.tape);
    free(x);
    return out;
}

/* The largest relative difference of two variants' outputs, for small tokens
   and for large ones. */
static double
largest_difference(const Derived *a, const Derived *b, bool causal)
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
    return (OutputsApart){.unmasked = largest_difference(a, b, false),
                          .causal = largest_difference(a, b, true)};
}

/* Have two variants the same matrices, by name and shape? */
static bool
same_matrices(const Weights *a, const Weights *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->list[i].name, b->list[i].name) != 0 ||
            a->list[i].rows != b->list[i].rows ||
            a->list[i].cols != b->list[i].cols)
            return false;
    return true;
}

bool
give_same_matrices(const Derived *from, const Derived *to)
{
    const Weights *a = &from->run.weights, *b = &to->run.weights;
    if (!same_matrices(a, b))
        return false;
    for (int i = 0; i < a->count; i++)
        memcpy(b->list[i].value, a->list[i].value,
               entries_of(&a->list[i]) * sizeof(real));
    return true;
}

/* Two variants at one shape, and how near the best proposal came. */
typedef struct Both {
    Derived from, to;
    OutputsApart best;
} Both;

/* Do both have the same outputs, with the matrices proposed for `to`?
   substitute() calls this for each proposal; the one whose outputs without a
   mask are nearest is kept for the answer. */
static bool
outputs_agree(void *more)
{
    Both *b = more;
    OutputsApart now = outputs_apart(&b->from, &b->to);
    if (now.unmasked <= b->best.unmasked)
        b->best = now;
    return now.unmasked <= ROUNDING && now.causal <= ROUNDING;
}

/* Lets `to` fit its matrices to the form of `from`, and runs both. */
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
    return fits && outputs_agree(b);
}

/* How matrices with which one variant computes what the other does were found:
   as products of the other's matrices, or by its fit; or not at all. */
typedef enum Way { BY_PRODUCTS, BY_FIT, NO_WAY } Way;

/* Looks for such matrices at one shape. *best becomes the smallest difference
   of outputs. */
static Way
way_at(const char *shape, const Variant *to, const Variant *from,
       Values *products, OutputsApart *best)
{
    Both b = {.from = derive_at(from, shape, 2),
              .to = derive_at(to, shape, 2),
              .best = {INFINITY, INFINITY}};
    Way way = NO_WAY;
    if (substitute(&b.from, &b.to, outputs_agree, &b, products))
        way = BY_PRODUCTS;
    else if (fit_and_run(&b))
        way = BY_FIT;
    *best = b.best;
    derived_free(&b.from);
    derived_free(&b.to);
    return way;
}

/* The shape at which directions are counted. */
#define COUNTED_SHAPE "d-model=16 heads=4"

/* Why `to` cannot contain `from`, if `from` has more real parameters; or NULL.
 */
static const char *
more_parameters(const Variant *to, const Variant *from)
{
    Derived a = derive_at(from, COUNTED_SHAPE, 1);
    Derived b = derive_at(to, COUNTED_SHAPE, 1);
    int has = real_count(from, a.run.attention, ANY_TOKENS).real;
    int most = real_count(to, b.run.attention, ANY_TOKENS).real;
    derived_free(&a);
    derived_free(&b);
    if (most < 0 || has <= most)
        return NULL;
    return format_text("it has only %d real parameters at %s, and %d are "
                       "needed",
                       most, COUNTED_SHAPE, has);
}

/* The largest rank that a piece can have in any head. */
static int
largest_rank_bound(const Derived *d, int piece)
{
    int most = 0;
    for (int head = 0; head < d->heads; head++) {
        int rank = rank_bound(d, head, piece);
        most = rank > most ? rank : most;
    }
    return most;
}

/* Do all heads have different M_i? Then the function has no other form, except
   for the order of heads. */
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

/* The reason that a piece of `to` has at most rank `most` where `rank` is
   needed.
 */
static const char *
rank_too_low(const Derived *to, const char *piece, int most, int rank)
{
    const char *name = width_named(to, most), *unless = "";
    if (name)
        unless = format_text(", unless %s >= %d", name, rank);
    else
        name = format_text("%d", most);
    return format_text(
        "lost%s: its %s has rank <= %s, and rank %d is needed at %s", unless,
        piece, name, rank, TELLING_SHAPE);
}

/* Why ranks of this form are too large for `to`; NULL if they are not. An M_i
   has to fit into one head. An N_i may be shared among several heads. */
static const char *
larger_rank(const Derived *to, const Canonical *form)
{
    int most_m = largest_rank_bound(to, M_PIECE), rank_m = 0;
    int most_n = largest_rank_bound(to, N_PIECE), rank_n = 0;
    int heads_needed = 0;
    for (int head = 0; head < form->heads; head++) {
        int at = head * form->size, d = form->d_model;
        int m = spectrum_of(form->m + at, d).rank;
        int n = spectrum_of(form->n + at, d).rank;
        rank_m = m > rank_m ? m : rank_m;
        rank_n = n > rank_n ? n : rank_n;
        heads_needed += most_n ? (n + most_n - 1) / most_n : 1;
    }
    if (rank_m > most_m)
        return rank_too_low(to, "M_i", most_m, rank_m);
    if (rank_n > most_n && heads_needed > to->heads)
        return rank_too_low(to, "N_i", most_n, rank_n);
    return NULL;
}

/* Why this form of `from` is no form of `to`, which always has one; NULL if no
   reason is known. */
static const char *
form_lacking(const Derived *to, const Canonical *form)
{
    if (!form->m && form->deviation > 1e-3)
        return format_text("it always has a form, and the other variant has "
                           "none: %s",
                           form->why);
    if (!form->m)
        return NULL;
    if (form->bias)
        return "its scores have no bias by position";
    if (form->sink[0] > -INFINITY)
        return "its weights have no sink: they always sum to 1";
    return all_differ(form) ? larger_rank(to, form) : NULL;
}

/* Why the forms show that no matrices of `to` can do it; NULL if they do not
   show it. */
static const char *
other_form(const Variant *to, const Variant *from)
{
    Derived a = derive_at(from, TELLING_SHAPE, 2);
    Derived b = derive_at(to, TELLING_SHAPE, 2);
    const char *why = NULL;
    Canonical form = canonical_form(from, a.run.attention, a.run.weights, 0);
    if (!b.why && derived_apart(&b) <= APART)
        why = form_lacking(&b, &form);
    canonical_free(&form);
    derived_free(&a);
    derived_free(&b);
    return why;
}

/* Looks for a reason why `to` cannot do it, after no matrices were found. */
static Ability
cannot_compute(const Variant *to, const Variant *from)
{
    const char *why = other_form(to, from);
    if (!why)
        why = more_parameters(to, from);
    if (why)
        return (Ability){.answer = CANNOT, .why = why};
    return (Ability){.answer = NOT_KNOWN,
                     .why = "no products of the other variant's matrices give "
                            "its outputs, but no rank or count rules it out"};
}

/* Searches at one shape. If nothing is found there, looks for a witness against
   it; if something is, searches again at a larger shape. */
Ability
can_compute(const Variant *to, const Variant *from)
{
    Ability v = {.answer = NOT_KNOWN};
    Values again = {0};
    OutputsApart small, large;
    if (to->calls != ANY_CALL || from->calls != ANY_CALL) {
        v.why = "one of them is for self-attention only, but they are compared "
                "on queries and keys from different tokens";
        return v;
    }
    Way way = way_at(TELLING_SHAPE, to, from, &v.products, &small);
    if (way == NO_WAY && small.unmasked > ROUNDING)
        return cannot_compute(to, from);
    if (way == NO_WAY) {
        v.why = format_text("it can without a mask, but under a causal mask "
                            "the outputs differ by %.2g of the largest",
                            small.causal);
        return v;
    }
    Way larger = way_at(LARGER_SHAPE, to, from, &again, &large);
    v.fitted = way == BY_FIT || larger == BY_FIT;
    if (larger != NO_WAY)
        v.answer = CAN;
    else
        v.why = "it can at " TELLING_SHAPE
                ", but nothing was found at " LARGER_SHAPE;
    return v;
}
