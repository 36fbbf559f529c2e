/* escape.c - a text as the language that it is put into takes it.

   Titles, names, recipes and tokens may be a stranger's. Whatever is written of
   them into a table, a page or a figure's script passes through here. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/cli/escape.h"

static bool
is_among(char c, const char *characters)
{
    return c && strchr(characters, c);
}

/* Two of -, ' or ` would become another sign; a [ or * that begins a text, an
   argument of the \\ before it. */
static void
put_latex(FILE *to, char c, char next, bool first)
{
    static const struct {
        char character;
        const char *name;
    } named[] = {{'<', "less"},       {'>', "greater"},
                 {'|', "bar"},        {'\\', "backslash"},
                 {'~', "asciitilde"}, {'^', "asciicircum"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].character == c) {
            fprintf(to, "\\text%s{}", named[i].name);
            return;
        }
    bool joins = is_among(c, "-'`,?!") && is_among(next, "-'`,");
    bool argument = first && is_among(c, "[*");
    fprintf(to,
            c == '"'                 ? "\\symbol{34}"
            : is_among(c, "&%$#_{}") ? "\\%c"
            : argument               ? "{%c}"
            : joins                  ? "%c{}"
                                     : "%c",
            c);
}

/* pdflatex knows these letters in every font encoding; of others it prints the
   number, where engines that read Unicode print the letter. */
static void
put_latex_unicode(FILE *to, int code, const char *bytes, int size)
{
    bool eth_or_thorn = (code | 0x20) == 0xf0 || (code | 0x20) == 0xfe;
    bool quote = code == 0x2018 || code == 0x2019 || code == 0x201c ||
                 code == 0x201d || code == 0x2013 || code == 0x2014;
    if (code == 0x2423) /* how a blank is shown, */
        fputs("\\textvisiblespace{}", to);
    else if (code == 0x21b5) /* and the end of a line */
        fputs("$\\hookleftarrow$", to);
    else if (quote || (code >= 0xc0 && code < 0x100 && !eth_or_thorn))
        fwrite(bytes, 1, (size_t)size, to);
    else
        fprintf(to, "{\\ifdefined\\Umathcode{}%.*s\\else{}U+%04X\\fi}", size,
                bytes, (unsigned)code);
}

/* Links, images and addresses are what follows ] and what has :// or www. in
   it; headings, lists and quotations are how a paragraph begins. */
static void
put_markdown(FILE *to, const char *at, bool begins, bool www)
{
    bool escape = is_among(*at, "\\`*_<|&~$") || (*at == '.' && www) ||
                  (*at == ':' && at[1] == '/') ||
                  (*at == ']' && is_among(at[1], "([:")) ||
                  (begins && is_among(*at, "#+-=>.):"));
    fprintf(to, escape ? "\\%c" : "%c", *at);
}

char *
escaped(const char *text, Layout language)
{
    char *all = NULL;
    size_t length = strlen(text);
    FILE *to = begin_text(&all);
    bool begins = language == PARAGRAPH; /* but for blanks, and a number */
    fputs(language == JSON ? "\"" : "", to);
    for (size_t i = 0; i < length;) {
        size_t from = i;
        int code = utf8_next((const unsigned char *)text, length, &i);
        bool control = code < ' ' || (code >= 0x7f && code < 0xa0);
        const char *at = code < 0 ? "?" : control ? " " : text + from;
        i += code < 0;
        if (*at & 0x80 && language == LATEX)
            put_latex_unicode(to, code, at, (int)(i - from));
        else if (*at & 0x80)
            fwrite(at, 1, i - from, to);
        else if (language == LATEX)
            put_latex(to, *at, i < length ? text[i] : 0, from == 0);
        else if (language == MARKDOWN || language == PARAGRAPH)
            put_markdown(to, at, begins,
                         from > 2 && !strncmp(text + from - 3, "www", 3));
        else
            fprintf(to,
                    language == JSON && is_among(*at, "\"\\") ? "\\%c" : "%c",
                    *at);
        begins &= *at == ' ' || isdigit((unsigned char)*at);
    }
    fputs(language == JSON ? "\"" : "", to);
    end_text(to, &all);
    return all;
}
