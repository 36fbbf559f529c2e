/* csv.c - reads a table that another program wrote. Its cells point into the
   text of the file, where a 0 replaces the character behind each of them. */
#include <string.h>

#include "base/csv.h"
#include "heart/fail.h"

typedef struct Reader {
    const char *path;
    char *at;     /* the next character of the text */
    char ends[4]; /* the characters that end a cell without quotes, of which the
                     first separates cells */
    int line;     /* the number of its line, from 1 */
} Reader;

/* Reads the cell whose opening quote is at r->at, and returns its text, which
   overwrites the quoted one. Afterwards r->at is behind the closing quote. */
static char *
quoted_cell(Reader *r)
{
    char *cell = r->at, *from = cell + 1, *to = cell;
    int first_line = r->line;
    while (from[0] != '"' || from[1] == '"') { /* "" is no closing quote */
        if (!*from)
            fail("%s:%d: a quoted cell has no closing quote; add it", r->path,
                 first_line);
        if (*from == '"') /* skips the first one of "" */
            from++;
        if (*from == '\n')
            r->line++;
        *to++ = *from++;
    }
    *to = 0;
    r->at = from + 1;
    return cell;
}

/* Reads the next cell of a line, and returns its text. Afterwards r->at is
   behind the character that ends the cell. Sets *last to true if it is the last
   cell of its line. */
static char *
next_cell(Reader *r, bool *last)
{
    char *cell = r->at;
    if (*cell == '"')
        cell = quoted_cell(r);
    else
        r->at += strcspn(r->at, r->ends);
    if (r->at[0] == '\r' && r->at[1] == '\n') /* the line ends with CRLF */
        *r->at++ = 0;
    char end = *r->at, separator = r->ends[0];
    if (end == '\r')
        fail("%s:%d: it has a lone carriage return; end lines with LF or CRLF",
             r->path, r->line);
    if (end && end != '\n' && end != separator)
        fail("%s:%d: text follows a closing quote; quote the whole cell",
             r->path, r->line);
    *last = end != separator;
    *r->at = 0;
    if (end)
        r->at++;
    return cell;
}

/* Reads a line into t->cells, behind the cells of the lines before. The first
   line that is not empty has the names of the columns. Each later one is a row.
 */
static void
read_line(Reader *r, Table *t)
{
    bool header = t->cols == 0;
    int first = header ? 0 : (t->rows + 1) * t->cols;
    int line = r->line, count = 0;
    bool last = false;
    while (!last) {
        char *cell = next_cell(r, &last);
        t->cells =
            grow(t->cells, first + count, &t->capacity, sizeof *t->cells);
        t->cells[first + count] = cell;
        count++;
    }
    r->line++;
    if (count == 1 &&
        !*t->cells[first]) /* empty: the next line overwrites it */
        return;
    if (!header && count != t->cols)
        fail("%s:%d: this line has %d cells, but the first line names %d "
             "columns; give it a cell for each, or quote its commas",
             r->path, line, count, t->cols);
    t->cols = count;
    if (!header)
        t->rows++;
}

/* The cells point into the file's text, which is never freed. */
Table
csv_read(const char *path, int **lines)
{
    size_t size;
    int capacity = 0;
    Table t = {0};
    Reader r = {path, read_file(path, "table", &size), ",\r\n", 1};
    if (strlen(r.at) != size)
        fail("%s: it has NUL bytes, so it is not text; save it as UTF-8 CSV",
             path);
    if (!strncmp(r.at, "\xef\xbb\xbf", 3)) /* a byte order mark */
        r.at += 3;
    if (r.at[strcspn(r.at, "\t,;\n")] == ';') /* the first separator */
        fail("%s: semicolons separate its cells; use commas (0.5, not 0,5)",
             path);
    if (r.at[strcspn(r.at, "\t\n")] == '\t') /* the first line has a tab */
        r.ends[0] = '\t';
    *lines = NULL;
    while (*r.at) {
        /* If this line is not a row, the next one overwrites its number. */
        *lines = grow(*lines, t.rows, &capacity, sizeof **lines);
        (*lines)[t.rows] = r.line;
        read_line(&r, &t);
    }
    if (!t.rows)
        fail("%s: it has no rows; write the column names, then a line per row",
             path);
    return t;
}
