/* grid.h - what the user asks of a command, and the list of runs that this
   describes. */
#ifndef GRID_H
#define GRID_H

#include "run/experiment.h"

/* How runs are trained, and where they are written. */
typedef struct Work {
    const char *out;  /* the directory of the experiment */
    const char *from; /* the run whose weights training begins with, or NULL */
    int jobs;         /* how many runs are trained at once */
    int threads;      /* of each run */
    int memory;       /* the limit of each run in megabytes; 0: not given */
    bool no_weights, quiet; /* keep no trained weights; print no progress */
} Work;

/* What the user asked of a command that makes or compares runs. */
typedef struct Request {
    Values *given;      /* the values of each setting, in the order of
                           settings[]; count is 0 if none were given */
    const Config *base; /* has the settings that the user left out; if NULL,
                           these have the task's defaults */
    Work work;
    /* What is compared, as in the record (experiment.h); NULL: not given. */
    const char *by, *baseline, *judge, *margin;
    const char *where; /* "lr=0.01": only runs with that value; or NULL */
} Request;

/* The values given to the setting of that name. */
Values *given_to(const Request *r, const char *setting);

/* Gives c the settings that the user gave. Of several values, it gets the
   first. */
void request_apply(const Request *r, Config *c);

/* Exits (2) if a setting was given that is not in the list `uses` ("heads
   d-k"), because it would change nothing. Checks only the settings in the list
   `checked`, or all of them if that is ALL_SETTINGS. */
#define ALL_SETTINGS NULL
void refuse_unused(const Request *r, const char *checked, const char *uses);

/* A run that a command needs. */
typedef struct Job {
    Config config;
    char *name; /* of the run */
    bool done;  /* true if the run exists, so it is not trained again */
    bool stale; /* true if a run of this name exists that was trained with
                   another build of its plugin */
} Job;

/* The runs that a command describes. */
typedef struct Grid {
    char *line; /* the command's line in the record (experiment.h) */
    Job *jobs;
    int count, capacity;
    void *names; /* the set of the runs' names (add_word) */
    void *notes; /* the set of the notes that were printed */
} Grid;

/* The runs of all combinations of the given values, each once: task by task,
   variant by variant, and the seeds of a combination one after the other. Exits
   if one of the runs cannot be trained. */
Grid grid_of(const Request *r, const char *command);

/* For qkv compare --plan: prints a `qkv train` line for each run. A shell can
   run the lines in any order, at the same time, and again. The lines have no
   --memory and no --threads, because these depend on the machine. */
void plan_print(const Work *w, const Grid *g);

#endif
