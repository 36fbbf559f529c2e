/* checks.h - the checks of a plugin: a function for each line of `qkv check`.

   Each check has its own process, which calls it at every shape for every
   block, and nothing is freed. A check writes its result to s->found, or ends
   the process: with `fail` if something is wrong, or with `bug` if later checks
   would fail for the same reason. driver/check.c has the table that runs them.
 */
#ifndef CHECKS_H
#define CHECKS_H

#include "check/subject.h"

/* calls.c: checks for which float is precise enough. */
Check check_shapes;    /* Does forward work in every way it may be called? */
Check check_repeats;   /* Does it keep nothing from one call to the next? */
Check check_causality; /* Does an output depend on later tokens only without a
                          mask? */
Check check_queries;   /* Do keys and values come only from y? */
Check check_batches;   /* Are sequences of a batch independent? */
Check check_decoding;  /* Does decoding one token at a time give the same
                          outputs? */

/* gradients.c and form.c: checks that need double precision. */
Check check_use;       /* Does the output depend on every matrix? */
Check check_gradients; /* Are the gradients the slopes of the output? */
Check check_form;      /* Does it have a canonical form? */
Check check_equation;  /* Do the code, the form and the equation agree? */
Check check_fit;       /* Does fit give back the variant's own form? */

#endif
