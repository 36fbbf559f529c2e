/* table.h - a table that a command prints: built once, and written for a
   terminal, as TSV, as JSON, in Markdown or in LaTeX.

       static const Column columns[] = {
           {"variant", .words = true},
           {"test_loss", .title = "test loss", .format = "%.3g"}};
       Sheet sheet = sheet_of(columns, "losses", o->columns);
       sheet_row(&sheet, cell("standard"), cell(0.0229));
       sheet_print(&sheet, layout_of(o));

   People read a table on a terminal, in Markdown or in LaTeX; programs read TSV
   and JSON. A column may be only for people or only for programs. People do not
   see a column in which no cell has a value. Cells are never freed, since a
   command prints few tables. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "math/statistics.h"
#include "page/escape.h"

/* Who sees a column unless columns were chosen. */
typedef enum { EVERYBODY, PEOPLE, PROGRAMS, NOBODY } Readers;

/* Returns whether the layout is TSV or JSON. */
bool for_programs(Layout layout);

typedef struct Column {
    const char *name;   /* its head for programs */
    const char *title;  /* its head for people; NULL: the name */
    const char *format; /* of its numbers, for printf; NULL: "%.15g" */
    bool words;         /* true if it has words, which are aligned left */
    Readers readers;
} Column;

/* A cell has words, a number, or a number with an interval around it. An
   unknown number is NaN. People see it as -, programs as NA or, in JSON, as
   null; an infinite number is shown in the same way. */
typedef struct Cell {
    char *text;              /* words; NULL: the cell has the number `value` */
    double value, low, high; /* its interval is low to high, or NaN */
} Cell;
Cell cell_words(const char *text); /* copies it; NULL: an unknown number */
Cell cell_number(double value);
Cell cell_interval(Mean m); /* people see 0.99 [0.98, 1.00] */

/* Makes a cell of x: words if x is a text, a number with an interval if x is a
   Mean, else a number. */
#define cell(x) \
    _Generic((x), char *: cell_words, const char *: cell_words, \
             Mean: cell_interval, default: cell_number)(x)

typedef struct Sheet {
    const Column *columns;
    int cols;
    const char *label;   /* in LaTeX, tab:LABEL labels the table */
    const char *note;    /* printed below the table; in LaTeX, its caption */
    const char *chosen;  /* "a,b": only these columns are written, in this
                            order; NULL: all that the layout's readers see */
    Cell *cells;         /* row by row, `cols` in each row */
    int count, capacity; /* of cells */
} Sheet;

/* Exits (2) unless the table has all the columns that were chosen. The table
   may still be empty. */
void check_columns(const Sheet *s);

/* Makes an empty table, and checks the chosen columns. So call it before work
   that takes long. */
Sheet sheet_new(const Column *columns, int cols, const char *label,
                const char *chosen);

/* sheet_of with all columns of an array. */
#define sheet_of(array, label, chosen) \
    sheet_new(array, (int)(sizeof(array) / sizeof *(array)), label, chosen)

/* Adds a row, a cell for each column. */
#define sheet_row(sheet, ...) sheet_add_row(sheet, (const Cell[]){__VA_ARGS__})
void sheet_add_row(Sheet *s, const Cell *cells);

/* Writes a table to a file. Only LaTeX has its note, as the caption. */
void sheet_write(FILE *to, const Sheet *s, Layout layout);

/* Writes a table to stdout. Below it, people also get its note, unless columns
   were chosen; in LaTeX the note is always the caption. */
void sheet_print(const Sheet *s, Layout layout);

/* Writes a blank line and a paragraph to stdout, but nothing in a layout for
   programs. */
void words_write(const char *text, Layout layout);

/* Prints text to stdout in lines of at most LINE_WIDTH columns, each indented
   to column `indent`. The caller has already printed the first `column` columns
   of the first line. A word that is longer than a line is not cut. */
enum { LINE_WIDTH = 79 };
void print_wrapped(int column, int indent, const char *text);

/* print_wrapped from the beginning of a line, without an indent. */
#define print_paragraph(text) print_wrapped(0, 0, text)

#endif
