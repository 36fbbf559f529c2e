/* checks.h - the checks of a plugin: a function for each line of `qkv check`.
   Each runs in its own process, which then ends: nothing is freed. */
#ifndef CHECKS_H
#define CHECKS_H

#include "base/fail.h"

typedef enum { PASSED, FAILED, UNTESTED } Verdict;

typedef struct Finding {
    Verdict verdict;
    char what[700]; /* what was found, and the likely mistake */
} Finding;

Finding finding(Verdict verdict, const char *format, ...) PRINTF(2, 3);

typedef Finding Check(const char *plugin);

/* calls.c: what holds in any precision. */
Check check_shapes;    /* Does forward work in every way it may be called? */
Check check_finite;    /* Is everything that it computes finite? */
Check check_repeats;   /* Does it keep nothing from one call to the next? */
Check check_causality; /* Does no output see a later token? */
Check check_batches;   /* Is a sequence among others what it is alone? */

/* gradients.c and form.c: small differences, which need double precision. */
Check check_use;       /* Does the output depend on every matrix? */
Check check_gradients; /* Are gradients the slopes of the function? */
Check check_form;      /* Has it a canonical form? */
Check check_fit;       /* Does its own form come back from fit? */

#endif
