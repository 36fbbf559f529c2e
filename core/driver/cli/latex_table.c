/* latex_table.c - a table of a paper: a float with its caption and label.

   A column of a two-column paper has room for about fifty digits. So what is
   the same in all rows goes into the caption. If the rest does not fit, long
   heads are stacked, then the columns go that can be spared, the least needed
   first, and then the longest words are broken into lines. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/cli/latex_table.h"

/* In points: the narrowest column in use, of ACL's style, less what an estimate
   may be out by (ICML's and article's have 230 and more), and what is between
   two columns of a table. */
enum { ACROSS = 219 - 4, GAP = 6 };
enum { MOST_LINES = 50 }; /* on a page */

/* A column in LaTeX: its texts, the head first. */
typedef struct Strip {
    const Column *column;
    char **texts;
    double width, least; /* in points: as it is, and broken into lines */
    enum { SHOWN, SHARED, SPARED } state;
    bool broken;
} Strip;

/* Two decimals, or two digits of what is small, and millions as M. */
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
    else if ((format && strchr(format, 'f')) || (power >= -1 && power < 21))
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

/* About as wide as it is in Computer Modern at 8 points, in points. */
static double
width_of(const char *text)
{
    double width = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && isalpha((unsigned char)c[1])) {
            width += strchr("th", c[1]) ? 7 : 0; /* \textless, \times, \to */
            while (isalpha((unsigned char)c[1]))
                c++;
        } else if (*c == '\\' && c[1]) {
            width += strchr(" ,", *++c) ? 2.5 : 6;
        } else if (((unsigned char)*c & 0xc0) != 0x80 && !strchr("${}_^", *c))
            width += strchr("ijl.,;:'|!()[] ", *c) ? 2.5
                     : strchr("tfrs-", *c)         ? 3.4
                     : strchr("mwMW%@=<>+", *c)    ? 7
                     : isupper((unsigned char)*c)  ? 6
                                                   : 4.4;
    }
    return width;
}

/* Of the text up to one of those characters, to which it moves. */
static double
width_of_piece(const char **text, const char *ends)
{
    size_t n = strcspn(*text, ends);
    char *piece = format_text("%.*s", (int)n, *text);
    double width = width_of(piece);
    free(piece);
    *text += n;
    return width;
}

/* Of its longest piece, where it is broken at blanks and these signs. */
static double
width_of_longest(const char *text)
{
    double width = 0;
    for (; *text; text += *text != 0)
        width = fmax(width, width_of_piece(&text, " -_/") + width_of("-"));
    return width;
}

/* Its title, but its name, with blanks, where another column has that title
   too; to be freed. */
static char *
head_of(const Sheet *s, const Column *c)
{
    bool alone = c->title != NULL;
    for (int col = 0; col < s->cols && alone; col++)
        alone = &s->columns[col] == c || !s->columns[col].title ||
                strcmp(s->columns[col].title, c->title);
    char *words = copy_text(alone ? c->title : c->name);
    for (char *at = words; *at && !alone; at++)
        if (*at == '_' && at != words + 1) /* d_k is a symbol */
            *at = ' ';
    char *head = escaped(words, LATEX);
    free(words);
    return head;
}

/* The columns that a paper's readers see. */
static Strip *
parts_of(const Sheet *s, int rows, int *count)
{
    Strip *parts = allocate((size_t)s->cols, sizeof *parts);
    *count = 0;
    for (int col = 0; col < s->cols; col++) {
        const Column *c = &s->columns[col];
        if (c->readers == PROGRAMS || c->readers == NOBODY)
            continue;
        Strip *p = &parts[(*count)++];
        *p = (Strip){.column = c};
        p->texts = allocate((size_t)rows + 1, sizeof *p->texts);
        p->texts[0] = head_of(s, c);
        for (int row = 0; row < rows; row++)
            p->texts[row + 1] = cell_text(c, &s->cells[row * s->cols + col]);
        for (int row = 0; row <= rows; row++) {
            p->width = fmax(p->width, width_of(p->texts[row]));
            p->least = fmax(p->least, width_of_longest(p->texts[row]));
        }
    }
    return parts;
}

