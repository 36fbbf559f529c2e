/* equal.c - can one variant compute what another does?

   `from` is the variant with random matrices. The search is for matrices of
   `to` that give the same outputs on random tokens. M_i and N_i are the
   matrices of the canonical form (canonical.h). */
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

/* The numbers of random tokens of x, which are queries, and of y, the keys. */
enum { QUERIES = 6, KEYS = 9 };

/* A relative difference above this is too large to be rounding. */
#define CLEARLY_APART 1e-3

/* The output (QUERIES x d_model) for random tokens of standard deviation
   `size`. If `causal`, y is x and there is a causal mask; otherwise x and y are
   different tokens, without a mask. The caller frees it. */
static double *
output_of(const Derived *d, bool causal, double size)
{
    BlockRun run = d->run; /* a copy, which gets its own tape */
    int width = run.attention.d_model, count = QUERIES * width;
    int drawn = (QUERIES + KEYS) * width;
    real *x = allocate((size_t)drawn, sizeof *x), *y = x + count;
    double *out = allocate((size_t)count, sizeof *out);
    Random r = random_stream(19, "outputs"); /* the same in each run */
    for (int i = 0; i < drawn; i++)
        x[i] = (real)(size * random_normal(&r));
    run.tape = NULL;
    run.attention.causal = causal;
    if (causal) /* self-attention */
        run_block(&run, x, QUERIES, x, QUERIES, EVERY_HEAD);
    else
        run_block(&run, x, QUERIES, y, KEYS, EVERY_HEAD);
    for (int i = 0; i < count; i++)
        out[i] = (double)run.out->value[i];
    tape_free(run.tape);
    free(x);
    return out;
}

/* The largest relative difference of two variants' outputs, for tokens of
   standard deviation 1, and for larger ones, which make the attention weights
   more unequal. */
