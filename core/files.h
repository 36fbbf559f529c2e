/* files.h - paths, and directories that come and go as a whole. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>

typedef struct Path {
    char text[4096];
} Path;

/* DIRECTORY/NAME; fails where that is too long. */
Path within(const char *directory, const char *name);

/* The same for a file of an experiment, which somebody else may have made:
   fails where it, or a directory on the way to it, is a link. */
Path below(const char *directory, const char *name);

bool is_empty(const char *directory);

/* Removes a file, or a directory and all that is in it, as far as it is there.
   Links are removed, not followed. */
void discard(const char *path);

/* Discards that path if the program exits from here on, until told another one,
   or NULL. */
void discard_at_exit(const char *path);

#endif
