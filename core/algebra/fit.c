/* fit.c - from a canonical form to the matrices of a variant. The plugin's
   `fit` computes them or, for an equation, fit_equation.c. */
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

/* The form c as a plugin's `fit` reads it: with N_i' instead of N_i, and with
   `heads` heads, at least as many as c has. It is the first of the list *made,
   which the caller frees. */
static Form *
form_of(const Canonical *c, int heads, Form **made)
{
    int d = c->d_model;
    Form like = {.d_model = d, .constant = c->constant, .made = made};
    Form *f = form_like(&like, heads, d);
    memcpy(f->m, c->m, (size_t)c->heads * (size_t)c->size * sizeof *c->m);
    for (int head = 0; head < c->heads; head++) {
        const double *n = c->n + head * c->size;
        for (int row = 0; row < d; row++) /* without the last row of N_i */
            for (int col = 0; col < d; col++)
                row_of(f, f->n, head, col)[row] = n[row * d + col]; /* N_i' */
    }
    return f;
}

bool
has_fit(const Variant *v)
{
    const Plan *p = plan_of_variant(v);
    return v->fit || (p && plan_has_fit(p));
}

/* Returns why v cannot be fitted to c, or NULL if it can be. */
static const char *
fit_refusal(const Variant *v, const Attention *a, const Canonical *c)
{
    if (c->rotated)
        return "rope rotates between W^Q and W^K', so M is a different matrix "
               "at each distance, and no single one can be fitted";
    if (!has_fit(v))
        return "its plugin has no `fit`, which makes its matrices from M and N";
    if (c->heads > a->heads)
        return format_text("it has %d heads, and needs %d", a->heads, c->heads);
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

/* The variant's fit fills matrices of doubles, which are all 0 at first; they
   are then copied into w. report_call notes whose code runs, so that the report
   of a crash in the plugin's `fit` names the plugin. */
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

/* Returns the Frobenius norm of found - wanted, relative to the norm of wanted;
   1 if only wanted is 0. Both have `count` entries. */
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

/* The M_i of head h of c (if `matrices` is c->m), or its N_i (if it is c->n);
   `zeros` if c lacks that head. */
static const double *
matrix_of_head(const Canonical *c, const double *matrices, int h,
               const double *zeros)
{
    return h < c->heads ? matrices + h * c->size : zeros;
}

/* Compares two matrices ((d + 1) x d), and adds the comparison to *apart. If
   more is lost than in *worst, then *worst becomes the error of these two. */
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

/* The constant is compared together with N, because both make the output. */
FitError
fit_error(const Canonical *now, const Canonical *wanted)
{
    int d = now->d_model;
    /* The first head replaces these errors, since no share lost is below 0. */
    FitError f = {.m.lost = -1, .n.lost = -1};
    /* Nearly 0: if all wanted entries are 0, any other is a large error. */
    Difference m = {.largest = 1e-300}, n = {.largest = 1e-300};
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
