/* tokens.h - tokens as people write and read them: texts become ids, and ids
   become labels.

   A token of a text is a character or a word; other tasks have numbers. The two
   ids of a token that has two are joined by +, as in 3+40. */
#ifndef TOKENS_H
#define TOKENS_H

#include "tasks/tasks.h"

/* The text that stands for an id in a prompt. All texts that this file returns
   are interned (words.h). */
const char *token_name(const Dataset *data, int id);

/* A token or an answer as it is printed: a space and the end of a line become
   visible signs, and control bytes become \xHH, so that a terminal does not
   obey them. */
const char *token_label(const Dataset *data, const int *ids);
const char *answer_label(const Dataset *data, int answer);

/* Returns a new array of the ids of all tokens in a text, and their number, at
   least 1. Exits (2) at a token that the run has not learned, and if the task
   has two sequences, since it reads only one. */
int *tokens_read(const char *text, const Dataset *data, const char *run,
                 int *count);

/* Prints a label in `width` columns as printf does: aligned right, or left if
   width is negative. It is cut if it would not leave one column blank. */
void print_label(const char *label, int width);

#endif
