/* tokens.h - tokens as people write and read them: texts to ids, ids to labels.

   A token of a text is a character; every other task has numbers. If a token
   has two ids, they are joined by +, as in 3+40. */
#ifndef TOKENS_H
#define TOKENS_H

#include "tasks/tasks.h"

/* The text of an id, as it is written in a prompt. Like the other texts here it
   is kept until the program ends (interned, words.h). */
const char *token_name(const Dataset *data, int id);

/* The text with which a token, or an answer, is shown: a blank and the end of a
   line are signs, and bytes that could command a terminal are \xHH. */
const char *token_label(const Dataset *data, const int *ids);
const char *answer_label(const Dataset *data, int answer);

/* The ids of all tokens in a text, to be freed; *count is how many tokens there
   are, at least one. Exits (2) at one that the run has not learned, and for a
   task of two sequences: only one is read. */
int *tokens_read(const char *text, const Dataset *data, const char *run,
                 int *count);

/* Prints a label in `width` columns, as printf does: on their right, or on
   their left if it is negative. One too long is cut, so that one column stays
   blank. */
void print_label(const char *label, int width);

#endif
