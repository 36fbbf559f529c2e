/* words.h - small things done to texts: names, files, lists. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heart/fail.h"

/* The character at *at of a UTF-8 text (RFC 3629), which it steps over, or -1
   where the bytes are none: too long, cut short, a surrogate, a zero. */
int utf8_next(const unsigned char *text, size_t size, size_t *at);

/* Is it UTF-8, and no character of it commands a terminal or ends a line? */
bool is_text(const char *text);

/* The whole of a plain file, with a 0 behind it, to be freed, and its size,
   unless that is NULL; no more than 1 GiB. Fails with `what` ("text file") in
   the message. */
char *read_file(const char *path, const char *what, size_t *size);

/* The text as one word of a shell: as it is where that means nothing else, or
   between single quotes, into which no shell looks. To be freed. */
char *quoted(const char *text);

/* Adds a word to a set, which is NULL while it is empty, and keeps the pointer.
   Returns false if the set has an equal word already. */
bool word_added(void **set, const char *word);

/* The one copy of the string that the program keeps until it ends: equal words
   are the same pointer. */
const char *interned(const char *text);

/* A string as snprintf makes it, to be freed by the caller. */
char *format_text(const char *format, ...) PRINTF(1, 2);

/* A stream whose text is in *text once it is ended, to be freed. */
FILE *begin_text(char **text);
void end_text(FILE *stream, char *const *text);

/* A copy of the string, to be freed. */
char *copy_text(const char *text);

/* Reads a whole text as a number from least to most, an integer if `whole`.
   Returns what is wrong with it, or NULL. */
const char *number_read(const char *text, bool whole, double least, double most,
                        double *x);

/* The FNV-1a hash of `size` bytes, going on from `hash` (start: HASH_START). */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t size);

/* A list of texts. */
typedef struct Values {
    char **text;
    int count, room;
} Values;

/* A list "a,b,c", cut at its commas. */
Values values_cut(const char *list);

/* Adds a text, which is the list's from then on. */
void values_add(Values *v, char *text);

/* "a, b, c" with `between` instead of the comma; to be freed. */
char *joined(const Values *v, const char *between);

#endif
