/* statistics.h - what is said of several seeds. */
#ifndef STATISTICS_H
#define STATISTICS_H

/* A mean, and the interval that holds it with 95% by the percentile bootstrap
   (Efron and Tibshirani 1993, chapter 13; 1000 resamples, one fixed stream).
   NaN where n is 0 or a number is NaN; a point where n is 1. */
typedef struct Mean {
    double mean, low, high;
} Mean;
Mean bootstrap(const double *x, int n);

/* The median; of an even number, the mean of the middle two. Sorts x. */
double median(double *x, int n);

#endif
