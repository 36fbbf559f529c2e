/* fit.c - from a canonical form to the matrices of a variant: by its plugin's
   `fit` or, for an equation, by fit_equation.c. */
#include <math.h>
#include <stdlib.h>

#include "algebra/capture.h"
#include "algebra/factor.h"
#include "algebra/fit.h"
#include "algebra/fit_equation.h"
#include "algebra/svd.h"
#include "base/words.h"
#include "equation/run_equation.h"
#include "heart/fail.h"

/* The form c as `fit` reads it, with `heads` heads, at least as many as c has.
   It begins a list of forms, *made, which fit frees. */
static Form *
form_of(const Canonical *c, int heads, Form **made)
{
    int d = c->d_model;
    Form like = {.d_model = d, .constant = c->constant, .made = made};
    Form *f = form_like(&like, heads, d);
    for (int i = 0; i < c->heads * c->size; i++) {
        int head = i / c->size, row = i % c->size / d, col = i % d;
        f->m[i] = c->m[i];
        if (row < d) /* N is stored transposed, without its last row */
            row_of(f, f->n, head, col)[row] = c->n[i];
    }
    return f;
}

bool
has_fit(const Variant *v)
{
    const Plan *p = plan_of_variant(v);
    return v->fit || (p && plan_has_fit(p));
}

/* Returns why v cannot be fitted to c, or NULL if it can. */
static const char *
fit_refusal(const Variant *v, const Attention *a, const Canonical *c)
{
    if (c->rotated)
        return "rope rotates between W^Q and W^K', so M is a different matrix "
               "at each distance, and no single one can be fitted";
    if (!has_fit(v))
        return "its plugin has no `fit`, which makes its matrices from M and N";
    if (c->heads > a->heads)
        return format_text("%d heads do not fit into %d", c->heads, a->heads);
    return NULL;
}

/* Frees all forms of a list. */
static void
free_list(Form *made)
{
    while (made) {
        Form *next = made->next;
        free(made);
        made = next;
    }
}

/* Lets the variant's fit fill matrices of doubles, which are all 0 at first,
   and copies them into w. report_call says whose code runs, so that a crash in
   the plugin's `fit` is blamed on the plugin. */
const char *
fit(const Variant *v, const Attention *a, Weights w, const Canonical *c)
{
    const char *refusal = fit_refusal(v, a, c);
    if (refusal)
        return refusal;
    Form *made = NULL;
    const Form *form = form_of(c, a->heads, &made);
    Entries found = {.declared = &w,
                     .at = allocate((size_t)w.count, sizeof(double *))};
    for (int i = 0; i < w.count; i++)
        found.at[i] = allocate(entries_of(&w.list[i]), sizeof(double));
    report_call(v, " in fit");
    if (v->fit)
        v->fit(form, a, &found);
    else
        plan_fit(plan_of_variant(v), form, a, &found);
    report_call(v, RETURNED);
    for (int i = 0; i < w.count; i++) {
        for (size_t k = 0; k < entries_of(&w.list[i]); k++)
            w.list[i].value[k] = (real)found.at[i][k];
        free(found.at[i]);
    }
    free(found.at);
    free_list(made);
    return NULL;
}

/* Returns the Frobenius norm of found - wanted, relative to that of wanted; 1
   if only wanted is 0. Both have `count` entries. */
static double
share_lost(const double *found, const double *wanted, int count)
{
    double wanted_squares = 0, lost_squares = 0;
    for (int k = 0; k < count; k++) {
        double off = wanted[k] - found[k];
        lost_squares += off * off;
        wanted_squares += wanted[k] * wanted[k];
    }
    if (lost_squares == 0)
        return 0;
    return wanted_squares > 0 ? sqrt(lost_squares / wanted_squares) : 1;
}

/* Adds the matrices of all heads to *apart, and returns the error of the head
   that lost most. `found` and `wanted` have the s_i M_i, or the N_i, of the
   heads of a and of b. A head that one form lacks has the matrix `zeros`. */
static HeadError
compare_heads(const Canonical *a, const double *found, const Canonical *b,
              const double *wanted, const double *zeros, Difference *apart)
{
    HeadError worst = {.lost = -1}; /* the first head loses more than that */
    int size = a->size, d = a->d_model;
    for (int h = 0; h < a->heads || h < b->heads; h++) {
        const double *of_a = h < a->heads ? found + h * size : zeros;
        const double *of_b = h < b->heads ? wanted + h * size : zeros;
        double lost = share_lost(of_a, of_b, size);
        compare_arrays(apart, of_a, of_b, size);
        if (lost > worst.lost)
            worst = (HeadError){lost, .rank_wanted = spectrum_of(of_b, d).rank,
                                .rank_found = spectrum_of(of_a, d).rank};
    }
    return worst;
}

/* The constant is part of the output, as N is. */
FitError
fit_error(const Canonical *now, const Canonical *wanted)
{
    FitError f;
    /* if all entries wanted are 0, any other entry is a large relative error */
    Difference m = {.largest = 1e-300}, n = m;
    double *zeros = allocate((size_t)now->size, sizeof *zeros);
    f.m = compare_heads(now, now->m, wanted, wanted->m, zeros, &m);
    f.n = compare_heads(now, now->n, wanted, wanted->n, zeros, &n);
    compare_arrays(&n, now->constant, wanted->constant, now->d_model);
    f.apart = fmax(relative_difference(m), relative_difference(n));
    free(zeros);
    return f;
}
