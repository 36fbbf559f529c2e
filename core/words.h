/* words.h - small things done to names: the nearest one, files, lists. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The one of `count` names that fewest letters turn into `word`, NULL if even
   that one is too far to be what was meant. */
const char *nearest(const char *word, const char *const *names, int count);

/* " (did you mean "NAME"?)" or "", in memory that the next call reuses. */
const char *did_you_mean(const char *word, const char *const *names, int count);

/* The whole file, a 0 behind it, to be freed; *size as found. Fails with
   `what` ("text file") in the message. */
char *read_file(const char *path, const char *what, size_t *size);

/* Can a file bear the name of a matrix: no / . quotes, blanks or control
   characters? And do two names make one file, which has _ for ^? */
bool names_file(const char *name);
bool one_file(const char *a, const char *b);

/* The text between single quotes, with `escaped` in place of each one within
   it: '' for gnuplot, '\\'' for a shell. Neither looks into single quotes. To
   be freed. */
char *quoted(const char *text, const char *escaped);

/* The one copy of the string that the program keeps until it ends: equal words
   are the same pointer. */
const char *interned(const char *text);

/* Names by their letters, and numbers in them by their size: d-k2 before d-k16.
   Less than, equal to or greater than 0. */
int natural_order(const char *a, const char *b);

/* A copy of the string, to be freed. */
char *copy_text(const char *text);

#endif
