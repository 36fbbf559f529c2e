/* files.h - paths, and files that appear as a whole or not at all.

   A draft is a hidden directory, in which files are written before they are
   published. draft_begin makes the draft inside the directory that the files
   are for, and draft_end moves each file there in one step. A draft is locked
   by the process that writes it until draft_end removes it. So a draft that is
   not locked was left behind by a process that was killed, and drafts_sweep
   removes it. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/words.h"

/* The path DIRECTORY/NAME. */
char *within(const char *directory, const char *name);

/* Makes the directory DIRECTORY/NAME, and returns its path. Fails if it cannot,
   for example because the directory exists. */
char *new_directory(const char *directory, const char *name);

/* begin_file opens DIRECTORY/NAME for writing, and fails if it cannot.
   end_file closes the file, and fails if any of it could not be written. */
FILE *begin_file(const char *directory, const char *name);
void end_file(FILE *file, const char *directory, const char *name);

/* The names in a directory, without . and .., in no particular order. The list
   is empty if the directory cannot be read. Fails if memory runs out. */
Values names_in(const char *directory);

/* Removes a file, or a directory with everything in it, if it exists. Links are
   removed, not followed. What cannot be removed stays, without a message. */
void discard(const char *path);

/* Waits until no other process has locked the directory, and locks it. Returns
   a file descriptor: closing it, or the end of the process, unlocks the
   directory. Returns -1 if the directory cannot be opened. */
int lock_directory(const char *path);

typedef struct Draft {
    char *path;  /* the draft's path, DIRECTORY/.NAME@qkv-XXXXXX */
    char *place; /* DIRECTORY, where its files will be published */
    int lock;    /* the file descriptor that locks the draft (lock_directory) */
} Draft;

/* Sweeps the directory (drafts_sweep), then makes and locks a draft for new
   files in it. The name tells people what the draft is for. If the process ends
   without draft_end, its parent removes the draft (run/plugin_process.h). */
Draft *draft_begin(const char *directory, const char *name);

/* Moves the draft's files and directories to their place, except hidden ones,
   and removes the draft. With REPLACE_OLD, each of them replaces a file or
   directory of the same name. With KEEP_OLD, a file still replaces a file, and
   a directory an empty one. Anything else that already exists stays, the
   draft's copy of it is removed, and the result is false. Only one draft at a
   time moves its files to a place. */
typedef enum { KEEP_OLD, REPLACE_OLD } IfExists;
bool draft_end(Draft *d, IfExists rule);

/* Removes the drafts in the directory that killed processes of this user left
   behind. */
void drafts_sweep(const char *directory);

#endif
