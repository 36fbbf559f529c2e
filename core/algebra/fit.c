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

/* The form c as `fit` reads it, with `heads` heads. It is the first of a new
   list of forms, *made, which fit frees. */
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
   and copies them into w. A crash in `fit` is blamed on the plugin.
 */
const char *
fit(const Variant *v, const Attention *a, Weights w, const Canonical *c)
{
    const char *refusal = fit_refusal(v, a, c);
    if (refusal)
        return refusal;
    Form *made = NULL;
    const Form *form = form_of(c, a->heads, &made);
    Entries found = {&w, allocate((size_t)w.count, sizeof(double *))};
    for (int i = 0; i < w.count; i++)
        found.at[i] = allocate(entries_of(&w.list[i]), sizeof(double));
    report_call(v, " in fit");
    if (v->fit)
        v->fit(form, a, &found);
    else
        plan_fit(plan_of_variant(v), form, a, &found);
    report_call(NULL, RETURNED);
    for (int i = 0; i < w.count; i++) {
        for (size_t k = 0; k < entries_of(&w.list[i]); k++)
            w.list[i].value[k] = (real)found.at[i][k];
        free(found.at[i]);
    }
    free(found.at);
    free_list(made);
    return NULL;
}

/* Returns s M or N, chosen by `which`, of head h of c; returns `none` if c does
   not have that head. */
static const double *
matrix_of_head(const Canonical *c, int which, int h, const double *none)
{
    const double *all = which == M ? c->m : c->n;
    return h < c->heads ? all + h * c->size : none;
}

/* Returns the norm of the difference of two arrays of `count` entries over that
   of the wanted one; 1 if that is 0 and the other is not. Also adds their
   entries to *apart. */
static double
share_lost(const double *now, const double *wanted, int count,
           Difference *apart)
{
    double wanted_squares = 0, lost_squares = 0;
    for (int k = 0; k < count; k++) {
        double off = wanted[k] - now[k];
        compare_entries(apart, now[k], wanted[k]);
        lost_squares += off * off;
        wanted_squares += wanted[k] * wanted[k];
    }
    if (lost_squares == 0)
        return 0;
    return wanted_squares > 0 ? sqrt(lost_squares / wanted_squares) : 1;
}

/* Compares the forms head by head; the head that lost most counts. */
FitError
fit_error(const Canonical *now, const Canonical *wanted)
{
    FitError f = {0};
    int heads = now->heads > wanted->heads ? now->heads : wanted->heads;
    double *none = allocate((size_t)now->size, sizeof *none);
    for (int which = M; which <= N; which++) {
        /* if all wanted entries are 0, any other value counts as a large
           error */
        Difference apart = {.largest = 1e-300};
        for (int h = 0; h < heads; h++) {
            const double *found = matrix_of_head(now, which, h, none);
            const double *given = matrix_of_head(wanted, which, h, none);
            double lost = share_lost(found, given, now->size, &apart);
            if (h > 0 && lost <= f.lost[which]) /* another head lost more */
                continue;
            f.lost[which] = lost;
            f.rank[which] = spectrum_of(given, now->d_model).rank;
            f.kept[which] = spectrum_of(found, now->d_model).rank;
        }
        if (which == N) /* the constant is part of the output, as N is */
            share_lost(now->constant, wanted->constant, now->d_model, &apart);
        f.apart = fmax(f.apart, relative_difference(apart));
    }
    free(none);
    return f;
}
