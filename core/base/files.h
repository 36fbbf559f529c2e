/* files.h - paths, and directories that come and go as a whole.

   A draft is a hidden directory beside the place where its files are to go.
   Fill it; publish what is complete, each in one step; end it, and the rest is
   discarded. A draft is locked while its writer lives: one that can be locked
   was left by a killed writer, and is swept away. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/words.h"

typedef struct Path {
    char text[4096];
} Path;

/* DIRECTORY/NAME; fails if that is too long. */
Path within(const char *directory, const char *name);

/* Makes the directory DIRECTORY/NAME. */
Path new_directory(const char *directory, const char *name);

/* Opens DIRECTORY/NAME for writing, and closes it; fails if not all of it could
   be written. */
FILE *begin_file(const char *directory, const char *name);
void end_file(FILE *file, const char *directory, const char *name);

/* The names in a directory, in no order; none if it cannot be read. */
Values names_in(const char *directory);

/* Removes a file, or a directory with all that is in it, if it exists. Links
   are removed, not followed. */
void discard(const char *path);

typedef struct Draft {
    Path path;   /* DIRECTORY/.NAME@qkv-XXXXXX: nobody else writes there */
    char *place; /* DIRECTORY */
    int lock;
} Draft;

/* Makes and locks a draft of something that is to go into that directory; the
   name tells a human what it was to be. */
Draft *draft_begin(const char *directory, const char *name);

/* Moves what the draft has under that name to its place; false if a directory
   is there already and is not to be replaced. */
bool draft_publish(Draft *d, const char *name, bool replace);

/* Publishes all that is left in it, replacing what is there, and ends it. */
void draft_publish_all(Draft *d);

/* Discards what is left in it. If a process ends without this, its parent does
 * it (run/plugin_process.h). */
void draft_end(Draft *d);

/* Discards this user's drafts there whose writers are gone. */
void drafts_sweep(const char *directory);

#endif
