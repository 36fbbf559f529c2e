/* statistics.h - intervals and tests for results over several seeds, and the
   number of seeds that a test needs. Each seed gives one value. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <math.h>
#include <stdbool.h>

/* A mean or median of n values and its 95% interval. All three fields are NaN
   if n is 0. If n is 1, all three are that value. */
typedef struct Mean {
    double mean, low, high;
} Mean;

/* The mean and its interval by Student's t. The interval covers the true mean
   in 95% of cases if the data are normal, and less often if they have one long
   tail (exponential: 88% with 3 seeds, 92% with 20). It says little about seeds
   that fall into two clusters; use a median or a fraction for these. With two
   seeds the interval would be 13 times as wide as the distance between their
   values. So with fewer than INTERVAL_SEEDS values it goes from the smallest
   value to the largest. If a value is NaN, so are the mean and its interval. */
enum { INTERVAL_SEEDS = 3 };
Mean mean_interval(const double *x, int n);

/* The median (if n is even, the mean of the middle two values) and its interval
   by order statistics, from the k-th smallest to the k-th largest value. This
   interval covers the true median with a probability that does not depend on
   the distribution (David and Nagaraja 2003, 7.1). k is the largest number for
   which the probability is at least 95%. Fewer than MEDIAN_SEEDS values have no
   such interval; theirs goes from the smallest value to the largest. A value
   may be infinite, but not NaN. */
enum { MEDIAN_SEEDS = 6 };
Mean median_interval(const double *x, int n);

/* The difference between the mean of some values and the baseline's mean. All
   its numbers except n are NaN if n < 2 or a value is not finite. */
typedef struct Contrast {
    double mean, low, high; /* the difference, and its 95% interval */
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
    bool by_signs; /* whether the p-values come from signs, not from t */
    int n;         /* the number of pairs, or of values of the smaller sample */
} Contrast;
extern const Contrast unknown_contrast; /* its numbers are NaN, and n is 0 */

/* Compares n pairs of values by their differences x_i - base_i. If all
   differences are equal, t is not defined, and the p-values come from the signs
   of the differences. Then `differ` is 2^(1 - n), or 1 if the differences are
   0; `same` is 2^-n if they are below the margin, and otherwise 1. */
Contrast paired_t(const double *x, const double *base, int n, double margin);

/* Compares n values with m values of the baseline. The two samples are not
   paired, and their variances may differ (Welch 1947). If neither sample
   varies, t is not defined: the interval and the p-values are NaN, except that
   `differ` is 1 if the means are equal. */
Contrast welch_t(const double *x, int n, const double *base, int m,
                 double margin);

/* p = P(|T| > |t|) if T has Student's t distribution with `freedom` degrees of
   freedom, at least 1. */
double student_p(double t, double freedom);

/* The inverse of student_p: the t >= 0 that has this p. */
double student_t(double p, double freedom);

/* The margin of a test that only asks for a difference. */
#define NO_MARGIN NAN

/* The probability that a test with these degrees of freedom, at the level
   alpha, shows a difference or, unless the margin is NO_MARGIN, sameness within
   the margin. `difference`, the true difference, and the margin are in standard
   errors of the mean difference. */
double chance_to_show(double difference, double margin, double freedom,
                      double alpha);

/* The smallest true difference, in standard errors, that a test with these
   degrees of freedom shows at the level alpha with a probability of 80%. */
double detectable(double freedom, double alpha);

/* The smallest number of seeds, more than d->n, with which a test at the level
   alpha shows either a difference or sameness within the margin with a
   probability of 80%, if d->mean is the true difference. NaN if more than
   10,000 seeds are needed. */
double seeds_to_tell(const Contrast *d, double margin, double alpha);

/* Adjusts n p-values for testing n hypotheses at once. Afterwards, for any
   level, the probability that some true hypothesis has a p-value below this
   level is at most the level (Holm 1979). At most `true_together` of the
   hypotheses can be true at once, so no p-value is multiplied by more than this
   number (Shaffer 1986). NaN entries are not counted, and stay NaN. Two notes
   name the method (study/verdict_table.c, driver/judge.c). */
void holm(double *p, int n, int true_together);

#endif
