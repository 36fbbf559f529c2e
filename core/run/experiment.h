/* experiment.h - a directory of runs, with the record of what was asked. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "run/manifest.h"
#include "run/run.h"

/* Makes the experiment's directory, or checks that it is one, and records what
   is asked of it. */
void experiment_open(const char *directory, const char *asked);

/* The trained runs of one or several experiments, each once, and all that was
   asked there. */
typedef struct Experiment {
    Run *runs;
    int count, room; /* runs that equiv made are left out */
    Values asked;    /* the lines of the records */
    bool unrecorded; /* some of it has no record: nobody says what varies */
} Experiment;

/* Reads them. A path is an experiment's directory, or a run, whose record is
   that of the experiment around it. A run that is in several places counts
   once. Fails where two have one name and different results, and where there
   is none. */
Experiment experiment_read(const char *const *paths, int count);
void experiment_free(Experiment *e);

/* Was the setting given to a command that is recorded? Where there is no
   record, any may have been. */
bool experiment_asks(const Experiment *e, const char *setting);

/* What the last command said under that key that said anything, or NULL. */
const char *experiment_said(const Experiment *e, const char *key);

#endif
