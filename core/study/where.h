/* where.h - the conditions of --where: which runs a command uses. */
#ifndef WHERE_H
#define WHERE_H

#include "study/run_values.h"

/* Keeps only the runs that meet a list of conditions, such as
   "d-k=8,d-k=16,lr<=0.01,seed=1..3". The names in it are explained in
   run_values.h. A run that has no value for a name is kept, because the setting
   would not change it. Exits (2) if a condition cannot be read, or if no run
   meets it. */
void keep_where(Experiment *e, const char *where);

#endif
