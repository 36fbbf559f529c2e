/* fit.c - from a canonical form to the matrices of a variant: by its plugin's
   `fit` or, for an equation, by fit_equation.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    memcpy(f->m, c->m, (size_t)c->heads * (size_t)c->size * sizeof *c->m);
    for (int head = 0; head < c->heads; head++) {
        const double *n = c->n + head * c->size;
        for (int row = 0; row < d; row++) /* N_i' lacks the last row of N_i */
            for (int col = 0; col < d; col++)
                row_of(f, f->n, head, col)[row] = n[row * d + col];
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

/* The matrix of head h of c, of `matrices`, which are c->m or c->n; or `zeros`
   if c lacks that head. */
static const double *
matrix_of_head(const Canonical *c, const double *matrices, int h,
               const double *zeros)
{
    return h < c->heads ? matrices + h * c->size : zeros;
}

/* Compares two matrices, ((d + 1) x d), and adds them to *apart. If more is
   lost in them than in *worst, that becomes their error. */
static void
compare_heads(const double *found, const double *wanted, int d,
              HeadError *worst, Difference *apart)
{
    int size = (d + 1) * d;
    double lost = share_lost(found, wanted, size);
    compare_arrays(apart, found, wanted, size);
    if (lost > worst->lost)
        *worst = (HeadError){lost, .rank_wanted = spectrum_of(wanted, d).rank,
                             .rank_found = spectrum_of(found, d).rank};
}

/* The constant is part of the output, as N is. */
FitError
fit_error(const Canonical *now, const Canonical *wanted)
{
    int d = now->d_model;
    /* the first head loses more than -1 */
    FitError f = {.m.lost = -1, .n.lost = -1};
    /* if all entries wanted are 0, any other entry is a large relative error */
    Difference m = {.largest = 1e-300}, n = m;
    double *zeros = allocate((size_t)now->size, sizeof *zeros);
    for (int h = 0; h < now->heads || h < wanted->heads; h++) {
        compare_heads(matrix_of_head(now, now->m, h, zeros),
                      matrix_of_head(wanted, wanted->m, h, zeros), d, &f.m, &m);
        compare_heads(matrix_of_head(now, now->n, h, zeros),
                      matrix_of_head(wanted, wanted->n, h, zeros), d, &f.n, &n);
    }
    compare_arrays(&n, now->constant, wanted->constant, d);
    f.apart = fmax(relative_difference(m), relative_difference(n));
    free(zeros);
    return f;
}
