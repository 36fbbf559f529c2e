/* statistics.h - what several seeds tell: intervals, tests, and how many seeds
   a test needs. */
#ifndef STATISTICS_H
#define STATISTICS_H

/* A value and its 95% interval. NaN where n is 0 or a number is NaN; a point
   where n is 1. */
typedef struct Mean {
    double mean, low, high;
} Mean;

/* The mean, by Student's t. Covers 95% of normal data; with a long tail to one
   side less (an exponential: 88% at 3 seeds, 92% at 20). Of seeds that fall
   into two heaps it says little: those want a median or a share. Two seeds
   would have one of 13 times their distance, and get the two themselves. */
enum { INTERVAL_SEEDS = 3 };
Mean mean_interval(const double *x, int n);

/* The median, by order statistics: its chance to lie between the k-th smallest
   and the k-th largest value is the same whatever the distribution (David and
   Nagaraja 2003, 7.1). The narrowest such interval that covers 95%; fewer than
   MEDIAN_SEEDS have none, and get the smallest and the largest. Sorts x;
   infinite values are later than all. */
enum { MEDIAN_SEEDS = 6 };
Mean median_interval(double *x, int n);

/* The median; of an even number, the mean of the middle two. Sorts x. */
double median(double *x, int n);

/* Paired differences x_i - base_i of n seeds: their mean with its 95% interval,
   their standard deviation, and two tests by Student's t with n - 1 degrees of
   freedom. `differ`: how probable a mean as far from 0 is where there is no
   difference. `same`: how probable one as near to 0 is where the difference is
   the margin or more, either way (two one-sided tests, Schuirmann 1987); NaN
   without a margin. All NaN where n < 2 or a number is not finite. Where all
   differences are equal there is no spread to go by, and their signs are
   counted: 2^(1 - n) to differ, 1 if they are 0; 2^-n to be the same. */
typedef struct Paired {
    double difference, low, high, deviation, differ, same;
    int n;
} Paired;
Paired paired_t(const double *x, const double *base, int n, double margin);

/* P(|T| > |t|) of Student's t with `freedom` degrees of freedom (Abramowitz
   and Stegun 1964, 26.7.3 and 26.7.4: finite sums), and the t that has it. */
double student_p(double t, int freedom);
double student_t(double p, int freedom);

/* The chance that n seeds show a true difference at the level alpha, or that
   they show, where there is a margin (not NaN), that it is smaller. Difference
   and margin are in standard deviations of the paired differences. */
double chance_to_show(double difference, double margin, int n, double alpha);

/* The smallest difference, in those units, that n seeds show with a chance of
   80%. */
double detectable(int n, double alpha);

/* How many seeds, more than n, would show with a chance of 80% either that such
   a difference is one or that it is within the margin; NaN: more than 10,000.
 */
double seeds_to_tell(double difference, double margin, int n, double alpha);

/* Adjusts n p-values so that of all that come out below a level, one is wrong
   with no more than that probability (Holm 1979), where at most so many of the
   hypotheses that they test can be true together (Shaffer 1986). NaN stay, and
   do not count. */
void holm(double *p, int n, int true_together);

#endif
