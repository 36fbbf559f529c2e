/* table.c - a table that a command prints: built once, and written for a
   terminal, as TSV, in Markdown, in LaTeX or as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "page/table.h"

enum { ACROSS = 79 }; /* as wide as words are on a terminal */

/* How each layout writes a row, and a number that is not known. */
static const struct Syntax {
    const char *before, *between, *after, *unknown;
} syntax[] = {[ALIGNED] = {"", "  ", "\n", "-"},
              [TSV] = {"", "\t", "\n", "NA"},
              [MARKDOWN] = {"| ", " | ", " |\n", "-"},
              [LATEX] = {"", " & ", " \\\\\n", "--"},
              [JSON] = {"\n {", ", ", "}", "null"}};

const char *columns_asked;

bool
for_people(Layout layout)
{
    return layout != TSV && layout != JSON;
}

Cell
cell_words(const char *text)
{
    return (Cell){text ? copy_text(text) : NULL, NAN, NAN, NAN};
}

Cell
cell_number(double value)
{
    return (Cell){NULL, value, NAN, NAN};
}

Cell
cell_shown(double value, const char *text)
{
    return (Cell){copy_text(text), value, NAN, NAN};
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
        s->cells[s->count++] = cells[col];
    }
}

void
sheet_free(Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->cells[i].text);
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
    char text[64];
    if (!isfinite(x)) {
        fputs(syntax[layout].unknown, to);
        return;
    }
    snprintf(text, sizeof text,
             c->format && layout != JSON ? c->format : "%.15g",
             percent ? 100 * x : x);
    char *power = layout == LATEX ? strchr(text, 'e') : NULL;
    if (power)
        fprintf(to, "%.*s\\times10^{%d}", (int)(power - text), text,
                atoi(power + 1));
    else
        fputs(text, to);
    if (percent)
        fputs(layout == LATEX ? "\\%" : "%", to);
}

/* A cell as the language takes it; to be freed. */
static char *
cell_text(const Column *c, const Cell *cell, Layout layout)
{
    char *text;
    bool maths = layout == LATEX && !c->words && isfinite(cell->value);
    if (cell->text && (c->words || layout != JSON))
        return escaped(cell->text, layout);
    FILE *to = begin_text(&text);
    fputs(maths ? "$" : "", to);
    put_number(to, c, cell->value, layout);
    if (!isnan(cell->low) && for_people(layout)) {
        fputs(layout == LATEX ? "\\ [" : " [", to);
        put_number(to, c, cell->low, layout);
        fputs(", ", to);
        put_number(to, c, cell->high, layout);
        fputs("]", to);
    }
    fputs(maths ? "$" : "", to);
    end_text(to, &text);
    return text;
}

static bool
is_read(const Column *c, Layout layout)
{
    return c->readers == EVERYBODY ||
           (c->readers == PEOPLE && for_people(layout)) ||
           (c->readers == PROGRAMS && !for_people(layout)) ||
           (c->readers == PAPERS && (layout == LATEX || !for_people(layout)));
}

/* The places of the columns that are shown: those of a list "a,b", in its
   order, or those that the layout's readers want. Exits (2) where there is none
   such. To be freed. */
