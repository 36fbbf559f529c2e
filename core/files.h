/* files.h - paths, and directories that come and go as a whole. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>

typedef struct Path {
    char text[4096];
} Path;

/* DIRECTORY/NAME; fails where that is too long. */
Path within(const char *directory, const char *name);

bool is_empty(const char *directory);

/* Removes a file, or a directory and all that is in it, as far as it is there.
   Links are removed, not followed. */
void discard(const char *path);

#endif
