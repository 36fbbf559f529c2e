/* factor.h - what a plugin's `fit` works on: the canonical form that it reads,
   and the entries of the matrices that it fills (variant.h). */
#ifndef FACTOR_H
#define FACTOR_H

#include <qkv/variant.h>

#include "heart/model.h"

/* A canonical form, as a fit sees it: s_i M_i and N_i', the transpose of N_i,
   of each head, so that the columns of both belong to y. It has all heads of
   the fitted variant; the matrices of heads that the canonical form lacks are
   0. Each matrix has d_model + 1 rows and `width` columns. The last row of M_i
   is a bias; that of N_i' is 0. `width` is d_model, except in the result of
   through() or values_behind(). */
struct Form {
    int heads, d_model, width;
    double *m, *n;          /* all s_i M_i, and all N_i' */
    const double *constant; /* the constant of the output */
    Form **made; /* where the list of all forms that one fit makes begins; they
                    are freed after the fit */
    Form *next;  /* the next form of that list, or NULL */
};

/* The matrices that a fit fills: at[i] is the declared matrix i, row by row. */
struct Entries {
    const Weights *declared;
    double **at;
};

/* A new form with this number of heads and this width, whose M_i and N_i' are
   0; everything else is as in f. It joins the list *f->made. */
Form *form_like(const Form *f, int heads, int width);

/* Row `row` of the matrix of a head. `matrices` is f->m for M_i, or f->n for
   N_i'. The matrices of all heads follow one another. */
double *row_of(const Form *f, double *matrices, int head, int row);

#endif