/* Takes out what all rows share, where two columns or more remain. */
static void
share(Strip *parts, int count, int rows)
{
    int left = count;
    for (int col = 1; col < count && rows > 1; col++) {
        bool same = true;
        for (int row = 2; row <= rows; row++)
            same &= !strcmp(parts[col].texts[row], parts[col].texts[1]);
        parts[col].state = same ? SHARED : SHOWN;
        left -= same;
    }
    for (int col = 1; col < count && left < 2; col++)
        parts[col].state = SHOWN;
}

static double
width_of_all(const Strip *parts, int count)
{
    double width = -GAP;
    for (int col = 0; col < count; col++)
        width += parts[col].state == SHOWN ? parts[col].width + GAP : 0;
    return width;
}

/* A head on several lines, none of which is wider than its cells, or than its
   longest word; to be freed. */
static char *
stacked(const char *head, bool words, double *width)
{
    double line = 0;
    char *text = format_text("\\shortstack[%c]{", words ? 'l' : 'r');
    for (const char *at = head; *at; at += strspn(at, " "))
        *width = fmax(*width, width_of_piece(&at, " "));
    for (const char *at = head; *at; at += strspn(at, " ")) {
        const char *from = at;
        double word = width_of_piece(&at, " ");
        bool on = from > head && line + 2.5 + word <= *width;
        line = on ? line + 2.5 + word : word;
        replace(&text, format_text("%s%s%.*s", text,
                                   on            ? " "
                                   : from > head ? "\\\\{}"
                                                 : "",
                                   (int)(at - from), from));
    }
    replace(&text, format_text("%s}", text));
    return text;
}

/* Puts the words of heads that are wider than their columns above one
   another. */
static void
stack_heads(Strip *parts, int count, int rows)
{
    for (Strip *p = parts; p < parts + count; p++) {
        double widest = 0;
        for (int row = 1; row <= rows; row++)
            widest = fmax(widest, width_of(p->texts[row]));
        if (p->state != SHOWN || widest >= p->width ||
            !strchr(p->texts[0], ' '))
            continue;
        replace(&p->texts[0], stacked(p->texts[0], p->column->words, &widest));
        p->width = widest;
    }
}

/* The column that can be spared most, of equals the last; NULL for none. */
static Strip *
least_needed(Strip *parts, int count)
{
    Strip *last = NULL;
    for (Strip *p = parts; p < parts + count; p++)
        if (p->state == SHOWN && p->column->spare &&
            (!last || p->column->spare >= last->column->spare))
            last = p;
    return last;
}

/* The longest words that are not broken yet; NULL for none. */
static Strip *
longest_words(Strip *parts, int count)
{
    Strip *longest = NULL;
    for (Strip *p = parts; p < parts + count; p++)
        if (p->state == SHOWN && p->column->words && !p->broken &&
            (!longest || p->width > longest->width))
            longest = p;
    return longest;
}

/* Makes it fit. */
static void
fit(Strip *parts, int count, int rows)
{
    Strip *p;
    if (width_of_all(parts, count) > ACROSS)
        stack_heads(parts, count, rows);
    while (width_of_all(parts, count) > ACROSS &&
           (p = least_needed(parts, count)))
        p->state = SPARED;
    while (width_of_all(parts, count) > ACROSS &&
           (p = longest_words(parts, count))) {
        double others = width_of_all(parts, count) - p->width;
        p->width = fmax(ACROSS - others, p->least);
        p->broken = true;
    }
}

/* About as many as a row has, where words do not fill them to the end. */
static int
lines_of(const Strip *parts, int count, int row)
{
    int most = 1;
    for (const Strip *p = parts; p < parts + count; p++) {
        int lines = (int)ceil(1.2 * width_of(p->texts[row]) / p->width);
        most = p->state == SHOWN && p->broken && lines > most ? lines : most;
    }
    return most;
}

static bool
is_said(const Strip *p)
{
    return p->state == SHARED && *p->texts[1] && strcmp(p->texts[1], "--");
}

