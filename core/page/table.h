/* table.h - a table that a command prints: built once, and written for a
   terminal, as TSV, in Markdown or in LaTeX.

       static const Column columns[] = {
           {"variant", .words = true},
           {"test_loss", .title = "test loss", .format = "%.3g"}};
       Sheet sheet = {columns, .cols = 2, .label = "losses"};
       sheet_row(&sheet, cell_words("standard"), cell_number(0.0229));
       sheet_print(&sheet, layout_of(o));

   A table stays until the command ends. People read it on a terminal, in
   Markdown and in LaTeX, programs read TSV. A column may be for one of the two,
   and people are spared one in which nothing is known. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "math/statistics.h"
#include "page/escape.h"

typedef enum { EVERYBODY, PEOPLE, PROGRAMS } Readers;

typedef struct Column {
    const char *name, *title; /* for programs; for people, NULL: the name */
    const char *format;       /* of a number, NULL: as it is */
    bool words;               /* no numbers: on the left */
    Readers readers;
} Column;

/* What is in a row; the functions copy their text. A number that is not known
   is NaN: "-" to people, NA in TSV. */
typedef struct Cell {
    char *text; /* words; NULL: the number is shown as its column says */
    double value, low, high;
} Cell;
Cell cell_words(const char *text);
Cell cell_number(double value);
Cell cell_interval(Mean m); /* to people "0.99 [0.98, 1.00]" */

typedef struct Sheet {
    const Column *columns;
    int cols;
    const char *label; /* in LaTeX: tab:LABEL, as plain_name writes it */
    const char *note;  /* what it shows: below it, in LaTeX its caption */
    Cell *cells;       /* row by row */
    int count, room;
} Sheet;

/* Adds a row, a cell for each column. */
#define sheet_row(sheet, ...) sheet_add_row(sheet, (const Cell[]){__VA_ARGS__})
void sheet_add_row(Sheet *s, const Cell *cells);

/* What --columns says: every table on stdout shows only these columns, "a,b",
   in this order; NULL: those for the layout's readers. */
extern const char *columns_asked;

/* Exits (2) unless the table, which may be empty yet, has all of them: to ask
   before work that takes long. */
void check_columns(const Sheet *s);

void sheet_write(FILE *to, const Sheet *s, Layout layout);

/* Writes it to stdout with its note. */
void sheet_print(const Sheet *s, Layout layout);

/* Words on stdout before or after a table, after a blank line: lines on a
   terminal, a paragraph in Markdown and LaTeX, for programs nothing. */
void words_write(const char *text, Layout layout);

/* Text in lines from column `from` to `width`; the first is at column `at`
   already. A word longer than that stays whole. */
void print_wrapped(FILE *to, int at, int from, int width, const char *text);

#endif