static int *
columns_shown(const Sheet *s, const char *list, Layout layout, int *count)
{
    Values wanted = values_cut(list ? list : "");
    int *shown = allocate((size_t)(s->cols + wanted.count), sizeof *shown);
    const char **names = allocate((size_t)s->cols, sizeof *names);
    *count = 0;
    for (int col = 0; col < s->cols; col++) {
        names[col] = s->columns[col].name;
        if (!list && is_read(&s->columns[col], layout))
            shown[(*count)++] = col;
    }
    for (int i = 0; list && i < wanted.count; i++) {
        int col = 0;
        while (col < s->cols && strcmp(names[col], wanted.text[i]))
            col++;
        char *there = joined(&(Values){(char **)names, s->cols, 0}, ", ");
        if (col == s->cols)
            usage("--columns: no column \"%s\"%s; there are: %s",
                  wanted.text[i], did_you_mean(wanted.text[i], names, s->cols),
                  there);
        free(there);
        shown[(*count)++] = col;
    }
    values_free(&wanted);
    free(names);
    return shown;
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

enum { MOST_ROWS = 50 }; /* of a float in LaTeX, which is on one page */

/* What is written before the rows from number `row` on, and after the first of
   them, the heads. */
static void
write_head(FILE *to, const Sheet *s, const int *shown, int cols, int row,
           Layout layout)
{
    char *note = escaped(s->note ? s->note : "", LATEX);
    if (layout == JSON)
        fputs("[", to);
    if (layout != LATEX)
        return;
    fputs("% needs \\usepackage{booktabs,graphicx}\n\\begin{table}[tb]\n"
          "\\centering\n",
          to);
    if (*note && row == 1)
        fprintf(to, "\\caption{%s}\n\\label{tab:%s}\n", note, s->label);
    fputs("\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
          "\\resizebox{\\ifdim\\width>\\columnwidth\\columnwidth\\else"
          "\\width\\fi}{!}{%\n\\begin{tabular}{@{}",
          to);
    for (int i = 0; i < cols; i++)
        fputs(s->columns[shown[i]].words ? "l" : "r", to);
    fputs("@{}}\n\\toprule\n", to);
    free(note);
}

static void
write_rule(FILE *to, const Sheet *s, const int *shown, int cols, Layout layout)
{
    for (int i = 0; layout == MARKDOWN && i < cols; i++)
        fputs(s->columns[shown[i]].words ? "|---" : "|--:", to);
    fputs(layout == MARKDOWN ? "|\n"
          : layout == LATEX  ? "\\midrule\n"
                             : "",
          to);
}

static void
write_row(FILE *to, const Sheet *s, const int *shown, char *const *texts,
          const int *widest, int cols, Layout layout)
{
    fputs(syntax[layout].before, to);
    for (int col = 0; col < cols; col++) {
        int blanks = widest[col] - width_of(texts[col]);
        bool words = s->columns[shown[col]].words, last = col == cols - 1;
        if (layout == JSON)
            fprintf(to, "\"%s\": ", s->columns[shown[col]].name);
        if (layout != ALIGNED)
            blanks = 0;
        fprintf(to, "%*s%s%*s%s", words ? 0 : blanks, "", texts[col],
                words && !last ? blanks : 0, "",
                last ? "" : syntax[layout].between);
    }
    fputs(syntax[layout].after, to);
}

/* Row by row, the heads first; on a terminal each column is as wide as its
   widest cell. In JSON a row is an object, and the heads are in each. */
static void
write_rows(FILE *to, const Sheet *s, const int *shown, char *const *texts,
           int cols, Layout layout)
{
    int rows = s->count / s->cols;
    int *widest = allocate((size_t)cols + 1, sizeof *widest);
    for (int i = 0; i < (rows + 1) * cols; i++)
        if (width_of(texts[i]) > widest[i % cols])
            widest[i % cols] = width_of(texts[i]);
    for (int row = 1; row <= rows || row == 1; row++) {
        bool begins = row == 1 || (layout == LATEX && row % MOST_ROWS == 1);
        bool ends = row >= rows || row % MOST_ROWS == 0;
        if (begins)
            write_head(to, s, shown, cols, row, layout);
        if (begins && layout != JSON) {
            write_row(to, s, shown, texts, widest, cols, layout);
            write_rule(to, s, shown, cols, layout);
        }
        fputs(layout == JSON && row > 1 ? "," : "", to);
        if (row <= rows)
            write_row(to, s, shown, texts + row * cols, widest, cols, layout);
        if (layout == LATEX && ends)
            fputs("\\bottomrule\n\\end{tabular}}\n\\end{table}\n", to);
    }
    fputs(layout == JSON ? "\n]\n" : "", to);
    free(widest);
}

void
sheet_write(FILE *to, const Sheet *s, Layout layout)
{
    int cols, rows = s->count / s->cols + 1;
    const char *asked = to == stdout ? columns_asked : NULL;
    int *shown = columns_shown(s, asked, layout, &cols);
    char **texts = allocate((size_t)rows * (size_t)cols + 1, sizeof *texts);
    for (int i = 0; i < rows * cols; i++) {
        int row = i / cols, col = shown[i % cols];
        const Column *c = &s->columns[col];
        const char *head = for_people(layout) && c->title ? c->title : c->name;
        texts[i] =
            row ? cell_text(c, &s->cells[(row - 1) * s->cols + col], layout)
                : escaped(head, layout);
    }
    write_rows(to, s, shown, texts, cols, layout);
    for (int i = 0; i < rows * cols; i++)
        free(texts[i]);
    free(texts);
    free(shown);
}

void
sheet_print(Sheet *s, Layout layout)
{
    sheet_write(stdout, s, layout);
    if (s->note && layout != LATEX && !columns_asked)
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

void
words_write(FILE *to, const char *text, Layout layout)
{
    char *safe = escaped(text, layout);
    if (layout == ALIGNED)
        print_wrapped(to, 0, 0, ACROSS, safe);
    else if (for_people(layout))
        fprintf(to, "\n%s\n", safe);
    free(safe);
}

void
words_below(FILE *to, const char *text, Layout layout)
{
    fputs(layout == ALIGNED ? "\n" : "", to);
    words_write(to, text, layout);
}

void
item_write(FILE *to, const char *text, Layout layout)
{
    char *safe = escaped(text, layout);
    if (layout == ALIGNED) {
        fputs("  ", to);
        print_wrapped(to, 4, 4, ACROSS, safe);
    } else if (for_people(layout))
        fprintf(to, "%s%s\n",
                layout == MARKDOWN
                    ? "- "
                    : "\n\\hangindent=1em \\noindent\\textbullet\\ ",
                safe);
    free(safe);
}
