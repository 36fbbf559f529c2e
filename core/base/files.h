/* files.h - paths, and files that appear as a whole or not at all.

   To publish files, call draft_begin, write them into the draft's directory,
   and call draft_end, which moves each of them to its place in one step. The
   draft is a hidden directory beside that place. Its writer holds a lock on it
   as long as it lives. So a draft that can be locked was left behind by a
   writer that was killed, and drafts_sweep removes it. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/words.h"

/* DIRECTORY/NAME. */
char *within(const char *directory, const char *name);

/* Makes the directory DIRECTORY/NAME. */
char *new_directory(const char *directory, const char *name);

/* Opens DIRECTORY/NAME for writing; end_file closes it, and fails if not all of
   it could be written. */
FILE *begin_file(const char *directory, const char *name);
void end_file(FILE *file, const char *directory, const char *name);

/* The names in a directory, in no particular order. There are none if it cannot
   be read. */
Values names_in(const char *directory);

/* Removes a file, or a directory with everything in it, if it exists. Links are
   removed, not followed. */
void discard(const char *path);

/* Waits until no other process has locked the directory, and locks it. Closing
   the file that is returned unlocks it, and so does the end of the process. */
int lock_directory(const char *path);

typedef struct Draft {
    char *path;  /* DIRECTORY/.NAME@qkv-XXXXXX, where only the writer writes */
    char *place; /* DIRECTORY, where its files will be */
    int lock;
} Draft;

/* Makes and locks a draft for files of this directory, after it has swept away
   the drafts that were left there. The name tells people what the draft was
   for. If the process ends without draft_end, its parent sweeps the draft away
   (run/plugin_process.h). */
Draft *draft_begin(const char *directory, const char *name);

/* Moves the draft's files and directories to their place, where each replaces
   the one of its name. If `replace` is false, an existing directory stays, the
   draft's copy is removed, and the result is false. Hidden files are removed.
   No other draft is moved to that place meanwhile. */
bool draft_end(Draft *d, bool replace);

/* Removes this user's drafts in the directory whose writers are gone. */
void drafts_sweep(const char *directory);

#endif
