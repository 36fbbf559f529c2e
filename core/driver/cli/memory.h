/* memory.h - whether a run fits into memory, asked before it starts. */
#ifndef MEMORY_H
#define MEMORY_H

#include "train/train.h"
#include "driver/cli/options.h"

/* What a process may take, and what gives more of it. */
typedef struct Limits {
    double seconds;    /* INFINITY: only a plugin's calls are timed, each */
    double bytes;      /* beyond what this program has */
    const char *more;  /* "; --timeout gives more", or "" */
    const char *whose; /* "this machine has" */
} Limits;

/* So many seconds, and bytes, of which there are no more than are free now, in
   a container of what its limit leaves. */
Limits limits(double seconds, double bytes);

/* Of each of `most` runs at once: what --timeout and --memory give, or else a
   share of what is free. */
Limits run_limits(const Options *o, int most);

/* From here on this process gets no more bytes than that: who is refused some
   reports whose limit it was. */
void memory_limit(Limits l);

/* Fails, with the sum, where a run needs more. */
void memory_check(Needs n, Limits l);

/* "3.2 GB" */
const char *size_text(double bytes, char text[32]);

#endif
