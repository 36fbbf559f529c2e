/* tokens.h - tokens as people read them: words to ids, ids to labels. */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>

#include "task/task.h"

/* A text cut into words, or characters. */
typedef struct Words {
    char **word;
    int *id; /* each * count, once numbered */
    int count;
} Words;

/* Cuts at blanks, or between UTF-8 characters; exits (2) where nothing is left
   or the text is no UTF-8. words_free it. */
Words words_cut(const char *text, bool by_character);
void words_free(Words *w);

/* Fills w->id: with the tokens of a run's dataset (characters of its text, else
   numbers, joined by + where a token has two ids), or where s is NULL in the
   order in which new words come. Exits (2) with the word that is none. Returns
   how many ids there are. */
int words_number(Words *w, const Dataset *data, const char *run);

/* What a token of the dataset is called: its character, or its number. */
enum { LABEL_SIZE = 16 };
void token_label(const Dataset *data, int id, char label[LABEL_SIZE]);

/* Prints the text in `width` columns, cut where it is longer, on their left or
   on their right behind a blank. */
void print_left(const char *text, int width);
void print_right(const char *text, int width);

#endif
