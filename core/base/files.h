/* files.h - paths, and directories that come and go as a whole.

   A draft is a hidden directory beside the place where its files are to go.
   Fill it, and end it: each file or directory in it goes to its place in one
   step. A draft is locked while its writer lives: one that can be locked was
   left by a killed writer, and is swept away. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/words.h"

/* DIRECTORY/NAME. */
char *within(const char *directory, const char *name);

/* Makes the directory DIRECTORY/NAME. */
char *new_directory(const char *directory, const char *name);

/* Opens DIRECTORY/NAME for writing, and closes it; fails if not all of it could
   be written. */
FILE *begin_file(const char *directory, const char *name);
void end_file(FILE *file, const char *directory, const char *name);

/* The names in a directory, in no order; none if it cannot be read. */
Values names_in(const char *directory);

/* Removes a file, or a directory with all that is in it, if it exists. Links
   are removed, not followed. */
void discard(const char *path);

/* Locks a directory against others that lock it, which it waits for; until the
   file that it returns is closed, or this process ends. */
int lock_directory(const char *path);

typedef struct Draft {
    char *path;  /* DIRECTORY/.NAME@qkv-XXXXXX: nobody else writes there */
    char *place; /* DIRECTORY */
    int lock;
} Draft;

/* Makes and locks a draft of something that is to go into that directory, and
   sweeps others away; the name tells a human what it was to be. If the process
   ends before the draft does, its parent sweeps it away
   (run/plugin_process.h). */
Draft *draft_begin(const char *directory, const char *name);

/* Moves what the draft has to its place, while no other draft is moved there,
   except hidden files, which it discards; so it does with a directory, if one
   is there already and is not to be replaced, and returns false. */
bool draft_end(Draft *d, bool replace);

/* Discards this user's drafts there whose writers are gone. */
void drafts_sweep(const char *directory);

#endif
