/* print.h - tables on stdout: aligned on a terminal, else cells and tabs; or as
   Markdown or LaTeX wants them. */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>

#include "options.h"

#include "fail.h"

typedef enum { ALIGNED, TSV, MARKDOWN, LATEX } Layout;

typedef struct Sheet {
    char **cells; /* row by row, the names of the columns first */
    int count, room, cols;
    bool text; /* the last column is text, and stays on the left */
} Sheet;

/* Adds a cell; a row is full when it has as many as `cols`. */
void sheet_add(Sheet *s, const char *format, ...) PRINTF(2, 3);

/* Prints it and frees it; or frees it only. */
void sheet_print(Sheet *s, Layout layout);

/* What --tsv, --markdown or --latex ask for; exits (2) where two are given. */
Layout layout_of(const Options *o);
void sheet_free(Sheet *s);

/* True where stdout is no terminal or --tsv asks for tabs. */
bool wants_tsv(bool tsv);

#endif
