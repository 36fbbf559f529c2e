/* factor.h - the form and the entries that a plugin's `fit` works on. */
#ifndef FACTOR_H
#define FACTOR_H

#include <qkv/variant.h>

#include "heart/model.h"

/* Of each head of the variant that is fitted M_i, its scale in it, and N_i
   turned over, so that the columns of both are for y; 0 for a head that the
   form lacks. Each has d_model + 1 rows, the last for a bias, and `width`
   columns: d_model, except after through(). */
struct Form {
    int heads, d_model, width;
    double *of[2];          /* all M_i, and all N_i' */
    const double *constant; /* of the output */
    Form **made; /* by through() and one_head(): a list, freed with this one */
    Form *next;
};

struct Entries {
    const Weights *declared;
    double **at;
};

/* A form like f, with this number of heads and this width, all 0. It is freed
   with f. */
Form *form_like(const Form *f, int heads, int width);

/* A row of head i, of M or of N'. */
enum { M, N };
double *row_of(const Form *f, int which, int i, int row);

#endif
