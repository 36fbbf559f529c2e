/* checks.h - the checks of a plugin: a function for each line of `qkv check`.

   Each runs in its own process, at every shape, which then ends: nothing is
   freed. It says in s->found what it has found, or ends that process: by `fail`
   if something is wrong, by `bug` if the checks after it would fail for the
   same reason. */
#ifndef CHECKS_H
#define CHECKS_H

#include "check/subject.h"

/* calls.c: what holds in any precision. */
Check check_shapes;    /* Does forward work in every way it may be called? */
Check check_repeats;   /* Does it keep nothing from one call to the next? */
Check check_causality; /* Does an output see later tokens only if unmasked? */
Check check_queries;   /* Do keys and values come from y alone? */
Check check_batches;   /* Is a sequence among others what it is alone? */
Check check_decoding;  /* Does it give the same a token at a time? */

/* gradients.c and form.c: small differences, which need double precision. */
Check check_use;       /* Does the output depend on every matrix? */
Check check_gradients; /* Are gradients the slopes of the function? */
Check check_form;      /* Has it a canonical form? */
Check check_equation;  /* Is that what its code and its equation say? */
Check check_fit;       /* Does its own form come back from fit? */

#endif
