/* print.c - tables on stdout: aligned on a terminal, else cells and tabs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print.h"
#include "words.h"

bool
wants_tsv(bool tsv)
{
    return tsv || !isatty(STDOUT_FILENO);
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

/* The first column and a last one of text stand left, numbers right. */
void
sheet_print(Sheet *s, bool tsv)
{
    for (int i = 0; i < s->count; i++) {
        int col = i % s->cols, last = s->cols - 1, widest = 0;
        for (int k = col; k < s->count; k += s->cols)
            if (width_of(s->cells[k]) > widest)
                widest = width_of(s->cells[k]);
        int blanks = tsv ? 0 : widest - width_of(s->cells[i]);
        bool left = col == 0 || (col == last && s->text);
        printf("%*s%s%*s%s", left ? 0 : blanks, "", s->cells[i],
               left && col < last ? blanks : 0, "",
               col == last ? "\n"
               : tsv       ? "\t"
                           : "  ");
    }
    for (int i = 0; i < s->count; i++)
        free(s->cells[i]);
    free(s->cells);
    *s = (Sheet){.cols = s->cols, .text = s->text};
}
