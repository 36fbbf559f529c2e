/* latex_table.c - a table of a paper: a float with its caption and label.

   What is the same in all rows goes into the caption. If the rest is wider than
   a column of a two-column paper, the columns go that can be spared, the least
   needed first. What is then still too wide, LaTeX makes smaller. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/latex_table.h"
#include "heart/fail.h"

/* In characters: a column at 8 points, made a little smaller, and what is
   between two columns of a table. */
enum { ACROSS = 64, GAP = 2 };
enum { MOST_ROWS = 50 }; /* on a page */

/* A column in LaTeX: its texts, the head first. */
typedef struct LatexColumn {
    const Column *column;
    char **texts;
    int width; /* in characters */
    enum { SHOWN, SHARED, SPARED } state;
} LatexColumn;

/* As many decimals as its format has, two where it has none, or two digits of
   what is small, and millions as M. */
static void
put_short(FILE *to, double x, const char *format)
{
    static const char units[] = "MGTPE";
    int power = x == 0 ? 0 : (int)floor(log10(fabs(x)));
    int unit = power < 20 ? power / 3 - 2 : 4;
    char digits[32];
    if (unit >= 0 && power < 21)
        fprintf(to, "%.2f\\,\\mathrm{%c}", x / pow(1000, unit + 2),
                units[unit]);
    else if (!format && x == floor(x) && power < 21)
        fprintf(to, "%.0f", x);
    else if (format && strchr(format, 'f'))
        fprintf(to, format, x);
    else if (power >= -1 && power < 21)
        fprintf(to, "%.2f", x);
    else if (power >= -3 && power < 0)
        fprintf(to, "%.2g", x);
    else { /* 9.96e-05 has another power than its logarithm says */
        snprintf(digits, sizeof digits, "%.1e", x);
        char *e = strchr(digits, 'e');
        fprintf(to, "%.*s\\times10^{%d}", (int)(e - digits), digits,
                atoi(e + 1));
    }
}

static void
put_number(FILE *to, const Column *c, double x)
{
    if (!isfinite(x)) {
        fputs("\\mbox{--}", to);
        return;
    }
    put_short(to, c->share ? 100 * x : x, c->format);
    fputs(c->share ? "\\%" : "", to);
}

/* A cell; of a column of numbers also what is shown in their place, ">60" or
   "3/5", is maths. To be freed. */
static char *
cell_text(const Column *c, const Cell *cell)
{
    char *text;
    bool number = !c->words && cell->text && *cell->text &&
                  !cell->text[strspn(cell->text, "0123456789.<>/-")];
    if (number && strcmp(cell->text, "-"))
        return format_text("$%s$", cell->text);
    if (cell->text && !number)
        return escaped(cell->text, LATEX);
    if (c->words || !isfinite(cell->value))
        return copy_text(c->words ? "" : "--");
    FILE *to = begin_text(&text);
    fputs("$", to);
    put_number(to, c, cell->value);
    if (!isnan(cell->low)) {
        fputs("\\ [", to);
        put_number(to, c, cell->low);
        fputs(", ", to);
        put_number(to, c, cell->high);
        fputs("]", to);
    }
    fputs("$", to);
    end_text(to, &text);
    return text;
}

/* About how many characters are seen of it: a command counts as one. */
static int
width_of(const char *text)
{
    int width = 0;
    bool command = false;
    for (const char *c = text; *c; c++) {
        command = *c == '\\' || (command && isalpha((unsigned char)*c));
        bool seen = ((unsigned char)*c & 0xc0) != 0x80 && !strchr("${}_^", *c);
        width += command ? *c == '\\' : seen;
    }
    return width;
}

/* The columns that a paper's readers see. */
static LatexColumn *
strips_of(const Sheet *s, int rows, int *count)
{
    LatexColumn *strips = allocate((size_t)s->cols, sizeof *strips);
    *count = 0;
    for (int col = 0; col < s->cols; col++) {
        const Column *c = &s->columns[col];
        if (c->readers == PROGRAMS || c->readers == NOBODY)
            continue;
        const char *head = c->title ? c->title : c->name;
        LatexColumn *p = &strips[(*count)++];
        *p = (LatexColumn){.column = c};
        p->texts = allocate((size_t)rows + 1, sizeof *p->texts);
        for (int row = 0; row <= rows; row++) {
            const Cell *cell = &s->cells[(row - 1) * s->cols + col];
            p->texts[row] = row ? cell_text(c, cell) : escaped(head, LATEX);
            int width = width_of(p->texts[row]);
            p->width = width > p->width ? width : p->width;
        }
    }
    return strips;
}

