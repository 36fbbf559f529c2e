/* companion.h - the programs that make something of what we wrote: gnuplot of
   data and a script, pandoc of Markdown. */
#ifndef COMPANION_H
#define COMPANION_H

#include <stdbool.h>

/* Runs argv within a directory; what it prints is in .shown there. False where
   there is no such program. *why is NULL where it succeeded, else its last
   words, or the signal that ended it, to be freed. */
bool companion_run(const char *directory, const char *const argv[], char **why);

#endif
