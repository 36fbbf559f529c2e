/* files.h - paths, and directories that come and go as a whole.

   A draft is a hidden directory beside where things are to be. Fill it; publish
   what is whole, each in one step and on the disk before it has its name; end
   it, and the rest is discarded. It is locked for as long as its writer lives:
   what a writer left that was killed can be locked, and is swept away. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct Path {
    char text[4096];
} Path;

/* DIRECTORY/NAME; fails where that is too long. */
Path within(const char *directory, const char *name);

/* The same for a file of an experiment or a run, which somebody else may have
   made, to read it or to write it: fails where it, or a directory on the way to
   it, is a link, a pipe or a device. */
Path below(const char *directory, const char *name);

/* Fails where a path is one of these; or what is in a directory is. */
void check_plain(const char *path);
void check_all_plain(const char *directory);

/* Makes the directory DIRECTORY/NAME. */
Path new_directory(const char *directory, const char *name);

/* Opens DIRECTORY/NAME for writing, and closes it; exits where it could not be
   written, or not all of it. */
FILE *begin_file(const char *directory, const char *name);
void end_file(FILE *file, const char *directory, const char *name);

/* Is nothing in it, but for drafts? */
bool is_empty(const char *directory);

/* Removes a file, or a directory and all that is in it, as far as it is there.
   Links are removed, not followed. */
void discard(const char *path);

typedef struct Draft {
    Path path; /* DIRECTORY/.NAME@qkv-XXXXXX, where nobody else writes */
    char *place;
    int lock;
    bool on_disk;
    struct Draft *next;
} Draft;

/* Makes and locks a draft of what is to be in that directory; the name is for
   whoever finds it there. */
Draft *draft_begin(const char *directory, const char *name);

/* Gives what the draft has under that name its place; false where a directory
   is there already, and is not to be replaced. */
bool draft_publish(Draft *d, const char *name, bool replace);

/* Publishes all that is left in it, instead of what is there, and ends it. */
void draft_publish_all(Draft *d);

/* Discards what is left in it. Where a process ends before that, its parent
   does (driver/cli/child.h). */
void draft_end(Draft *d);

/* Discards the drafts there, of this user, whose writers are gone. */
void drafts_sweep(const char *directory);

#endif
