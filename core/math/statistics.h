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

/* From so many numbers on it is an interval: of fewer, one resample in 27 or
   more has the smallest alone, and low and high are the smallest and the
   largest. */
enum { INTERVAL_SEEDS = 4 };

/* Paired differences x_i - base_i of n seeds: their mean, and how probable one
   as far from 0 is where there is no difference: two-sided, from Student's t
   with n - 1 degrees of freedom. NaN where n < 2 or a number is. Where all
   differences are equal there is no spread to go by: p is 1 for 0, else that of
   n equal signs, 2^(1 - n). */
typedef struct Paired {
    double difference, p;
    int n;
} Paired;
Paired paired_t(const double *x, const double *base, int n);

/* P(|T| > |t|) of Student's t with `freedom` degrees of freedom (Abramowitz
   and Stegun 1964, 26.7.3 and 26.7.4: finite sums). */
double student_p(double t, int freedom);

/* Adjusts n p-values so that of all that come out below a level, one is wrong
   with no more than that probability (Holm 1979). NaN stay, and do not
   count. */
void holm(double *p, int n);

/* The median; of an even number, the mean of the middle two. Sorts x. */
double median(double *x, int n);

#endif
