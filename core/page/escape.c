/* escape.c - a text as the language that it is put into takes it.

   Titles, names and tokens may be a stranger's. Whatever is written of
   them into a table, a page or a figure's script passes through here. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "page/escape.h"

static bool
is_among(char c, const char *characters)
{
    return c && strchr(characters, c);
}

/* What LaTeX must have another way, and how: after a backslash, by a name, or
   in braces, since a [ or * that begins a row would be an argument of the
   \\ before it. */
static const char *const latex[] = {"&\\&",
                                    "%\\%",
                                    "$\\$",
                                    "#\\#",
                                    "_\\_",
                                    "{\\{",
                                    "}\\}",
                                    "[{[}",
                                    "*{*}",
                                    "<\\textless{}",
                                    ">\\textgreater{}",
                                    "|\\textbar{}",
                                    "\"\\symbol{34}",
                                    "~\\textasciitilde{}",
                                    "^\\textasciicircum{}",
                                    "\\\\textbackslash{}"};

/* In Markdown links and images are what follows ], and addresses have a :/; in
   LaTeX two of -, ', ` or a comma are another sign. */
static void
put_ascii(FILE *to, char c, char next, Layout language)
{
    bool link =
        (c == ':' && next == '/') || (c == ']' && is_among(next, "([:"));
    if (language == MARKDOWN && (link || is_among(c, "\\`*_<|&~$")))
        putc('\\', to);
    for (size_t i = 0; language == LATEX && i < sizeof latex / sizeof *latex;
         i++)
        if (*latex[i] == c) {
            fputs(latex[i] + 1, to);
            return;
        }
    putc(c, to);
    if (language == LATEX && c == next && is_among(c, "-'`,"))
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
        i += code < 0;
        if (code < 0 || control)
            putc(code < 0 ? '?' : ' ', to);
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
        replace(&name, format_text("%s-%08x", name, (unsigned)hash));
    return name;
}
