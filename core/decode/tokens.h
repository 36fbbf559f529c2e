/* tokens.h - tokens as people write and read them. A prompt becomes ids, and
   ids become labels.

   In a task that reads a text, a token is a character or a word; in other tasks
   it is a number. A token with two ids is written with a + between them: 3+40.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include "tasks/tasks.h"

/* The text that stands for an id in a prompt. All texts that this file returns
   are interned (words.h). */
const char *token_name(const Dataset *data, int id);

/* The label of a token or an answer, for printing. A space and a line end
   become visible signs. The bytes of a name with control characters become
   \xHH, so that a terminal does not obey them. A second id that is NO_ID is
   left out. */
enum { NO_ID = -1 };
const char *token_label(const Dataset *data, const int *ids);
const char *answer_label(const Dataset *data, int answer);

/* Returns a new array of the ids of all tokens in a text, sizes.each for each
   token, and sets *count to the number of tokens, at least 1. A second id that
   is not written is NO_ID. `run` is the run's name, for messages. Exits (2) if
   the run has not learned a token, if the text has no token, or if the task has
   two sequences. */
int *tokens_read(const char *text, const Dataset *data, const char *run,
                 int *count);

/* Prints a label in a field of |width| columns, aligned right or, if width is
   negative, left. Cuts the label so that at least one column stays blank. */
void print_label(const char *label, int width);

#endif
