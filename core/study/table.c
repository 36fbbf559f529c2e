/* table.c - a table that a command prints: built once, and written for a
   terminal, as TSV, in Markdown, in LaTeX or as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "study/latex_table.h"
#include "study/table.h"
#include "heart/fail.h"

enum { ACROSS = 79 }; /* as wide as words are on a terminal */

bool
for_people(Layout layout)
{
    return layout != TSV && layout != JSON;
}

Cell
cell_words(const char *text)
{
    return (Cell){text, NAN, NAN, NAN};
}

Cell
cell_number(double value)
{
    return (Cell){NULL, value, NAN, NAN};
}

Cell
cell_shown(double value, const char *text)
{
    return (Cell){text, value, NAN, NAN};
}

Cell
cell_interval(Mean m)
{
    return (Cell){NULL, m.mean, m.low, m.high};
}

Sheet
sheet_of(const Column *columns, int count)
{
    Sheet s = {.cols = count};
    s.columns = allocate((size_t)count, sizeof *s.columns);
    memcpy(s.columns, columns, (size_t)count * sizeof *columns);
    return s;
}

void
sheet_add_row(Sheet *s, const Cell *cells, size_t count)
{
    if ((int)count != s->cols)
        bug("a row of %zu cells in a table of %d columns", count, s->cols);
    for (int col = 0; col < s->cols; col++) {
        s->cells = grow(s->cells, s->count, &s->room, sizeof *s->cells);
        s->cells[s->count] = cells[col];
        if (cells[col].text)
            s->cells[s->count].text = copy_text(cells[col].text);
        s->count++;
    }
}

void
sheet_free(Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        free((char *)s->cells[i].text);
    free(s->cells);
    free(s->columns);
    free(s->note);
}

void
sheet_note(Sheet *s, const char *label, char *note)
{
    s->label = label;
    s->note = note;
}

/* One number as the layout's readers see it. */
static void
put_number(FILE *to, const Column *c, double x, Layout layout)
{
    bool percent = c->share && for_people(layout);
    double shown = percent ? 100 * x : x;
    if (!isfinite(x))
        fputs(layout == JSON ? "null" : layout == TSV ? "NA" : "-", to);
    else
        fprintf(to, c->format && layout != JSON ? c->format : "%.15g", shown);
    if (percent && isfinite(x))
        fputs("%", to);
}

/* A cell as the language takes it; to be freed. */
static char *
cell_text(const Column *c, const Cell *cell, Layout layout)
{
    char *text;
    if (cell->text && (c->words || layout != JSON))
        return escaped(cell->text, layout);
    FILE *to = begin_text(&text);
    put_number(to, c, cell->value, layout);
    if (!isnan(cell->low) && layout != JSON) {
        fputs(" [", to);
        put_number(to, c, cell->low, layout);
        fputs(", ", to);
        put_number(to, c, cell->high, layout);
        fputs("]", to);
    }
    end_text(to, &text);
    return text;
}

/* What a layout's readers see: the columns, and as texts all cells, row by row,
   the heads first. */
typedef struct View {
    const Column **columns;
    char **texts;
    int cols, count;
} View;

static View
view_of(const Sheet *s, Layout layout)
{
    View v = {allocate((size_t)s->cols, sizeof *v.columns),
              allocate((size_t)(s->cols + s->count), sizeof *v.texts), 0, 0};
    for (int i = 0; i < s->cols + s->count; i++) {
        const Column *c = &s->columns[i % s->cols];
        if (c->readers &&
            c->readers != (for_people(layout) ? PEOPLE : PROGRAMS))
            continue;
        const char *head = for_people(layout) && c->title ? c->title : c->name;
        if (i < s->cols)
            v.columns[v.cols++] = c;
        v.texts[v.count++] = i < s->cols
                                 ? escaped(head, layout)
                                 : cell_text(c, &s->cells[i - s->cols], layout);
    }
    return v;
}

/* Characters, of UTF-8. */
static int
width_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* The line below the heads. */
static void
write_rule(FILE *to, const View *v, Layout layout)
{
    for (int col = 0; layout == MARKDOWN && col < v->cols; col++)
        fputs(v->columns[col]->words ? "|---" : "|--:", to);
    fputs(layout == MARKDOWN ? "|\n" : "", to);
}

