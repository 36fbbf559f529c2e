/* grid.h - from options to the list of runs that they ask for. */
#ifndef GRID_H
#define GRID_H

#include "run/describe.h"
#include "run/request.h"
#include "run/experiment.h"

typedef struct Job {
    Config config;
    char *name; /* of its run */
    bool read;  /* it was there before: */
    Run run;
} Job;

typedef struct Grid {
    Manifest asked; /* the command that it is of */
    Job *jobs;
    int count;
    Facts *variants; /* one for each variant asked for, and behind them those of
                        encoder and cross-attention */
    int variant_count;
    void *names;      /* of all jobs, a tree of them */
    const char *from; /* the run that they begin as, or NULL */
} Grid;

/* What a command is asked: settings as they were given, baseline and judge.
   grid_of takes it, and keeps it. */
Manifest manifest_of(const Request *o, const char *command);

/* Every combination of what was given, each run once, tasks outermost and
   seeds innermost. Exits on anything that is wrong with any of them. */
Grid grid_of(const Request *o, Manifest asked);
void grid_free(Grid *g);

/* Gives a job of it another learning rate, and its run the name that has it. */
void grid_rate(Grid *g, Job *job, double lr);

/* The settings of a task, before any option, resolved for a variant. */
Config ordinary_config(const char *task, const char *variant, const char *uses);

#endif
