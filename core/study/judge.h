/* judge.h - a table of anybody's results, judged by the same tests and words as
   the runs of an experiment.

   Nothing is guessed from the table: the question names its columns, the
   baseline, and which way each result is better. */
#ifndef JUDGE_H
#define JUDGE_H

#include "study/question.h"
#include "study/verdict.h"

/* How a method did in a result. */
typedef struct Entry {
    const char *result, *method;
    bool steps, less;
    double *x;     /* in the order of the seeds; NA is infinite */
    int n, solved; /* how many there are, and how many are not infinite */
    Mean mean;     /* of steps: the median */
    bool paired;   /* is the comparison by pairs? */
    const struct Entry *base; /* the baseline's, which may be this one */
    Comparison against;
} Entry;

typedef struct Judgement {
    const Question *asked;
    Entry **list; /* result by result, methods in the order of the table */
    int count, capacity, rows, methods;
    int comparisons; /* for how many the p-values are adjusted */
} Judgement;

/* Judges the table of a file (csv.h). Exits (2) if the question does not fit
   the table: a column, method or direction is missing, or a method has other
   seeds than the baseline and unpaired is not set. Exits (1) if a cell is no
   finite number, or if a method has a seed twice. */
Judgement judge(const char *path, const Question *asked);

#endif
