/* grid.h - a command's request, and the list of runs that it describes. */
#ifndef GRID_H
#define GRID_H

#include "run/experiment.h"

/* How runs are trained, and where they are written. */
typedef struct Work {
    const char *out, *from;
    int jobs, threads, memory; /* in megabytes; 0: not given */
    bool no_weights, quiet;
} Work;

typedef struct Request {
    Values *given;      /* indexed as settings[]; count 0: not given */
    const Config *base; /* for settings not given; NULL: the task's defaults */
    Work work;
    const char *by, *baseline, *judge, *margin; /* or NULL */
    const char *where; /* "lr=0.01": only runs with that value */
} Request;

/* The values given to the setting of that name. */
Values *given_to(const Request *r, const char *setting);

/* Sets c's settings to the given values; of a list, to the first. */
void request_apply(const Request *r, Config *c);

/* Exits (2) if a setting was given that `uses` does not list, since it would
   change nothing. Checks only the settings that `of` lists, or all if `of` is
   NULL. */
void request_used(const Request *r, const char *of, const char *uses);

typedef struct Job {
    Config config;
    char *name; /* of its run */
    bool done;  /* its run is finished */
    bool stale; /* its run was trained with another build of its plugin */
} Job;

typedef struct Grid {
    char *line; /* of its command in the record (experiment.h) */
    Job *jobs;
    int count, capacity;
    void *names; /* the set of the runs' names (add_word) */
} Grid;

/* The runs of every combination of the given values, each once: task by task,
   variant by variant, and the seeds of a combination together. Exits if one of
   them cannot be trained. */
Grid grid_of(const Request *o, const char *command);

/* For qkv compare --plan: prints a `qkv train` line for each run. A shell can
   run the lines in any order, at the same time, and again. Add --memory and
   --threads to them yourself. */
void plan_print(const Work *w, const Grid *g);

#endif
