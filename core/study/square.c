/* square.c - the figure of equiv: each trained variant, as each other one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/tsv.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "study/draw.h"
#include "study/square.h"
#include "heart/fail.h"

enum { FROM, TO, ROW, COLUMN, LOGITS, KIND, COLUMNS };
static const char *const headings[COLUMNS] = {"from",   "to",     "row",
                                              "column", "logits", "kind"};

Square
square_new(int count)
{
    size_t n = (size_t)count;
    return (Square){allocate(n, sizeof(char *)),
                    allocate(n * n, sizeof(SquareCell)), count};
}

void
square_free(Square *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->names[i]);
    free(s->names);
    free(s->cells);
}

/* "equivalence", "equivalence-rope-double"; to be freed. */
static char *
file_name(const char *positions, bool in_double)
{
    return format_text("equivalence%s%s%s", *positions ? "-" : "", positions,
                       in_double ? "-double" : "");
}

/* Row i of the table, which is to be the cell of two names. */
static SquareCell
read_cell(const Table *t, int i, const Square *s, const char *path)
{
    double kind = table_number(t, i, KIND, path);
    double logits = table_number(t, i, LOGITS, path);
    if (strcmp(table_cell(t, i, FROM), s->names[i / s->count]) ||
        strcmp(table_cell(t, i, TO), s->names[i % s->count]) ||
        (kind != NONE && kind != NEAREST && kind != SAME))
        fail("%s:%d: not what `qkv equiv` writes there; run it again", path,
             i + 2);
    return (SquareCell){logits, (int)kind};
}

Square
square_read(const char *experiment, const char *positions, bool in_double)
{
    char *name = file_name(positions, in_double);
    char *file = format_text("figures/%s.tsv", name);
    Path path = within(experiment, file);
    free(file);
    free(name);
    if (access(path.text, F_OK))
        return square_new(0);
    Table t = table_read(path.text);
    int count = 0;
    while (count * count < t.rows)
        count++;
    bool square = t.cols == COLUMNS && count * count == t.rows;
    for (int i = 0; square && i < COLUMNS; i++)
        square = !strcmp(t.cells[i], headings[i]);
    if (!square)
        fail("%s: not the table that `qkv equiv` writes; run it again",
             path.text);
    Square s = square_new(count);
    for (int i = 0; i < count; i++) {
        char name[NAME_SIZE];
        plugin_name(table_cell(&t, i, TO), name); /* exits where it is none */
        s.names[i] = copy_text(name);
    }
    for (int i = 0; i < t.rows; i++)
        s.cells[i] = read_cell(&t, i, &s, path.text);
    table_free(&t);
    return s;
}

void
square_draw(const Square *s, const char *positions, bool in_double,
            const Drawing *o)
{
    char n[32];
    char *name = file_name(positions, in_double);
    Figure f = figure_begin(o, name);
    free(name);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(f.data, "%s%c", headings[i], i < KIND ? '\t' : '\n');
    for (int i = 0; i < s->count * s->count; i++)
        fprintf(f.data, "%s\t%s\t%d\t%d\t%s\t%d\n", s->names[i / s->count],
                s->names[i % s->count], i / s->count + 1, i % s->count + 1,
                number_text(s->cells[i].logits, 2, n), (int)s->cells[i].kind);
    char *title = format_text("Trained as the row, written as the column: "
                              "difference of logits, %s%s%s",
                              in_double ? "double" : "float",
                              *positions ? ", positions " : "", positions);
    figure_title(&f, title, "", "");
    free(title);
    figure_words(&f, "names", &(Values){s->names, s->count, s->count});
    figure_end(&f, "equivalence");
}
