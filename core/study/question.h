/* question.h - what is asked about a table of anybody's results (judge.h). */
#ifndef QUESTION_H
#define QUESTION_H

#include <stdbool.h>

/* Names of columns; NULL: not given. */
typedef struct Question {
    const char *method; /* names the method of a row */
    const char *seed;   /* rows of two methods with the same one are a pair */
    bool unpaired;      /* may methods have other seeds than the baseline? */
    const char *lower;  /* a list of results of which less is better, */
    const char *higher; /* one of those of which more is, */
    const char *solved_at; /* and one of steps to a threshold, of which less is
                              better, and NA is a run that did not reach it */
    const char *baseline;  /* a method */
    const char *margin;    /* "loss=0.01,steps=5%" */
} Question;

#endif
