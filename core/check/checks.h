/* checks.h - the checks of a plugin: a function for each line of `qkv check`.

   Each check runs in its own process, at every shape and in every layer, and
   frees nothing. It writes its result to s->found, or ends the process: with
   `fail` if something is wrong, with `bug` if the later checks would fail for
   the same reason. */
#ifndef CHECKS_H
#define CHECKS_H

#include "check/subject.h"

/* calls.c: what holds in any precision. */
Check check_shapes;    /* Does forward work in every way it may be called? */
Check check_repeats;   /* Does it keep nothing from one call to the next? */
Check check_causality; /* Does an output depend on later tokens only without a
                          mask? */
Check check_queries;   /* Do keys and values come only from y? */
Check check_batches;   /* Are sequences of a batch independent? */
Check check_decoding;  /* Does decoding one token at a time give the same
                          outputs? */

/* gradients.c and form.c: small differences, which need double precision. */
Check check_use;       /* Does the output depend on every matrix? */
Check check_gradients; /* Are gradients the slopes of the function? */
Check check_form;      /* Does it have a canonical form? */
Check check_equation;  /* Do the code and the equation agree with the form? */
Check check_fit;       /* Does fit give back the variant's own form? */

#endif
