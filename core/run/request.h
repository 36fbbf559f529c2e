/* request.h - what a command asks of runs: the values of each setting, how they
   are trained and where they go, and how they are compared. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>

#include "base/words.h"
#include "config/settings.h"

/* How runs are trained, and where they go. */
typedef struct Work {
    const char *out, *from;
    int jobs, threads, memory; /* in megabytes; 0: not given */
    bool no_weights, quiet;
} Work;

typedef struct Request {
    Values *given;      /* by place in settings[]; count 0: not given */
    const Config *base; /* what is not given; NULL: as its task has it */
    Work work;
    const char *by, *baseline, *judge, *margin; /* or NULL */
    const char *where; /* "lr=0.01": only runs with that value */
} Request;

/* The values given to the setting of that name. */
Values *given_to(const Request *r, const char *setting);

/* Gives what was given to settings to c, of a list the first. */
void request_apply(const Request *r, Config *c);

/* Exits for a shape option that was given and that is not among these, which
   the variants use (variant_uses): it would change nothing. */
void request_used(const Request *r, const char *uses);

#endif
