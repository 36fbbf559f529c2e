/* grid.h - a command's request, and the list of runs that it describes. */
#ifndef GRID_H
#define GRID_H

#include "run/experiment.h"

/* How runs are trained, and where they are written. */
typedef struct Work {
    const char *out;  /* the directory of the experiment */
    const char *from; /* the run with whose weights training begins, or NULL */
    /* How many runs are trained at once; the threads of each run; and its
       memory limit in megabytes, 0 if none was given. */
    int jobs, threads, memory;
    bool no_weights, quiet; /* keep no trained weights; print no notes */
} Work;

/* What the user asked of a command that makes or compares runs. */
typedef struct Request {
    Values *given;      /* indexed as settings[]; count 0: not given */
    const Config *base; /* gives the settings that the user left out; NULL: the
                           task's defaults do */
    Work work;
    /* What is compared, as in the record (experiment.h); NULL: not given. */
    const char *by, *baseline, *judge, *margin;
    const char *where; /* "lr=0.01": only runs with that value; or NULL */
} Request;

/* The values given to the setting of that name. */
Values *given_to(const Request *r, const char *setting);

/* Sets c's settings to the values that were given; of a list, to the first. */
void request_apply(const Request *r, Config *c);

/* Exits (2) if a setting was given that is not in the list `uses`, because it
   would change nothing. Checks only the settings in the list `checked`, which
   may be ALL_SETTINGS. */
#define ALL_SETTINGS NULL
void refuse_unused(const Request *r, const char *checked, const char *uses);

/* A run that is to be trained, unless it is done. */
typedef struct Job {
    Config config;
    char *name; /* of its run */
    bool done;  /* its run is finished */
    bool stale; /* true if the existing run was trained with another build of
                   its plugin */
} Job;

/* The runs that a command describes. */
typedef struct Grid {
    char *line; /* of the command in the record (experiment.h) */
    Job *jobs;
    int count, capacity;
    void *names; /* the set of the runs' names (add_word) */
} Grid;

/* The runs of every combination of the given values, each once: task by task,
   variant by variant, and the seeds of a combination together. Exits if one of
   them cannot be trained. */
Grid grid_of(const Request *r, const char *command);

/* For qkv compare --plan: prints a `qkv train` line for each run. A shell can
   run the lines in any order, at the same time, and again. The lines have no
   --memory and no --threads, because these depend on the machine. */
void plan_print(const Work *w, const Grid *g);

#endif
