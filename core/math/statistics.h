/* statistics.h - what results over several seeds can tell: intervals, tests,
   and how many seeds a test needs. A seed gives one value. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <math.h>
#include <stdbool.h>

/* A mean or median of n values and its 95% interval. All are NaN if n is 0 or a
   value is NaN. If n is 1, the interval is that one value. */
typedef struct Mean {
    double mean, low, high;
} Mean;

/* The mean and its interval by Student's t. The interval covers the true mean
   in 95% of cases if the data are normal, and less often if they have one long
   tail (exponential: 88% with 3 seeds, 92% with 20). It says little about seeds
   that fall into two clusters; use a median or a fraction for these. For two
   seeds it would be 13 times as wide as the distance between their values. So
   with fewer than INTERVAL_SEEDS values the interval goes from the smallest
   value to the largest. */
enum { INTERVAL_SEEDS = 3 };
Mean mean_interval(const double *x, int n);

/* The median (if n is even, the mean of the middle two values) and its interval
   by order statistics: from the k-th smallest to
   the k-th largest value. This covers the true median with a probability that
   does not depend on the distribution (David and Nagaraja 2003, 7.1). k is the
   largest for which the probability is at least 95%. Fewer than MEDIAN_SEEDS
   values have no such interval; for them it goes from the smallest value to the
   largest. A value may be infinite. */
enum { MEDIAN_SEEDS = 6 };
Mean median_interval(const double *x, int n);

/* How far the mean of some values is from the baseline's mean. Everything is
   NaN if n < 2 or a value is not finite. */
typedef struct Contrast {
    double mean, low, high; /* the difference of the means, its 95% interval */
    double deviation;       /* the standard deviation of the difference of two
                               values, one of each sample */
    double error;           /* the standard error of `mean` */
    double freedom;         /* the degrees of freedom of that error */
    double per_seed; /* how much `freedom` grows with one more seed in both
                        samples */
    double differ; /* p-value: how likely a mean this far from 0 is if there is
                      no true difference */
    double same;   /* p-value: how likely a mean this close to 0 is if the true
                      difference is at least the margin in either direction (two
                      one-sided tests, Schuirmann 1987); NaN without a margin */
    bool by_signs; /* do the p-values come from signs instead of t? */
    int n;         /* the number of pairs, or of values of the smaller sample */
} Contrast;
extern const Contrast unknown_contrast; /* everything is NaN, and n is 0 */

/* Compares n pairs of values by their differences x_i - base_i. If all
   differences are equal, t is not defined and the signs are counted instead:
   `differ` is 2^(1 - n), or 1 if the differences are 0, and `same` is 2^-n if
   they are below the margin, else 1. */
Contrast paired_t(const double *x, const double *base, int n, double margin);

/* Compares n values with m values of the baseline. They are not paired, and
   their variances may differ (Welch 1947). If neither varies, t is not defined:
   the interval and the p-values are NaN, except that `differ` is 1 if the means
   are equal. */
Contrast welch_t(const double *x, int n, const double *base, int m,
                 double margin);

/* p = P(|T| > |t|) if T has Student's t distribution with `freedom` degrees of
   freedom, at least 1. student_t is the inverse: the t that has this p. */
double student_p(double t, double freedom);
double student_t(double p, double freedom);

/* The margin of a test that only asks for a difference. */
#define NO_MARGIN NAN

/* The probability that a test with these degrees of freedom shows a difference
   (if the margin is NO_MARGIN) or sameness within the margin, at the level
   alpha. The true difference and the margin are in standard errors of the mean
   difference.
 */
double chance_to_show(double difference, double margin, double freedom,
                      double alpha);

/* The smallest true difference, in standard errors, that a test with these
   degrees of freedom shows at the level alpha with a probability of 80%. */
double detectable(double freedom, double alpha);

/* The smallest number of seeds, more than d->n, that show a difference, or
   sameness within the margin, with a probability of 80%, if d->mean is the true
   difference. NaN if more than 10,000 seeds are needed. */
double seeds_to_tell(const Contrast *d, double margin, double alpha);

/* Adjusts n p-values for testing n hypotheses at once. Afterwards the
   probability that any true hypothesis has a p-value below some level is at
   most that level (Holm 1979). At most `true_together` of the hypotheses can be
   true at once, so no p-value is multiplied by more than that (Shaffer 1986).
   NaN entries are not counted and stay NaN. */
void holm(double *p, int n, int true_together);

#endif
