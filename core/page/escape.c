/* escape.c - makes texts harmless in the language of a table or a script.

   Titles, names and tokens may come from a stranger, so every table and every
   script of a figure escapes them with these functions. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "page/escape.h"

/* Writes an ASCII character that is not a control character; `next` follows it.
   In LaTeX, a [ or * at the beginning of a row would become an argument of the
   \\ before it, two hyphens would become a dash, and only typewriter type has
   some of the signs in every encoding. */
static void
put_ascii(FILE *to, char c, char next, Layout language)
{
    static const char *const special[] = {
        [ALIGNED] = "",      [TSV] = "",
        [JSON] = "\"\\",     [MARKDOWN] = "\\`*_<|&~$[",
        [LATEX] = "&%$#_{}", [GNUPLOT] = ""};
    if (language == GNUPLOT && c == '\'')
        fputs("’", to);
    else if (strchr(special[language], c))
        fprintf(to, "\\%c", c);
    else if (language == LATEX && strchr("[*<>|\"~^\\", c))
        fprintf(to, "\\texttt{\\symbol{%d}}", c);
    else
        putc(c, to);
    if (language == LATEX && c == '-' && next == '-')
        fputs("{}", to);
}

char *
escaped(const char *text, Layout language)
{
    char *all = NULL;
    size_t length = strlen(text);
    FILE *to = begin_text(&all);
    for (size_t i = 0; i < length;) {
        size_t from = i;
        int code = utf8_next((const unsigned char *)text, length, &i);
        bool control = code < ' ' || (code >= 0x7f && code < 0xa0);
        if (code < 0) {
            putc('?', to);
            i++; /* past one byte that is not UTF-8 */
        } else if (control)
            putc(' ', to);
        else if (code < 0x80)
            put_ascii(to, (char)code, text[i], language);
        else if (language == LATEX && code >= 0x180) /* pdflatex lacks it */
            fprintf(to, "U+%04X", (unsigned)code);
        else
            fwrite(text + from, 1, i - from, to);
    }
    end_text(to, &all);
    return all;
}

char *
plain_name(const char *wanted)
{
    char *name = format_text("%.120s", wanted);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+=,-", *c))
            *c = '_';
    if (*name == '.' || *name == '-')
        *name = '_';
    uint64_t hash = hash_bytes(HASH_START, wanted, strlen(wanted));
    if (strcmp(name, wanted))
        name = format_text("%s-%08x", name, (unsigned)hash);
    return name;
}
