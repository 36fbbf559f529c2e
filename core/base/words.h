/* words.h - texts: reading, checking, joining and comparing them.

   Every text that is returned as char * is newly allocated. A command makes few
   of them and keeps them until the program ends; a loop that makes many may
   free its own. A const char * is never freed. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heart/fail.h"

/* Returns the character at *at of a UTF-8 text (RFC 3629) and advances *at past
   it. Returns -1 if the bytes there are not UTF-8: overlong, cut short, or a
   surrogate. */
int utf8_next(const unsigned char *text, size_t size, size_t *at);

/* Is it UTF-8 without control characters, so that it can neither command a
   terminal nor end a line? */
bool is_text(const char *text);

/* Reads a whole plain file of at most 1 GiB, and adds a 0 after it. Stores the
   file's size unless `size` is NULL. On failure the message calls the file
   `what`, such as "text file". */
char *read_file(const char *path, const char *what, size_t *size);

/* The text as one word for a shell: unchanged if no character of it is special
   there, else between single quotes. */
char *quoted(const char *text);

/* Adds a word to a set, which is NULL while it is empty. The set keeps the
   pointer, not a copy. Returns false if the set has an equal word already. */
bool word_added(void **set, const char *word);

/* The only copy of a text that the program keeps: equal texts have the same
   pointer. It lives until the program ends. */
const char *interned(const char *text);

/* A text as printf would print it. */
char *format_text(const char *format, ...) PRINTF(1, 2);

/* Opens a stream whose output becomes the text *text when it is ended. */
FILE *begin_text(char **text);
void end_text(FILE *stream, char *const *text);

char *copy_text(const char *text);

/* Replaces each character of a text that is in `characters` by `by`. */
void replace_in(char *text, const char *characters, char by);

/* Reads the whole text as a number between least and most, which must be an
   integer if `whole`. Returns NULL, or what is wrong with it. */
const char *number_read(const char *text, bool whole, double least, double most,
                        double *x);

/* Continues an FNV-1a hash over `size` more bytes. The first `hash` is
   HASH_START. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t size);

/* A list of texts. */
typedef struct Values {
    char **text;
    int count, capacity;
} Values;

/* Splits a list "a,b,c" at its commas. */
Values values_cut(const char *list);

/* Appends a text, which from then on belongs to the list. */
void values_add(Values *v, char *text);

/* " did you mean NAME?", with the name that the fewest insertions, deletions
   and replacements of a letter make from the word. It is "" if the word is one
   of the names or has a single letter, or if every name takes more than one
   such edit and more than one for every three letters. */
const char *suggestion(const char *word, const Values *names);

/* "WORD is not one of: LIST", with the suggestion; the list is "a b" or "a,b".
 */
const char *not_one_of(const char *word, const char *list);

/* All texts of the list as one text, with `between` between them. */
char *joined(const Values *v, const char *between);

/* Writes x with the fewest digits that read back as x. */
enum { NUMBER_SIZE = 32 };
void shortest_number(double x, char text[NUMBER_SIZE]);

#endif
