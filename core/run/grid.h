/* grid.h - what a command asks of runs, and the list of runs that come of it.
 */
#ifndef GRID_H
#define GRID_H

#include "run/experiment.h"

/* How runs are trained, and where they go. */
typedef struct Work {
    const char *out, *from;
    int jobs, threads, memory; /* in megabytes; 0: not given */
    bool no_weights, quiet;
} Work;

typedef struct Request {
    Values *given;      /* by place in settings[]; count 0: not given */
    const Config *base; /* what is not given; NULL: as its task has it */
    Work work;
    const char *by, *baseline, *judge, *margin; /* or NULL */
    const char *where; /* "lr=0.01": only runs with that value */
} Request;

/* The values given to the setting of that name. */
Values *given_to(const Request *r, const char *setting);

/* Gives what was given to settings to c, of a list the first. */
void request_apply(const Request *r, Config *c);

/* Exits for a setting that was given and is not among `uses`, since it would
   change nothing: of SHAPE_OPTIONS, those that variants use (variant_uses); or,
   if `of` is NULL, of all settings. */
void request_used(const Request *r, const char *of, const char *uses);

typedef struct Job {
    Config config;
    char *name; /* of its run */
    bool done;  /* its run is there, */
    bool stale; /* or is, but of another build of its plugin */
} Job;

typedef struct Grid {
    char *asked; /* the line of the command that it is of */
    Job *jobs;
    int count, room;
    void *names; /* of their runs, a set, while it is made (word_added) */
} Grid;

/* Every combination of what was given, each run once, tasks outermost and
   seeds innermost. Exits on anything that is wrong with any of them. */
Grid grid_of(const Request *o, const char *command);

/* qkv compare --plan: prints a `qkv train` line for each run; any shell can run
   each of them, any number of times, beside any other. --memory
   and --threads are to be added to them. */
void plan_print(const Work *w, const Grid *g);

#endif
