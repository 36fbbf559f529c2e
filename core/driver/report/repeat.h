/* repeat.h - the commands that make the runs of an experiment again. */
#ifndef REPEAT_H
#define REPEAT_H

#include "driver/results/group.h"

/* The values of a setting in all runs that have a say in it, in their order,
   each once; or as they were `given`: paths whole, and none that is empty. */
Values values_in(const Run *runs, int count, const char *setting, bool given);

/* A `qkv compare` line for each task, into directory `out`; *exact where it
   makes as many runs as there are. To be freed. */
char *commands_of(const Run *runs, int count, const char *out, bool *exact);

#endif
