/* judge_csv.h - judges the results in any table, a CSV or TSV file, with the
   same tests and verdicts as the runs of an experiment. A row of the table is
   one run: its method, its seed and its results.

   Nothing is guessed from the table. The question names the columns and the
   baseline, and says for each result whether less or more is better. */
#ifndef JUDGE_CSV_H
#define JUDGE_CSV_H

#include "study/verdict.h"

/* The options of `qkv judge`. An option that was not given is NULL
   or false. */
typedef struct Question {
    const char *method; /* the column with the method of a row */
    const char *seed;   /* the column by which rows of two methods are paired */
    bool unpaired;      /* true if a method's seeds may differ from the
                           baseline's */
    const char *lower;  /* results that should be low: "loss,time" */
    const char *higher; /* results that should be high */
    const char *solved_at; /* results that are steps to a threshold. They should
                              be low; a run that did not reach it has NA */
    const char *baseline;  /* the name of a method */
    const char *margin;    /* a list, such as "loss=0.01,steps=5%" */
} Question;

/* A method's values of one result, compared with the baseline's values. */
typedef struct Entry {
    const char *result, *method;
    bool steps; /* true if the result is a number of steps to a threshold */
    bool less_is_better;
    double *x;     /* the values, in the order of the seeds; INFINITY for NA */
    int n, solved; /* how many values there are, and how many are not NA */
    Mean mean;     /* the mean of the values, or the median if they are steps */
    bool paired;   /* true if the values are compared in pairs, seed by seed */
    const struct Entry *base; /* the baseline's entry, which may be this one */
    Comparison comparison;
} Entry;

typedef struct Judgement {
    const Question *question;
    Entry **list; /* result by result, methods in the order of the table */
    int count, capacity;
    int rows, methods; /* how many the table has */
    int comparisons;   /* p-values are adjusted for this number of tests */
} Judgement;

/* Judges the table in a file (base/csv.h). Exits (2) if the question does not
   fit the table: a column or method is missing, no result is named, or a method
   has other seeds than the baseline and `unpaired` is false. Exits (1) if a row
   has no method or no seed, if a method has a seed twice, or if a cell of a
   result is not a finite number; NA is allowed in `solved_at`. */
Judgement judge(const char *path, const Question *question);

#endif
