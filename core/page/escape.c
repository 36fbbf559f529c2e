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

/* "d_k" or "W_i^Q" as maths: one letter, and what is below and above it. How
   many bytes of the text they are, 0 if it begins with none. */
static size_t
put_maths(FILE *to, const char *text)
{
    size_t n = 1, used = 0;
    char *maths = copy_text("");
    bool seen[2] = {false, false};
    while (isalpha((unsigned char)*text) && is_among(text[n], "_^") &&
           isalnum((unsigned char)text[n + 1]) && !seen[text[n] == '^']) {
        size_t size = 1;
        while (isalnum((unsigned char)text[n + size]))
            size++;
        seen[text[n] == '^'] = true;
        replace(&maths, format_text("%s%c{%.*s}", maths, text[n], (int)size - 1,
                                    text + n + 1));
        n += size;
    }
    if (*maths && !is_among(text[n], "_^"))
        used = n;
    if (used)
        fprintf(to, "$%c%s$", *text, maths);
    free(maths);
    return used;
}

/* A [ or * that begins a row would be an argument of the \\ before it; two of
   -, ' or ` another sign. */
static void
put_latex(FILE *to, char c, char next)
{
    static const struct {
        char character;
        const char *name;
    } named[] = {{'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},
                 {'|', "\\textbar{}"},
                 {'\\', "\\textbackslash{}"},
                 {'~', "\\textasciitilde{}"},
                 {'^', "\\textasciicircum{}"},
                 {'"', "\\symbol{34}"},
                 {'[', "{[}"},
                 {'*', "{*}"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].character == c) {
            fputs(named[i].name, to);
            return;
        }
    fprintf(to,
            is_among(c, "&%$#_{}")             ? "\\%c"
            : c == next && is_among(c, "-'`,") ? "%c{}"
                                               : "%c",
            c);
}

/* pdflatex knows Latin letters; of others it is told the number, but for the
   signs of a blank and of the end of a line. */
static void
put_letter(FILE *to, Layout language, int code, const char *bytes, size_t size)
{
    bool known = language != LATEX || (code >= 0xa1 && code < 0x180);
    if (known)
        fwrite(bytes, 1, size, to);
    else if (code == 0x2423)
        fputs("\\textvisiblespace{}", to);
    else if (code == 0x21b5)
        fputs("$\\hookleftarrow$", to);
    else
        fprintf(to, "U+%04X", (unsigned)code);
}

/* Links and images are what follows ], and addresses have a :/. */
static void
put_markdown(FILE *to, const char *at)
{
    bool escape = is_among(*at, "\\`*_<|&~$") || (*at == ':' && at[1] == '/') ||
                  (*at == ']' && is_among(at[1], "([:"));
    fprintf(to, escape ? "\\%c" : "%c", *at);
}

char *
escaped(const char *text, Layout language)
{
    char *all = NULL;
    size_t length = strlen(text);
    FILE *to = begin_text(&all);
    bool word = false; /* is a letter or a digit before it */
    fputs(language == JSON ? "\"" : "", to);
    for (size_t i = 0; i < length;) {
        size_t from = i, maths = 0;
        int code = utf8_next((const unsigned char *)text, length, &i);
        bool control = code < ' ' || (code >= 0x7f && code < 0xa0);
        const char *at = code < 0 ? "?" : control ? " " : text + from;
        i += code < 0;
        if (language == LATEX && !word)
            maths = put_maths(to, text + from);
        if (maths)
            i = from + maths;
        else if (*at & 0x80)
            put_letter(to, language, code, at, i - from);
        else if (language == LATEX)
            put_latex(to, *at, text[i]);
        else if (language == MARKDOWN)
            put_markdown(to, at);
        else
            fprintf(to,
                    language == JSON && is_among(*at, "\"\\") ? "\\%c" : "%c",
                    *at);
        word = *at & 0x80 || isalnum((unsigned char)*at) || *at == '_';
    }
    fputs(language == JSON ? "\"" : "", to);
    end_text(to, &all);
    return all;
}

char *
plain_name(const char *wanted)
{
    enum { LONGEST = 120 };
    char *name = format_text("%.*s", LONGEST, wanted);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+=,-", *c))
            *c = '_';
    if (*name == '.' || *name == '-')
        *name = '_';
    if (!strcmp(name, wanted))
        return name;
    uint64_t hash = hash_bytes(HASH_START, wanted, strlen(wanted));
    char *apart = format_text("%s-%08x", name, (unsigned)hash);
    free(name);
    return apart;
}