/* "In all rows: task reverse, length 8." */
static void
write_caption(FILE *to, const Sheet *s, const Strip *parts, int count,
              bool first)
{
    char *note = escaped(s->note ? s->note : "", LATEX);
    const char *sign = *note ? " " : "";
    fprintf(to, "\\caption{%s", note);
    for (int col = 0; col < count; col++)
        if (parts[col].state != SPARED && parts[col].column->meaning) {
            char *meaning = escaped(parts[col].column->meaning, LATEX);
            fprintf(to, "%s%s: %s", sign, parts[col].texts[0], meaning);
            sign = "; ";
            free(meaning);
        }
    sign = *sign == ';' ? ". In all rows: "
           : *note      ? " In all rows: "
                        : "In all rows: ";
    for (int col = 0; col < count; col++)
        if (is_said(&parts[col])) {
            fprintf(to, "%s%s %s", sign, parts[col].texts[0],
                    parts[col].texts[1]);
            sign = ", ";
        }
    fprintf(to, "%s%s}\n", *sign == ',' || *sign == '.' ? "." : "",
            first ? "" : " (continued)");
    if (s->label && first)
        fprintf(to, "\\label{tab:%s}\n", s->label);
    free(note);
}

/* A text that is broken at blanks and hyphens, also after _ and /. */
static void
put_broken(FILE *to, const char *text)
{
    fputs("\\raggedright ", to);
    for (const char *c = text; *c; c++) {
        bool underscore = *c == '\\' && c[1] == '_';
        if (underscore)
            putc(*c++, to);
        putc(*c, to);
        fputs(underscore || *c == '/' ? "\\allowbreak{}" : "", to);
    }
}

static void
write_row(FILE *to, const Strip *parts, int count, int row)
{
    const char *sign = "";
    for (int col = 0; col < count; col++)
        if (parts[col].state == SHOWN) {
            fputs(sign, to);
            if (parts[col].broken && row)
                put_broken(to, parts[col].texts[row]);
            else
                fputs(parts[col].texts[row], to);
            sign = " & ";
        }
    fputs(" \\tabularnewline\n", to);
}

/* Rows from..to-1, from 1 on. */
static void
write_float(FILE *to, const Sheet *s, const Strip *parts, int count, int from,
            int end)
{
    bool caption = s->note != NULL;
    for (int col = 0; col < count; col++)
        caption |= is_said(&parts[col]);
    fputs("\\begin{table}[tb]\n\\centering\n", to);
    if (caption)
        write_caption(to, s, parts, count, from == 1);
    fprintf(to,
            "%s\\footnotesize\\setlength{\\tabcolsep}{%dpt}\n"
            "\\begin{tabular}{@{}",
            caption ? "\\vspace{3pt}\n" : "", GAP / 2);
    for (int col = 0; col < count; col++)
        if (parts[col].state == SHOWN && parts[col].broken)
            fprintf(to, "p{%.2f\\columnwidth}", parts[col].width / ACROSS);
        else if (parts[col].state == SHOWN)
            fputs(parts[col].column->words ? "l" : "r", to);
    fputs("@{}}\n\\toprule\n", to);
    write_row(to, parts, count, 0);
    fputs("\\midrule\n", to);
    for (int row = from; row < end; row++)
        write_row(to, parts, count, row);
    fputs("\\bottomrule\n\\end{tabular}\n\\end{table}\n", to);
}

void
latex_write(FILE *to, const Sheet *s)
{
    int count, rows = s->count / s->cols;
    const char *sign = "% Left out, for the width of a column: ";
    Strip *parts = parts_of(s, rows, &count);
    share(parts, count, rows);
    fit(parts, count, rows);
    fputs("% needs \\usepackage{booktabs}\n", to);
    for (int col = 0; col < count; col++)
        if (parts[col].state == SPARED) {
            fprintf(to, "%s%s", sign, parts[col].column->name);
            sign = ", ";
        }
    fputs(*sign == ',' ? "; --tsv has all\n" : "", to);
    int from = 1, lines = 0;
    for (int row = 1; row <= rows; row++) {
        lines += lines_of(parts, count, row);
        if (row == rows ||
            lines + lines_of(parts, count, row + 1) > MOST_LINES) {
            write_float(to, s, parts, count, from, row + 1);
            from = row + 1;
            lines = 0;
        }
    }
    for (int col = 0; col < count; col++) {
        for (int row = 0; row <= rows; row++)
            free(parts[col].texts[row]);
        free(parts[col].texts);
    }
    free(parts);
}
