/* print.c - tables on stdout: aligned on a terminal, else cells and tabs; or as
   Markdown or LaTeX wants them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "print.h"
#include "words.h"

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
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    s->cells = grow(s->cells, s->count, &s->room, sizeof *s->cells);
    s->cells[s->count++] = copy_text(text);
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

static void
print_aligned(const Sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        int col = i % s->cols, last = s->cols - 1, widest = 0;
        for (int k = col; k < s->count; k += s->cols)
            if (width_of(s->cells[k]) > widest)
                widest = width_of(s->cells[k]);
        int blanks = widest - width_of(s->cells[i]);
        bool left = on_the_left(s, col);
        printf("%*s%s%*s%s", left ? 0 : blanks, "", s->cells[i],
               left && col < last ? blanks : 0, "", col == last ? "\n" : "  ");
    }
}

static void
print_tsv(const Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        printf("%s%s", s->cells[i], (i + 1) % s->cols ? "\t" : "\n");
}

/* A cell with what the language would take for its own escaped. */
static void
print_escaped(const char *text, const char *special)
{
    for (; *text; text++)
        if (*special == '|' || !strchr("\\~^", *text))
            printf(strchr(special, *text) ? "\\%c" : "%c", *text);
        else
            printf(*text == '\\'  ? "\\textbackslash{}"
                   : *text == '~' ? "\\textasciitilde{}"
                                  : "\\textasciicircum{}");
}

static void
print_markdown(const Sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        printf("| ");
        print_escaped(s->cells[i], "|\\`*_<");
        printf((i + 1) % s->cols ? " " : " |\n");
        for (int col = 0; i == s->cols - 1 && col < s->cols; col++)
            printf("|%s%s", on_the_left(s, col) ? "---" : "--:",
                   col == s->cols - 1 ? "|\n" : "");
    }
}

/* A tabular of LaTeX's own, without packages. */
static void
print_latex(const Sheet *s)
{
    printf("\\begin{tabular}{");
    for (int col = 0; col < s->cols; col++)
        printf("%c", on_the_left(s, col) ? 'l' : 'r');
    printf("}\n\\hline\n");
    for (int i = 0; i < s->count; i++) {
        print_escaped(s->cells[i], "&%$#_{}");
        printf((i + 1) % s->cols ? " & " : " \\\\\n");
        if (i == s->cols - 1)
            printf("\\hline\n");
    }
    printf("\\hline\n\\end{tabular}\n");
}

void
sheet_print(Sheet *s, Layout layout)
{
    static void (*const print[])(const Sheet *) = {print_aligned, print_tsv,
                                                   print_markdown, print_latex};
    print[layout](s);
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
