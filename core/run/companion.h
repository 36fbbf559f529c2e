/* companion.h - the program that draws what we wrote: gnuplot, in a draft. */
#ifndef COMPANION_H
#define COMPANION_H

#include <stdbool.h>

/* Runs argv within a directory; what it prints is in .shown there. False where
   there is no such program. *why is NULL where it succeeded, else its last
   words, or the signal that ended it, to be freed. */
bool companion_run(const char *directory, const char *const argv[], char **why);

#endif
