/* print.c - tables on stdout: aligned on a terminal, else cells and tabs; or as
   Markdown or LaTeX wants them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "driver/cli/print.h"

bool
wants_tsv(bool tsv)
{
    return tsv || !isatty(STDOUT_FILENO);
}

Layout
layout_of(const Options *o)
{
    if (o->markdown + o->latex + o->tsv > 1)
        usage("--tsv, --markdown and --latex contradict each other: give one");
    return o->markdown         ? MARKDOWN
           : o->latex          ? LATEX
           : wants_tsv(o->tsv) ? TSV
                               : ALIGNED;
}

void
sheet_add(Sheet *s, const char *format, ...)
{
    char text[4096], *cell = text, *next;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (; cell; cell = next) {
        format = strchr(format, '\t') ? strchr(format, '\t') + 1 : NULL;
        next = format ? strchr(cell, '\t') : NULL;
        if (next)
            *next++ = 0;
        s->cells = grow(s->cells, s->count, &s->room, sizeof *s->cells);
        s->cells[s->count++] = escaped(cell, ALIGNED);
    }
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

/* Does a column stand on the left? The first one, and a last one of text. */
static bool
on_the_left(const Sheet *s, int col)
{
    return col == 0 || (col == s->cols - 1 && s->text);
}

void
print_escaped(FILE *to, const char *text, Layout language)
{
    char *safe = escaped(text, language);
    fputs(safe, to);
    free(safe);
}

static void
print_aligned(FILE *to, const Sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        int col = i % s->cols, last = s->cols - 1, widest = 0;
        for (int k = col; k < s->count; k += s->cols)
            if (width_of(s->cells[k]) > widest)
                widest = width_of(s->cells[k]);
        int blanks = widest - width_of(s->cells[i]);
        bool left = on_the_left(s, col);
        fprintf(to, "%*s%s%*s%s", left ? 0 : blanks, "", s->cells[i],
                left && col < last ? blanks : 0, "", col == last ? "\n" : "  ");
    }
}

static void
print_tsv(FILE *to, const Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        fprintf(to, "%s%s", s->cells[i], (i + 1) % s->cols ? "\t" : "\n");
}

static void
print_markdown(FILE *to, const Sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        fprintf(to, "| ");
        print_escaped(to, s->cells[i], MARKDOWN);
        fprintf(to, (i + 1) % s->cols ? " " : " |\n");
        for (int col = 0; i == s->cols - 1 && col < s->cols; col++)
            fprintf(to, "|%s%s", on_the_left(s, col) ? "---" : "--:",
                    col == s->cols - 1 ? "|\n" : "");
    }
}

/* A tabular of LaTeX's own, without packages. */
static void
print_latex(FILE *to, const Sheet *s)
{
    fprintf(to, "\\begin{tabular}{");
    for (int col = 0; col < s->cols; col++)
        fprintf(to, "%c", on_the_left(s, col) ? 'l' : 'r');
    fprintf(to, "}\n\\hline\n");
    for (int i = 0; i < s->count; i++) {
        print_escaped(to, s->cells[i], LATEX);
        fprintf(to, (i + 1) % s->cols ? " & " : " \\\\\n");
        if (i == s->cols - 1)
            fprintf(to, "\\hline\n");
    }
    fprintf(to, "\\hline\n\\end{tabular}\n");
}

static void
print_html(FILE *to, const Sheet *s)
{
    fprintf(to, "<table>\n");
    for (int i = 0; i < s->count; i++) {
        int col = i % s->cols;
        const char *cell = i < s->cols ? "th" : "td";
        fprintf(to, "%s<%s%s>", col ? "" : "<tr>", cell,
                on_the_left(s, col) ? " class=\"left\"" : "");
        print_escaped(to, s->cells[i], HTML);
        fprintf(to, "</%s>%s", cell, col == s->cols - 1 ? "</tr>\n" : "");
    }
    fprintf(to, "</table>\n");
}

void
sheet_write(FILE *to, const Sheet *s, Layout layout)
{
    static void (*const print[])(FILE *, const Sheet *) = {
        print_aligned, print_tsv, print_markdown, print_latex, print_html};
    print[layout](to, s);
}

void
sheet_print(Sheet *s, Layout layout)
{
    sheet_write(stdout, s, layout);
    sheet_free(s);
}

void
sheet_free(Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->cells[i]);
    free(s->cells);
    *s = (Sheet){.cols = s->cols, .text = s->text};
}

void
print_folded(FILE *file, int at, int from, int to, const char *text)
{
    for (; *text; at = 0) {
        int n = (int)strlen(text), most = to - from;
        if (n > most)
            for (n = most; n > 0 && text[n] != ' ';)
                n--;
        if (n == 0)
            n = (int)strcspn(text, " ");
        fprintf(file, "%*s%.*s\n", from - at, "", n, text);
        text += n + (text[n] == ' ');
    }
}
