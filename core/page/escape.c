/* escape.c - makes texts harmless in the language of a table or a script.

   A title, a name or a token may come from a stranger's file. So tables and
   scripts of figures print such a text only through these functions. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "page/escape.h"

/* Writes an ASCII character that is not a control character in such a way that
   the language prints it. `next` is the character after it in the text.

   In LaTeX, a [ or * at the beginning of a row would be read as part of the \\
   that ends the row before, two hyphens would become a dash, and the other
   signs that are written with \symbol are commands or missing in some fonts. */
static void
put_ascii(FILE *to, char c, char next, Layout language)
{
    /* In each language, these characters need a backslash. */
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
    enum { LAST_ASCII = 0x7f, LAST_LATIN = 0x17f }; /* Unicode's numbers */
    char *all = NULL;
    size_t length = strlen(text);
    FILE *to = begin_text(&all);
    for (size_t i = 0; i < length;) {
        size_t from = i; /* utf8_next moves i to the next character */
        int code = utf8_next((const unsigned char *)text, length, &i);
        /* U+0000 to U+001F and U+007F to U+009F are control characters. */
        bool is_control = code < ' ' || (code >= 0x7f && code < 0xa0);
        if (code < 0) { /* not UTF-8: i has not moved; skip one byte */
            putc('?', to);
            i++;
        } else if (is_control)
            putc(' ', to);
        else if (code <= LAST_ASCII)
            put_ascii(to, (char)code, text[i], language);
        else if (language == LATEX && code > LAST_LATIN)
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
    /* A file's name may have 255 bytes; 120 are enough, and leave space for the
       hash and for endings. */
    char *name = format_text("%.120s", wanted);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+=,-", *c))
            *c = '_';
    if (*name == '.' || *name == '-') /* hidden, or read as an option */
        *name = '_';
    if (!strcmp(name, wanted))
        return name;
    uint64_t hash = hash_bytes(HASH_START, wanted, strlen(wanted));
    return format_text("%s-%08x", name, (unsigned)hash);
}
