/* tokens.h - tokens as people write and read them: texts become ids, and ids
   become labels.

   In a task that reads a text, a token is a character or a word; in other tasks
   it is a number. A token with two ids is written with a + between them: 3+40.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include "tasks/tasks.h"

/* How an id is written in a prompt. All texts that this file returns are
   interned (words.h). */
const char *token_name(const Dataset *data, int id);

/* A token or an answer as it is printed: a space and the end of a line become
   visible signs, and control bytes become \xHH, so that a terminal does not
   obey them. A second id of -1 is left out. */
const char *token_label(const Dataset *data, const int *ids);
const char *answer_label(const Dataset *data, int answer);

/* Returns a new array of the ids of all tokens in a text, sizes.each for each
   token, and sets *count to the number of tokens, at least 1. A second id that
   is not written is -1. `run` is the run's name, for messages. Exits (2) at a
   token that the run has not learned, and if the task has two sequences, since
   this reads only one. */
int *tokens_read(const char *text, const Dataset *data, const char *run,
                 int *count);

/* Prints a label in `width` columns, as printf does: aligned right, or left if
   width is negative. It is cut so that at least one column stays blank. */
void print_label(const char *label, int width);

#endif
