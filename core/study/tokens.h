/* tokens.h - tokens as people read them: words to ids, ids to labels. */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>

#include "config/tasks.h"

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

/* Fills w->id: with the tokens of a run's dataset (characters of its text,
   words of its pairs, else numbers, joined by + where a token has two ids), or
   where s is NULL in the order in which new words come. Exits (2) with the word
   that is none. Returns how many ids there are. */
int words_number(Words *w, const Dataset *data, const char *run);

/* The ids, to be freed, of the characters of a text, or its bytes, by a run's
   dataset of a text; exits (2) with the one that is none. */
int *text_number(const char *text, const Dataset *data, const char *run,
                 int *count);

/* What an answer of the dataset is called: its character, its word, or its
   number. */
enum { LABEL_SIZE = 24 };
void answer_label(const Dataset *data, int answer, char label[LABEL_SIZE]);

/* A token of one or two ids: "3+40"; to be freed. */
char *token_text(const Dataset *data, const int *ids);

/* A character as it is in the text, but for those that command a terminal. */
void character_text(const Dataset *data, int id, char text[LABEL_SIZE]);

/* Prints the text in `width` columns, cut where it is longer, on their left or
   on their right behind a blank. */
void print_left(const char *text, int width);
void print_right(const char *text, int width);

#endif