/* Row by row; on a terminal each column is as wide as its widest cell. */
static void
write_rows(FILE *to, const View *v, Layout layout)
{
    static const char *const signs[][3] = {[ALIGNED] = {"", "  ", "\n"},
                                           [TSV] = {"", "\t", "\n"},
                                           [MARKDOWN] = {"| ", " | ", " |\n"}};
    int *widest = allocate((size_t)v->cols, sizeof *widest);
    for (int i = 0; layout == ALIGNED && i < v->count; i++)
        if (width_of(v->texts[i]) > widest[i % v->cols])
            widest[i % v->cols] = width_of(v->texts[i]);
    for (int i = 0; i < v->count; i++) {
        int col = i % v->cols, blanks = widest[col] - width_of(v->texts[i]);
        bool words = v->columns[col]->words, last = col == v->cols - 1;
        blanks = blanks > 0 ? blanks : 0;
        fprintf(to, "%s%*s%s%*s%s", col ? "" : signs[layout][0],
                words ? 0 : blanks, "", v->texts[i],
                words && !last ? blanks : 0, "", signs[layout][last ? 2 : 1]);
        if (i == v->cols - 1)
            write_rule(to, v, layout);
    }
    free(widest);
}

/* An object a row. */
static void
write_json(FILE *to, const View *v)
{
    fputs("[", to);
    for (int i = v->cols; i < v->count; i++) {
        int col = i % v->cols;
        fprintf(to, "%s%s: %s%s",
                col > 0       ? ", "
                : i > v->cols ? ",\n {"
                              : "\n {",
                v->texts[col], v->texts[i], col == v->cols - 1 ? "}" : "");
    }
    fputs("\n]\n", to);
}

void
sheet_write(FILE *to, const Sheet *s, Layout layout)
{
    if (layout == LATEX) {
        latex_write(to, s);
        return;
    }
    View v = view_of(s, layout);
    if (layout == JSON)
        write_json(to, &v);
    else
        write_rows(to, &v, layout);
    for (int i = 0; i < v.count; i++)
        free(v.texts[i]);
    free(v.texts);
    free(v.columns);
}

void
sheet_print(Sheet *s, Layout layout)
{
    sheet_write(stdout, s, layout);
    if (s->note && layout != LATEX)
        words_below(stdout, s->note, layout);
    sheet_free(s);
}

void
print_wrapped(FILE *to, int at, int from, int width, const char *text)
{
    for (; *text; at = 0) {
        int n = (int)strlen(text), most = width - from;
        if (n > most)
            for (n = most; n > 0 && text[n] != ' ';)
                n--;
        if (n == 0)
            n = (int)strcspn(text, " ");
        fprintf(to, "%*s%.*s\n", from - at, "", n, text);
        text += n + (text[n] == ' ');
    }
}

/* As what the words around a table are escaped. */
static Layout
words_language(Layout layout)
{
    return layout == MARKDOWN     ? PARAGRAPH
           : layout == LATEX_TEXT ? LATEX_TEXT
                                  : ALIGNED;
}

void
words_write(FILE *to, const char *text, Layout layout)
{
    char *safe = escaped(text, words_language(layout));
    if (layout == ALIGNED)
        print_wrapped(to, 0, 0, ACROSS, safe);
    else if (for_people(layout))
        fprintf(to, "%s%s\n", layout == LATEX ? "% " : "\n", safe);
    free(safe);
}

void
words_below(FILE *to, const char *text, Layout layout)
{
    fputs(layout == ALIGNED || layout == LATEX ? "\n" : "", to);
    words_write(to, text, layout);
}

void
item_write(FILE *to, const char *text, Layout layout)
{
    char *safe = escaped(text, words_language(layout));
    const char *sign = layout == LATEX        ? "%   "
                       : layout == LATEX_TEXT ? "\n\\hangindent=1em "
                                                "\\noindent\\textbullet\\ "
                                              : "- ";
    if (layout == ALIGNED) {
        fputs("  ", to);
        print_wrapped(to, 4, 4, ACROSS, safe);
    } else if (for_people(layout))
        fprintf(to, "%s%s\n", sign, safe);
    free(safe);
}
