/* factor.h - the form and the entries that a plugin's `fit` works on. */
#ifndef FACTOR_H
#define FACTOR_H

#include <qkv/variant.h>

#include "heart/model.h"

/* A canonical form, with s_i M_i and the transposed N_i' of each head, so that
   the columns of both belong to y. Heads of the fitted variant that the form
   lacks are 0. Each matrix has d_model + 1 rows, the last for a bias, and
   `width` columns: d_model, except after through(). */
struct Form {
    int heads, d_model, width;
    double *of[2];          /* of[M]: all s_i M_i; of[N]: all N_i' */
    const double *constant; /* the constant of the output */
    Form **made; /* the list of all forms made from one another; freed whole */
    Form *next;  /* in that list */
};

struct Entries {
    const Weights *declared;
    double **at;
};

/* A form like f, with this number of heads and this width, all 0. It joins the
   list *f->made. */
Form *form_like(const Form *f, int heads, int width);

/* Row `row` of head i, in M_i (which M) or in N_i' (which N). */
enum { M, N };
double *row_of(const Form *f, int which, int i, int row);

#endif
