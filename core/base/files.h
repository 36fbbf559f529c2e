/* files.h - paths, and files that appear as a whole or not at all.

   A draft is a hidden directory, in which files are written before they are
   published. draft_begin makes it in the directory in which the files will
   finally be, and draft_end moves each file there in one step. Its writer holds
   a lock on the draft as long as the writer lives. So a draft that can be
   locked was left behind by a writer that was killed, and drafts_sweep removes
   it. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/words.h"

/* The path DIRECTORY/NAME. */
char *within(const char *directory, const char *name);

/* Makes the directory DIRECTORY/NAME, and returns its path. Fails if it exists.
 */
char *new_directory(const char *directory, const char *name);

/* Opens DIRECTORY/NAME for writing; fails if that is impossible. end_file
   closes it, and fails if any of it could not be written. */
FILE *begin_file(const char *directory, const char *name);
void end_file(FILE *file, const char *directory, const char *name);

/* The names in a directory, without . and .., in no particular order. The list
   is empty if the directory cannot be read. */
Values names_in(const char *directory);

/* Removes a file, or a directory with everything in it, if it exists. Links are
   removed, not followed. */
void discard(const char *path);

/* Waits until no other process has locked the directory, and locks it. Returns
   a file descriptor. The directory is unlocked when it is closed, or when the
   process ends. Returns -1 if the directory cannot be opened. */
int lock_directory(const char *path);

typedef struct Draft {
    char *path;  /* DIRECTORY/.NAME@qkv-XXXXXX, a folder of this process only */
    char *place; /* DIRECTORY, the final place of its files */
    int lock;    /* the file descriptor that locks path (lock_directory) */
} Draft;

/* Removes the drafts that were left in this directory, then makes and locks one
   for new files there. The name tells people what the draft is for. If the
   process ends without draft_end, its parent removes the draft
   (run/plugin_process.h). */
Draft *draft_begin(const char *directory, const char *name);

/* Moves the draft's files and directories to their place, except hidden files,
   and removes the draft. With REPLACE_OLD, each replaces the file or directory
   of the same name. With KEEP_OLD, a directory that already exists stays, the
   draft's copy is removed, and the result is false. No other draft moves files
   to that place at the same time. */
typedef enum { KEEP_OLD, REPLACE_OLD } IfExists;
bool draft_end(Draft *d, IfExists rule);

/* Removes the drafts in the directory that this user's processes left behind.
 */
void drafts_sweep(const char *directory);

#endif
