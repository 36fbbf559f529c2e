/* judge_csv.h - judges the results in anybody's table, a CSV or TSV file, by
   the same tests and in the same words as the runs of an experiment. A row of
   the table is one run: its method, its seed and its results.

   Nothing is guessed from the table. The question names its columns and the
   baseline, and says for each result whether less or more is better. */
#ifndef JUDGE_CSV_H
#define JUDGE_CSV_H

#include "study/verdict.h"

/* The options of `qkv judge`; NULL: not given. */
typedef struct Question {
    const char *method; /* the column with the method of a row */
    const char *seed;   /* the column by which rows of two methods are paired */
    bool unpaired;      /* true if a method's seeds may differ from the
                           baseline's */
    const char *lower;  /* a list of results; less is better */
    const char *higher; /* a list of results; more is better */
    const char *solved_at; /* a list of results that are steps to a threshold:
                              less is better, and a run that did not reach it
                              has NA */
    const char *baseline;  /* a method */
    const char *margin;    /* "loss=0.01,steps=5%" */
} Question;

/* A method's values in a result, and their comparison with the baseline's. */
typedef struct Entry {
    const char *result, *method;
    bool steps; /* true if the result is a number of steps to a threshold */
    bool less_is_better;
    double *x;     /* the values, in the order of the seeds; infinite for NA */
    int n, solved; /* how many values there are, and how many are not NA */
    Mean mean;     /* the values' mean; of steps, their median */
    bool paired;   /* true if the values are compared in pairs, seed by seed */
    const struct Entry *base; /* the baseline's entry, which may be this one */
    Comparison comparison;
} Entry;

typedef struct Judgement {
    const Question *question;
    Entry **list; /* result by result, methods in the order of the table */
    int count, capacity;
    int rows, methods; /* of the table */
    int comparisons;   /* the number for which the p-values are adjusted */
} Judgement;

/* Judges the table of a file (csv.h). Exits (2) if the question does not fit
   the table: a column or method is missing, no result is named, or a method has
   other seeds than the baseline and `unpaired` is not set. Exits (1) if a cell
   of a result is no finite number, or if a method has a seed twice. */
Judgement judge(const char *path, const Question *question);

#endif
