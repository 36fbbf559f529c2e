/* print.h - tables on stdout: aligned on a terminal, else cells and tabs; or as
   Markdown or LaTeX wants them. */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/fail.h"
#include "driver/cli/escape.h"
#include "driver/cli/options.h"

typedef struct Sheet {
    char **cells; /* row by row, the names of the columns first */
    int count, room, cols;
    bool text; /* the last column is text, and stays on the left */
} Sheet;

/* Adds a cell for each tab in the format and one more: only the last one's text
   may have tabs of its own. A row is full when it has as many as `cols`. */
void sheet_add(Sheet *s, const char *format, ...) PRINTF(2, 3);

/* Writes it, in one of the layouts. */
void sheet_write(FILE *to, const Sheet *s, Layout layout);

/* Text as that language takes it. */
void print_escaped(FILE *to, const char *text, Layout language);

/* Prints it and frees it; or frees it only. */
void sheet_print(Sheet *s, Layout layout);

/* What --tsv, --markdown or --latex ask for; exits (2) where two are given. */
Layout layout_of(const Options *o);
void sheet_free(Sheet *s);

/* Text in lines from column `from` to `to`; the first is at column `at`
   already. A word longer than that stays whole. */
void print_folded(FILE *file, int at, int from, int to, const char *text);

/* True where stdout is no terminal or --tsv asks for tabs. */
bool wants_tsv(bool tsv);

#endif
