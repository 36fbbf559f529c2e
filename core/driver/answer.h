/* answer.h - a trained run answers a sequence of its task. */
#ifndef ANSWER_H
#define ANSWER_H

#include "driver/generation.h"

/* Prints a row for each answer to the sequence, and on a terminal what
   attention looked at. */
void answer_task(Generation *g, const char *prompt);

/* A sequence of a drawn task, as a prompt, to be freed. */
char *answer_example(const Dataset *data);

#endif
