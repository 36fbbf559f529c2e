/* memory.h - whether a run fits into memory, asked before it starts. */
#ifndef MEMORY_H
#define MEMORY_H

#include "options.h"
#include "train.h"

/* Bytes that each of `most` runs at once may have: what --memory gives, or else
   a share of what is free now, in a container of what its limit leaves. */
double memory_share(const Options *o, int most);

/* In a worker: no more than --memory from here on, where it is given. */
void memory_limit(const Options *o);

/* Fails, with the sum, where a run needs more than its share. */
void memory_check(const Options *o, Needs n, double share, int most);

/* "3.2 GB" */
const char *size_text(double bytes, char text[32]);

#endif
