/* tree.h - files and folders below a path: listed, copied, removed, hashed. */
#ifndef TREE_H
#define TREE_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_FILES = 256, LONGEST = 768, MOST_FILE_BYTES = 1 << 20 };

/* What is below a path, in order of name, so that equal draws are equal edits;
   only what is right in it unless it is to be `deep`. */
extern char found[MOST_FILES][LONGEST];
extern int found_count;
void list(const char *path, int deep);

/* The bytes of a plain file, a 0 behind them, at most MOST_FILE_BYTES of it;
   and they become the file's again. */
extern char bytes[MOST_FILE_BYTES + 1];
extern size_t size;
int take(const char *path);
void put_back(const char *path);

/* Copies a directory and all that is in it; links are copied as links. */
void copy_tree(const char *from, const char *to);

/* Removes it; links are removed, not followed. */
void erase_tree(const char *path);

/* A hash of all that is below a path, but for those in a NULL-terminated list:
   names, kinds, sizes and bytes. */
uint64_t tree_hash(const char *path, const char *const *but);

/* The first file below a path whose text has `words`, or NULL. */
const char *tree_with(const char *path, const char *words);

#endif
