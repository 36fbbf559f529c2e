/* escape.c - a text as the language that it is put into takes it.

   Titles, names and tokens may be a stranger's. Whatever is written of
   them into a table, a page or a figure's script passes through here. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/escape.h"
#include "heart/fail.h"

static bool
is_among(char c, const char *characters)
{
    return c && strchr(characters, c);
}

/* One script of a symbol, "_model": the bytes of it, 0 if there is none. */
static size_t
script_size(const char *text)
{
    size_t n = 1;
    if (!is_among(*text, "_^"))
        return 0;
    while (isalnum((unsigned char)text[n]))
        n++;
    return n > 1 ? n : 0;
}

/* A word is upright. */
static void
put_script(FILE *to, const char *text, size_t size, const char *inner,
           size_t inner_size)
{
    fprintf(to,
            size > 2 ? "%c{\\mathrm{%.*s}"
            : inner  ? "%c{%.*s"
                     : "%c%.*s",
            *text, (int)size - 1, text + 1);
    if (inner)
        put_script(to, inner, inner_size, NULL, 0);
    fputs(size > 2 || inner ? "}" : "", to);
}

/* "d_k" or "W_i^Q" as maths: one letter, and what is below and above it. How
   many bytes of the text they are, 0 if it begins with none. */
static size_t
put_symbol(FILE *to, const char *text)
{
    size_t one = isalpha((unsigned char)*text) ? script_size(text + 1) : 0;
    size_t two = one ? script_size(text + 1 + one) : 0, n = 1 + one + two;
    bool nested = two && text[1] == '^'; /* e^s_j: the j is that of s */
    bool name = text[n] == '.' && isalnum((unsigned char)text[n + 1]);
    if (!one || name || is_among(text[n], "_^{\\"))
        return 0;
    fprintf(to, "$%c", *text);
    put_script(to, text + 1, one, nested ? text + 1 + one : NULL, two);
    if (two && !nested)
        put_script(to, text + 1 + one, two, NULL, 0);
    fputs("$", to);
    return n;
}

/* "1e-05" as a power of ten, likewise. */
static size_t
put_power(FILE *to, const char *text)
{
    int power, size = 0;
    size_t n = strspn(text, "0123456789.");
    if (!n || text[n] != 'e' || !isdigit((unsigned char)text[n - 1]) ||
        !is_among(text[n + 1], "-+") ||
        sscanf(text + n + 1, "%3d%n", &power, &size) < 1 ||
        isalnum((unsigned char)text[n + 1 + (size_t)size]))
        return 0;
    fputs("$", to);
    if (n > 1 || *text != '1')
        fprintf(to, "%.*s\\times", (int)n, text);
    fprintf(to, "10^{%d}$", power);
    return n + 1 + (size_t)size;
}

/* An arrow, a symbol, a number's power of ten or its minus, which is no hyphen,
   as maths: how many bytes they are. */
static size_t
put_maths(FILE *to, const char *text, size_t from)
{
    char before = from ? text[from - 1] : ' ';
    const char *at = text + from;
    if (!strncmp(at, "->", 2)) {
        fputs("$\\to$", to);
        return 2;
    }
    if (isalnum((unsigned char)before) || is_among(before, "._^\\-") ||
        before & 0x80)
        return 0;
    if (*at == '-' && isdigit((unsigned char)at[1])) {
        fputs("$-$", to);
        return 1;
    }
    size_t n = put_symbol(to, at);
    return n ? n : put_power(to, at);
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
    language = language == LATEX_TEXT ? LATEX : language;
    bool latex = language == LATEX;
    fputs(language == JSON ? "\"" : "", to);
    for (size_t i = 0; i < length;) {
        size_t from = i;
        int code = utf8_next((const unsigned char *)text, length, &i);
        bool control = code < ' ' || (code >= 0x7f && code < 0xa0);
        const char *at = code < 0 ? "?" : control ? " " : text + from;
        i += code < 0;
        size_t maths = language == LATEX ? put_maths(to, text, from) : 0;
        if (maths)
            i = from + maths;
        else if (*at & 0x80 && latex)
            put_latex_unicode(to, code, at, (int)(i - from));
        else if (*at & 0x80)
            fwrite(at, 1, i - from, to);
        else if (latex)
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
