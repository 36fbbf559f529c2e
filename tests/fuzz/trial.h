/* trial.h - one command that is tried: its words, and what it may touch. */
#ifndef TRIAL_H
#define TRIAL_H

#include "edit.h"

enum { MOST_WORDS = 128 };

typedef struct Trial {
    const char *words[MOST_WORDS + 1];
    int count;
    const char *may_write[64]; /* NULL-terminated, besides out and said */
    int may_write_count;
    int may_read_mine; /* the reader's own experiment was named */
    int may_open;      /* the plugin was named by its path */
    int large;         /* may take its time: something large was asked for */
    int in_words;      /* says why where it fails */
} Trial;

void word(Trial *t, const char *text);
void words(Trial *t, const char *text); /* cut at blanks */

/* Fill the folder with what they need, and *t with a command. */
void draw_foreign(Trial *t, Draw *d);
void draw_line(Trial *t, Draw *d);
void draw_plugin(Trial *t, Draw *d);

#define TINY                                                           \
    "--steps 2 --batch 2 --validate 2 --test 4 --d-model 8 --heads 2 " \
    "--length 4 --symbols 3 --log-every 1"

#endif
