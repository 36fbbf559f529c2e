/* words.h - texts: reading, checking, joining and comparing them.

   A text that is returned as char * is newly allocated. A command makes few
   texts and keeps them until the program ends; a loop that makes many may free
   them. A text that is returned as const char * must not be freed. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heart/fail.h"

/* Returns the code of the character at offset *at of a UTF-8 text (RFC 3629) of
   `size` bytes, and advances *at past it. *at must be less than size. Returns
   -1 if the bytes there are not UTF-8, for example overlong, cut short, or a
   surrogate. */
int utf8_next(const unsigned char *text, size_t size, size_t *at);

/* Returns whether the text is UTF-8 without control characters. Such a text can
   neither control a terminal nor break a line. */
bool is_text(const char *text);

/* Reads a whole plain file of at most 1 GiB, and adds a 0 after it. Sets *size
   to the number of bytes read. Fails if the file cannot be read; the message
   calls the file `what`, such as "matrix". read_text does the same for callers
   that do not need the size. */
char *read_file(const char *path, const char *what, size_t *size);
char *read_text(const char *path, const char *what);

/* The text as one word for a shell: between single quotes if it is empty or has
   a character that is special in a shell, else unchanged. */
char *quoted(const char *text);

/* Adds a word to *set, a set of words, which is NULL while it is empty. The set
   keeps the pointer, not a copy. Returns false if it already had an equal word.
 */
bool add_word(void **set, const char *word);

/* A copy of the text that lives until the program ends. Equal texts get the
   same copy, so copies can be compared by their pointers. */
const char *interned(const char *text);

/* A text as printf would print it. */
char *format_text(const char *format, ...) PRINTF(1, 2);

/* begin_text opens a stream; end_text closes it and sets *text to everything
   that was printed to the stream. Both calls get the same `text`. */
FILE *begin_text(char **text);
void end_text(FILE *stream, char *const *text);

char *copy_text(const char *text);

/* Replaces every character of the text that is in `characters` by `by`. */
void replace_in(char *text, const char *characters, char by);

/* Reads the whole text as a number, and stores it in *x. The number must be
   from `least` to `most` and, if `kind` is WHOLE_NUMBER, an integer. Returns
   NULL if it is, otherwise a message that says what is wrong. */
typedef enum { ANY_NUMBER, WHOLE_NUMBER } NumberKind;
const char *number_read(const char *text, NumberKind kind, double least,
                        double most, double *x);

/* Continues an FNV-1a hash over `size` more bytes. The first `hash` is
   HASH_START. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t size);

/* A list of texts. */
typedef struct Values {
    char **text;
    int count, capacity;
} Values;

/* Splits a list, such as "a,b,c", at its commas. */
Values values_split(const char *list);

/* Appends a text, which from then on belongs to the list. */
void values_add(Values *v, char *text);

/* Returns " did you mean NAME?", with the name that is fewest edits away from
   the word. An edit inserts, deletes or replaces a letter, or swaps two
   neighbouring letters. One edit is allowed for every three letters of the
   word, up to four edits; a word of two letters is also allowed one. Returns ""
   if no name is near enough, or if the word is one of the names. */
const char *suggestion(const char *word, const Values *names);

/* Returns the message `"WORD" is not one of: LIST`, with a suggestion if a name
   is near. Blanks or commas separate the names in the list. */
const char *not_one_of(const char *word, const char *list);

/* Joins all texts of the list into one, with `between` after each text except
   the last. */
char *joined(const Values *v, const char *between);

/* Writes x with the fewest digits that read back as x. */
enum { NUMBER_SIZE = 32 };
void shortest_number(double x, char text[NUMBER_SIZE]);

#endif
