/* formula.h - how many parameters are real at shapes too large to measure.

   The count is a polynomial with integer or half-integer coefficients in the
   widths, as long as these keep their order: a product of rank d_k is another
   thing where d_k is above d_model. So it is fitted to small shapes of the same
   order, and believed only if it is right on others, larger ones, and on some
   of the proportions that are asked for, as large as a few seconds allow. A
   plugin's own settings are fixed at the values that they have. */
#ifndef FORMULA_H
#define FORMULA_H

#include <stdbool.h>

#include "config/find_plugin.h"

/* d_model, heads, kv_heads, d_k, d_v, latent */
enum { SHAPE_NUMBERS = 6, MOST_TERMS = 60 };

/* More parameters than that take longer to measure than a formula to fit. */
enum { MOST_ALIKE = 4000 };

typedef struct Formula {
    bool holds;
    int fitted, checked; /* how many small shapes */
    int together;        /* blocks that were measured as one function */
    int count;
    struct {
        int power[SHAPE_NUMBERS];
        double factor;
    } term[MOST_TERMS];
} Formula;

/* Of v at shapes like a, fitted once for all that are ordered alike, and kept.
 */
const Formula *formula_fit(const Variant *v, Attention a);

/* NaN where it does not hold, or says less than 0 or more than is stored. */
double formula_value(const Formula *f, const Attention *a, double stored);

/* "2 d h k - h k^2", to be freed. */
char *formula_text(const Formula *f);

#endif
