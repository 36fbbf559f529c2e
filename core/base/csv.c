/* csv.c - reads a table that another program wrote. Its cells are not copied:
   they point into the text of the file, in which the comma, tab or line end
   after each cell is replaced by a 0. */
#include <string.h>

#include "base/csv.h"
#include "heart/fail.h"

typedef struct Reader {
    const char *path;
    char *at;       /* the next character of the text */
    char separator; /* of the cells: a comma or a tab */
    int line;       /* the number of the line that `at` is in, from 1 */
} Reader;

/* Reads the cell whose opening quote is at r->at, and moves r->at past its
   closing quote. Returns the text between the quotes, with each "" turned into
   ". This text is shorter than the quoted cell, and is written over it. */
static char *
quoted_cell(Reader *r)
{
    char *cell = r->at, *from = cell + 1, *to = cell;
    int first_line = r->line;
    while (from[0] != '"' || from[1] == '"') { /* "" does not end the cell */
        if (!*from)
            fail("%s:%d: a quoted cell has no closing quote; add it", r->path,
                 first_line);
        if (*from == '"') /* skip the first quote of "" */
            from++;
        if (*from == '\n')
            r->line++;
        *to++ = *from++;
    }
    *to = 0;
    r->at = from + 1;
    return cell;
}

/* Reads the next cell of a line, and returns its text. Moves r->at past the
   comma, tab or line end that follows the cell. Sets *last to whether the cell
   is the last one of its line. */
static char *
next_cell(Reader *r, bool *last)
{
    const char ends[] = {r->separator, '\r', '\n', 0}; /* of an unquoted cell */
    char *cell = r->at;
    if (*cell == '"')
        cell = quoted_cell(r);
    else
        r->at += strcspn(r->at, ends);
    if (r->at[0] == '\r' && r->at[1] == '\n') {
        *r->at = 0; /* ends the cell at the CR, so that only the LF is left */
        r->at++;
    }
    char end = *r->at;
    if (end == '\r')
        fail("%s:%d: it has a lone carriage return; end lines with LF or CRLF",
             r->path, r->line);
    if (end && end != '\n' && end != r->separator)
        fail("%s:%d: text follows a closing quote; quote the whole cell",
             r->path, r->line);
    *last = end != r->separator;
    *r->at = 0;
    if (end) /* else it is the end of the text */
        r->at++;
    return cell;
}

/* Reads a line, and adds it to the table unless it is empty. The first line
   that is not empty has the names of the columns; each later one is a row. */
static void
read_line(Reader *r, Table *t)
{
    bool header = t->cols == 0; /* no line had cells so far */
    /* A new row begins after the column names and all earlier rows. */
    int first_cell = header ? 0 : (t->rows + 1) * t->cols;
    int line = r->line, count = 0; /* how many cells the line has so far */
    bool last = false;
    while (!last) {
        char *cell = next_cell(r, &last);
        t->cells =
            grow(t->cells, first_cell + count, &t->capacity, sizeof *t->cells);
        t->cells[first_cell + count] = cell;
        count++;
    }
    r->line++;
    bool empty = count == 1 && *t->cells[first_cell] == 0;
    if (empty) /* the next line overwrites its cell */
        return;
    const char *separator = r->separator == '\t' ? "tab" : "comma";
    if (!header && count != t->cols)
        fail("%s:%d: this line has %d cells, but the first line names %d "
             "columns; give it a cell for each, and quote any cell that "
             "contains a %s",
             r->path, line, count, t->cols, separator);
    t->cols = count;
    if (!header)
        t->rows++;
}

Table
csv_read(const char *path, int **lines)
{
    size_t size;
    int capacity = 0;
    Table t = {0};
    Reader r = {.path = path,
                .at = read_file(path, "table", &size),
                .separator = ',',
                .line = 1};
    if (strlen(r.at) != size)
        fail("%s: it has NUL bytes, so it is not text; save it as UTF-8 CSV",
             path);
    if (!strncmp(r.at, "\xef\xbb\xbf", 3)) /* the UTF-8 byte order mark */
        r.at += 3;
    if (r.at[strcspn(r.at, "\t,;\n")] == ';') /* before any comma or tab */
        fail("%s: its first line has semicolons; use commas (0.5, not 0,5)",
             path);
    if (r.at[strcspn(r.at, "\t\n")] == '\t') /* the first line has a tab */
        r.separator = '\t';
    *lines = NULL;
    while (*r.at) {
        /* The number of this line is kept if the line is a row, since t.rows
           grows then. Otherwise that of the next line overwrites it. */
        *lines = grow(*lines, t.rows, &capacity, sizeof **lines);
        (*lines)[t.rows] = r.line;
        read_line(&r, &t);
    }
    if (!t.rows)
        fail("%s: it has no rows; write the column names, then a line per row",
             path);
    return t;
}
