/* grid.h - from options to the list of runs that they ask for. */
#ifndef GRID_H
#define GRID_H

#include "run/experiment.h"
#include "run/request.h"

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
