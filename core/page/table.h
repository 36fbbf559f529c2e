/* table.h - a table that a command prints: built once, and written for a
   terminal, as TSV, as JSON, in Markdown or in LaTeX.

       static const Column columns[] = {
           {"variant", .words = true},
           {"test_loss", .title = "test loss", .format = "%.3g"}};
       Sheet sheet = {columns, .cols = 2, .label = "losses"};
       sheet_row(&sheet, cell_words("standard"), cell_number(0.0229));
       sheet_print(&sheet, layout_of(o));

   People read a table on a terminal, in Markdown or in LaTeX; programs read TSV
   and JSON. A column may be for one of the two only, and people do not see one
   in which no cell has a value. Cells are never freed, as a command prints few
   tables. study/ decides what is in them. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "math/statistics.h"
#include "page/escape.h"

typedef enum { EVERYBODY, PEOPLE, PROGRAMS } Readers;

/* Do programs read that layout? */
bool for_programs(Layout layout);

typedef struct Column {
    const char *name, *title; /* the head for programs, and for people, who see
                                 the name if that is NULL */
    const char *format;       /* printf's, of a number; NULL: "%.15g" */
    bool words;               /* words are aligned left, numbers right */
    Readers readers;
} Column;

/* A cell. cell_words copies its text. An unknown number is NaN, which people
   see as -, and programs as NA, or in JSON as null. */
typedef struct Cell {
    char *text; /* words; NULL: the number, in the format of its column */
    double value, low, high;
} Cell;
Cell cell_words(const char *text);
Cell cell_number(double value);
Cell cell_interval(Mean m); /* "0.99 [0.98, 1.00]" for people */

typedef struct Sheet {
    const Column *columns;
    int cols;
    const char *label;   /* in LaTeX: tab:LABEL, as plain_name writes it */
    const char *note;    /* printed below the table; in LaTeX, its caption */
    const char *chosen;  /* "a,b": only these columns are written, in this
                            order; NULL: all that the layout's readers see */
    Cell *cells;         /* row by row */
    int count, capacity; /* of cells */
} Sheet;

/* Adds a row, a cell for each column. */
#define sheet_row(sheet, ...) sheet_add_row(sheet, (const Cell[]){__VA_ARGS__})
void sheet_add_row(Sheet *s, const Cell *cells);

/* Exits (2) unless the table, which may still be empty, has all the columns
   that were chosen. Call it before work that takes long. */
void check_columns(const Sheet *s);

void sheet_write(FILE *to, const Sheet *s, Layout layout);

/* Writes a table to stdout, and its note unless columns were chosen. */
void sheet_print(const Sheet *s, Layout layout);

/* Writes a blank line and a paragraph to stdout; for programs, nothing. */
void words_write(const char *text, Layout layout);

/* Writes text in lines from column `from` to column `width`. The first line is
   at column `at` already. A word that is longer than a line is not cut. */
void print_wrapped(FILE *to, int at, int from, int width, const char *text);

#endif