/* Takes out what all rows share, where two columns or more remain. */
static void
share(LatexColumn *strips, int count, int rows)
{
    int left = count;
    for (int col = 1; col < count && rows > 1; col++) {
        bool same = true;
        for (int row = 2; row <= rows; row++)
            same &= !strcmp(strips[col].texts[row], strips[col].texts[1]);
        strips[col].state = same ? SHARED : SHOWN;
        left -= same;
    }
    for (int col = 1; col < count && left < 2; col++)
        strips[col].state = SHOWN;
}

/* Takes out the column that can be spared most, of equals the last, until the
   others fit or are all needed. */
static void
spare(LatexColumn *strips, int count)
{
    for (;;) {
        LatexColumn *least = NULL;
        int width = -GAP;
        for (LatexColumn *p = strips; p < strips + count; p++) {
            if (p->state != SHOWN)
                continue;
            width += p->width + GAP;
            if (p->column->spare >= (least ? least->column->spare : 1))
                least = p;
        }
        if (width <= ACROSS || !least)
            return;
        least->state = SPARED;
    }
}

/* What the table is of, what its columns mean, and what all its rows share: "In
   all rows: task reverse, length 8."; to be freed. */
static char *
caption_of(const Sheet *s, const LatexColumn *strips, int count)
{
    Values meanings = {0}, shared = {0};
    for (const LatexColumn *p = strips; p < strips + count; p++) {
        const char *head = p->texts[0], *meaning = p->column->meaning;
        char *words = escaped(meaning ? meaning : "", LATEX);
        if (*words && p->state != SPARED)
            values_add(&meanings, format_text("%s: %s", head, words));
        free(words);
        if (p->state == SHARED && *p->texts[1] && strcmp(p->texts[1], "--"))
            values_add(&shared, format_text("%s %s", head, p->texts[1]));
    }
    char *note = escaped(s->note ? s->note : "", LATEX);
    char *means = joined(&meanings, "; "), *all = joined(&shared, ", ");
    char *caption = format_text(
        "%s%s%s%s%s%s%s", note, *note && (*means || *all) ? " " : "", means,
        !*means ? ""
        : *all  ? ". "
                : ".",
        *all ? "In all rows: " : "", all, *all ? "." : "");
    free(note);
    free(means);
    free(all);
    values_free(&meanings);
    values_free(&shared);
    return caption;
}

static void
write_row(FILE *to, const LatexColumn *strips, int count, int row)
{
    const char *sign = "";
    for (const LatexColumn *p = strips; p < strips + count; p++)
        if (p->state == SHOWN) {
            fprintf(to, "%s%s", sign, p->texts[row]);
            sign = " & ";
        }
    fputs(" \\\\\n", to);
}

/* Rows from..end-1, from 1 on. */
static void
write_float(FILE *to, const Sheet *s, const LatexColumn *strips, int count,
            int from, int end)
{
    char *caption = caption_of(s, strips, count);
    fputs("\\begin{table}[tb]\n\\centering\n", to);
    if (*caption)
        fprintf(to, "\\caption{%s%s}\n", caption,
                from > 1 ? " (continued)" : "");
    if (*caption && s->label && from == 1)
        fprintf(to, "\\label{tab:%s}\n", s->label);
    fprintf(to,
            "%s\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
            "\\resizebox{\\ifdim\\width>\\columnwidth\\columnwidth\\else"
            "\\width\\fi}{!}{%%\n\\begin{tabular}{@{}",
            *caption ? "\\vspace{3pt}\n" : "");
    for (const LatexColumn *p = strips; p < strips + count; p++)
        fputs(p->state != SHOWN ? "" : p->column->words ? "l" : "r", to);
    fputs("@{}}\n\\toprule\n", to);
    write_row(to, strips, count, 0);
    fputs("\\midrule\n", to);
    for (int row = from; row < end; row++)
        write_row(to, strips, count, row);
    fputs("\\bottomrule\n\\end{tabular}}\n\\end{table}\n", to);
    free(caption);
}

void
latex_write(FILE *to, const Sheet *s)
{
    int count, rows = s->count / s->cols;
    LatexColumn *strips = strips_of(s, rows, &count);
    Values spared = {0};
    share(strips, count, rows);
    spare(strips, count);
    for (const LatexColumn *p = strips; p < strips + count; p++)
        if (p->state == SPARED)
            values_add(&spared, copy_text(p->column->name));
    char *names = joined(&spared, ", ");
    fputs("% needs \\usepackage{booktabs,graphicx}\n", to);
    if (*names)
        fprintf(to,
                "%% Left out, for the width of a column: %s; --tsv has all\n",
                names);
    for (int from = 1; from <= rows; from += MOST_ROWS)
        write_float(to, s, strips, count, from,
                    from + MOST_ROWS > rows ? rows + 1 : from + MOST_ROWS);
    free(names);
    values_free(&spared);
    for (int i = 0; i < count; i++) {
        for (int row = 0; row <= rows; row++)
            free(strips[i].texts[row]);
        free(strips[i].texts);
    }
    free(strips);
}