static double
largest_difference(const Derived *a, const Derived *b, bool causal)
{
    enum { SIZES = 2 };
    static const double sizes[SIZES] = {1, 4};
    double apart = 0;
    for (int k = 0; k < SIZES; k++) {
        Difference off = {0};
        double *wanted = output_of(a, causal, sizes[k]);
        double *found = output_of(b, causal, sizes[k]);
        compare_arrays(&off, found, wanted, QUERIES * a->run.attention.d_model);
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

bool
have_same_matrices(const Derived *a, const Derived *b)
{
    const Weights *v = &a->run.weights, *w = &b->run.weights;
    if (v->count != w->count)
        return false;
    for (int i = 0; i < v->count; i++)
        if (strcmp(v->list[i].name, w->list[i].name) != 0 ||
            v->list[i].rows != w->list[i].rows ||
            v->list[i].cols != w->list[i].cols)
            return false;
    return true;
}

/* A search for matrices of `to` at one shape. A proposal is a set of matrices,
   in to.run.weights; one proposal after another is tried. */
typedef struct Search {
    Derived from, to;
    bool found;          /* whether a proposal gives the outputs of `from` */
    bool fitted;         /* whether the fit of `to` made that proposal */
    Values products;     /* if it did not: lines with these matrices, as
                            products of the matrices of `from` */
    double causal_apart; /* the smallest difference under a causal mask, of all
                            proposals that agree without a mask; NAN if none
                            agrees */
} Search;

/* Returns whether the latest proposal gives the outputs of `from`, without a
   mask and under a causal mask. Lowers causal_apart. substitute() calls this
   after each proposal (Accepts, substitute.h). */
static bool
outputs_agree(void *search)
{
    Search *s = search;
    OutputsApart now = outputs_apart(&s->from, &s->to);
    if (now.unmasked > OUTPUT_ROUNDING)
        return false;
    s->causal_apart = fmin(s->causal_apart, now.causal); /* fmin ignores NAN */
    return now.causal <= OUTPUT_ROUNDING;
}

/* Lets the fit of `to` fill its matrices from the form of `from`, if there is
   one (form.m is set). Returns whether they give the same outputs. */
static bool
fit_agrees(Search *s)
{
    const BlockRun *from = &s->from.run, *to = &s->to.run;
    Canonical form = canonical_form(from->variant, from->attention,
                                    from->weights, FEWEST_POSITIONS);
    bool fits = form.m && !fit(to->variant, &to->attention, to->weights, &form);
    canonical_free(&form);
    return fits && outputs_agree(s);
}

/* Searches at a shape, first for products, then by a fit; only the names of
   numbers need the other shape, too. `from` and `to` of the result must not be
   used: they are freed. */
static Search
search_at(const char *shape, const char *other, const Variant *to,
          const Variant *from)
{
    Search s = {.from = derive_at(from, shape, TWO_BLOCKS),
                .to = derive_at(to, shape, TWO_BLOCKS),
                .causal_apart = NAN};
    Derived from_there = derive_at(from, other, TWO_BLOCKS);
    Derived to_there = derive_at(to, other, TWO_BLOCKS);
    pair_forms(&s.from, &from_there);
    pair_forms(&s.to, &to_there);
    bool substituted =
        substitute(&s.from, &s.to, outputs_agree, &s, &s.products);
    s.fitted = !substituted && fit_agrees(&s);
    s.found = substituted || s.fitted;
    derived_free(&s.from);
    derived_free(&s.to);
    derived_free(&from_there);
    derived_free(&to_there);
    return s;
}

/* The shape at which the real parameters of one block are counted. */
#define COUNTED_SHAPE "d-model=16 heads=4"

/* Returns a text which says that `to` has too few real parameters to compute
   what `from` does. Returns NULL if it has enough, or if either number is not
   known. */
static const char *
more_parameters(const Variant *to, const Variant *from)
{
    Derived a = derive_at(from, COUNTED_SHAPE, ONE_BLOCK);
    Derived b = derive_at(to, COUNTED_SHAPE, ONE_BLOCK);
    int needed = real_count(from, a.run.attention, ANY_TOKENS).real;
    int most = real_count(to, b.run.attention, ANY_TOKENS).real;
    bool known = most != UNKNOWN_RANK && needed != UNKNOWN_RANK;
    derived_free(&a);
    derived_free(&b);
    if (!known || needed <= most)
        return NULL;
    return format_text("it has only %d real parameters at %s, and %d are "
                       "needed",
                       most, COUNTED_SHAPE, needed);
}

/* The largest rank that M_i (if `piece` is M_PIECE) or N_i (if it is N_PIECE)
   can have in any head of d, whatever its weights are. */
static int
largest_rank_bound(const Derived *d, Piece piece)
{
    int most = 0;
    for (int head = 0; head < d->heads; head++) {
        int rank = rank_bound(d, head, piece);
        most = rank > most ? rank : most;
    }
    return most;
}

/* Returns whether every two heads have clearly different M_i. If they do, no
   other form is the same function, apart from the order of heads. */
static bool
all_differ(const Canonical *c)
{
    for (int a = 0; a < c->heads; a++)
        for (int b = 0; b < a; b++) {
            const double *m = c->m + a * c->size, *other = c->m + b * c->size;
            Difference off = {0};
            compare_arrays(&off, m, other, c->size);
            if (relative_difference(off) < CLEARLY_APART)
                return false;
        }
    return true;
}

/* Returns a text which says that a piece, M_PIECE or N_PIECE, has at most rank
   `most` in `to`, but must have rank `needed`. If `most` is a width of `to`,
   such as d_k, at LARGER_SHAPE as well, the text names this width, and says how
   large it would have to be. */
static const char *
rank_too_low(Derived *to, Piece piece, int most, int needed)
{
    const char *bound = format_text("%d", most), *unless = "";
    Derived larger = derive_at(to->run.variant, LARGER_SHAPE, THREE_BLOCKS);
    pair_forms(to, &larger);
    Number both = {most, largest_rank_bound(&larger, piece)};
    const char *name = number_named(to, both); /* or NULL */
    /* A bound that is made from a width is another number at a larger shape. */
    if (name && both.here != both.there) {
        bound = name;
        unless = format_text(", unless %s >= %d", name, needed);
    }
    to->there = NULL;
    derived_free(&larger);
    return format_text(
        "lost%s: its %s has rank <= %s, and rank %d is needed at %s", unless,
        piece == M_PIECE ? "M_i" : "N_i", bound, needed, TELLING_SHAPE);
}

/* Returns a text which names a rank of this form that is too large for `to`, or
   NULL if none is too large. */
static const char *
larger_rank(Derived *to, const Canonical *form)
{
    int most_m = largest_rank_bound(to, M_PIECE), needed_m = 0;
    int most_n = largest_rank_bound(to, N_PIECE), needed_n = 0;
    int heads_needed = 0, d = form->d_model;
    for (int head = 0; head < form->heads; head++) {
        int first_entry = head * form->size;
        int m = spectrum_of(form->m + first_entry, d).rank;
        int n = spectrum_of(form->n + first_entry, d).rank;
        needed_m = m > needed_m ? m : needed_m;
        needed_n = n > needed_n ? n : needed_n;
        if (most_n > 0) /* n / most_n, rounded up */
            heads_needed += (n + most_n - 1) / most_n;
    }
    /* One head of `to` has to hold a whole M_i. But an N_i can be divided among
       several heads that have the same M_i, if `to` has enough heads. */
    bool can_divide = most_n > 0 && heads_needed <= to->heads;
    if (needed_m > most_m)
        return rank_too_low(to, M_PIECE, most_m, needed_m);
    if (needed_n > most_n && !can_divide)
        return rank_too_low(to, N_PIECE, most_n, needed_n);
    return NULL;
}

/* Returns a text which names a property of `form`, the form of the other
   variant, that `to` cannot have, or NULL if none is found. `to` is a variant
   that always has a form. */
static const char *
form_lacking(Derived *to, const Canonical *form)
{
    bool has_form = form->m != NULL;
    if (!has_form && form->deviation > CLEARLY_APART)
        return format_text("it always has a form, and the other variant has "
                           "none: %s",
                           form->why);
    if (!has_form)
        return NULL;
    if (form->bias)
        return "its scores have no bias by position";
    /* A variant with a sink has no derived form (derive.c), so `to` has none.
       One head with a sink proves enough; only the first is looked at. */
    if (form->sink[0] > -INFINITY)
        return "its weights have no sink: they always sum to 1";
    return all_differ(form) ? larger_rank(to, form) : NULL;
}

/* Returns a text which names a property of the form of `from` that `to` cannot
   have. Returns NULL if none is found, or if `to` has no derived form, or one
   that its probe does not confirm. */
static const char *
lost_with_form(const Variant *to, const Variant *from)
{
    Derived a = derive_at(from, TELLING_SHAPE, TWO_BLOCKS);
    Derived b = derive_at(to, TELLING_SHAPE, TWO_BLOCKS);
    const char *why = NULL;
    Canonical form =
        canonical_form(from, a.run.attention, a.run.weights, FEWEST_POSITIONS);
    if (!b.why && probe_confirms(&b))
        why = form_lacking(&b, &form);
    canonical_free(&form);
    derived_free(&a);
    derived_free(&b);
    return why;
}

static Ability
not_known(const char *why)
{
    return (Ability){.answer = NOT_KNOWN, .why = why};
}

/* Looks for a reason why `to` cannot compute what `from` does, after a search
   that found no matrices. */
static Ability
cannot_compute(const Variant *to, const Variant *from)
{
    const char *why = lost_with_form(to, from);
    if (!why)
        why = more_parameters(to, from);
    if (why)
        return (Ability){.answer = CANNOT, .why = why};
    return not_known("no products of the other variant's matrices give its "
                     "outputs, but no rank or parameter count rules it out");
}

/* Looks for a proof that nothing can give the outputs only if the search found
   nothing that does so even without a mask. */
Ability
can_compute(const Variant *to, const Variant *from)
{
    if (to->calls != ANY_CALL || from->calls != ANY_CALL)
        return not_known("one of them is for self-attention only, but they are "
                         "compared on queries and keys from different tokens");
    Search small = search_at(TELLING_SHAPE, LARGER_SHAPE, to, from);
    bool agrees_without_mask = !isnan(small.causal_apart);
    if (!agrees_without_mask)
        return cannot_compute(to, from);
    if (!small.found)
        return not_known(
            format_text("it can without a mask, but under a causal mask the "
                        "outputs differ by %.2g of the largest",
                        small.causal_apart));
    /* What was found may be right only by chance, for the widths of a shape. */
    Search large = search_at(LARGER_SHAPE, TELLING_SHAPE, to, from);
    Ability found = {.answer = CAN};
    if (!large.found)
        found = not_known("it can at " TELLING_SHAPE
                          ", but nothing was found at " LARGER_SHAPE);
    found.fitted = small.fitted || large.fitted;
    found.products = small.products;
    for (int i = 0; i < small.products.count; i++) {
        const char *line = small.products.text[i], *where = "";
        if (i < large.products.count) /* the same line at the larger shape */
            where = only_where(line, large.products.text[i]);
        values_add(&found.where, copy_text(where));
    }
    return found;
}
