/* words.c - texts: reading, checking, joining and comparing them. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/words.h"
#include "heart/plugin.h"

/* Its %s is whose_memory (heart/fail.h). */
static const char no_memory[] = "out of memory for a text%s";

int
utf8_next(const unsigned char *text, size_t size, size_t *at)
{
    /* least[n] is the smallest code that needs n bytes after the first. */
    static const int least[] = {1, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = text + *at;
    int ones = 0; /* 1-bits at the start of the first byte: 0, or 2 to 4 */
    while (bytes[0] & 0x80 >> ones)
        ones++;
    int more = ones ? ones - 1 : 0; /* bytes after the first */
    if (ones == 1 || ones > 4 || (size_t)more >= size - *at)
        return -1;
    int code = bytes[0] & 0x7f >> ones;
    for (int i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    /* 0xd800 .. 0xdfff are the surrogates of UTF-16. */
    if (code < least[more] || code >= 0x110000 ||
        (code >= 0xd800 && code < 0xe000))
        return -1;
    *at += (size_t)more + 1;
    return code;
}

bool
is_text(const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        int c = utf8_next((const unsigned char *)text, size, &i);
        /* -1, which is not UTF-8, or one of the two ranges of controls */
        if (c < ' ' || (c >= 127 && c < 160))
            return false;
    }
    return true;
}

char *
read_file(const char *path, const char *what, size_t *size)
{
    struct stat facts;
    const off_t most = 1 << 30; /* bytes: 1 GiB */
    if (stat(path, &facts))
        fail("%s: could not read the %s: %s", path, what, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        fail("%s: the %s is not a plain file; name a file", path, what);
    if (facts.st_size > most)
        fail("%s: the %s is larger than 1 GiB; choose a smaller one", path,
             what);
    FILE *file = fopen(path, "rb");
    char *text = allocate((size_t)facts.st_size + 1, 1);
    size_t read = file ? fread(text, 1, (size_t)facts.st_size, file) : 0;
    if (!file || ferror(file) || fclose(file))
        fail("%s: could not read the %s: %s", path, what, strerror(errno));
    if (size)
        *size = read;
    return text;
}

char *
copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

void
replace_in(char *text, const char *characters, char by)
{
    for (char *c = text; *c; c++)
        if (strchr(characters, *c))
            *c = by;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool
add_word(void **set, const char *word)
{
    if (tfind(word, set, by_text))
        return false;
    if (!tsearch(word, set, by_text))
        fail(no_memory, whose_memory);
    return true;
}

const char *
interned(const char *text)
{
    static void *all;
    char **known = tfind(text, &all, by_text);
    if (!known)
        known = tsearch(copy_text(text), &all, by_text);
    if (!known)
        fail(no_memory, whose_memory);
    return *known;
}

const char *
number_read(const char *text, bool whole, double least, double most, double *x)
{
    char *end;
    *x = strtod(text, &end) + 0.; /* -0 becomes 0 */
    bool read_all = end != text && !*end;
    /* strtod skips blanks, and reads "nan" and "0x10" */
    bool blank = isspace((unsigned char)*text),
         hexadecimal = strpbrk(text, "xX");
    if (!read_all || blank || hexadecimal || isnan(*x))
        return format_text("\"%.64s\" is not a number", text);
    if (whole && *x != floor(*x))
        return format_text("%.64s is not a whole number", text);
    if (*x < least || *x > most)
        return format_text("%.64s is not between %.10g and %.10g", text, least,
                           most);
    return NULL;
}

char *
quoted(const char *text)
{
    if (*text && !text[strspn(text, NAME_LETTERS ",.=/")])
        return copy_text(text);
    char *word;
    FILE *to = begin_text(&word);
    putc('\'', to);
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            fputs("'\\''", to); /* end the quotes, \', begin them again */
        else
            putc(*c, to);
    putc('\'', to);
    end_text(to, &word);
    return word;
}

void
values_add(Values *v, char *text)
{
    v->text = grow(v->text, v->count, &v->capacity, sizeof *v->text);
    v->text[v->count++] = text;
}

Values
values_split(const char *list)
{
    Values v = {0};
    char *rest = copy_text(list);
    for (char *text = strsep(&rest, ","); text; text = strsep(&rest, ","))
        values_add(&v, text);
    return v;
}

char *
joined(const Values *v, const char *between)
{
    char *text;
    FILE *to = begin_text(&text);
    for (int i = 0; i < v->count; i++)
        fprintf(to, "%s%s", i ? between : "", v->text[i]);
    end_text(to, &text);
    return text;
}

char *
format_text(const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        fail(no_memory, whose_memory);
    va_end(args);
    return text;
}

FILE *
begin_text(char **text)
{
    static size_t size; /* nobody reads it; fclose sets it in end_text */
    FILE *stream = open_memstream(text, &size);
    if (!stream)
        fail(no_memory, whose_memory);
    return stream;
}

void
end_text(FILE *stream, char *const *text)
{
    bool lost = ferror(stream);
    if (fclose(stream) || lost || !*text)
        fail(no_memory, whose_memory);
}

uint64_t
hash_bytes(uint64_t hash, const void *bytes, uint64_t size)
{
    const unsigned char *byte = bytes;
    for (uint64_t i = 0; i < size; i++) /* the factor is FNV's prime */
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* How many letters have to be inserted, deleted or replaced to turn a into b:
   the Levenshtein distance. After i letters of a, cost[j] is the number of
   edits that turn these into the first j letters of b. `diagonal` is what
   cost[j] was one letter of a before. */
static size_t
edits_between(const char *a, const char *b)
{
    size_t length = strlen(b);
    size_t *cost = allocate(length + 1, sizeof *cost);
    for (size_t j = 0; j <= length; j++)
        cost[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = cost[0];
        cost[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t least = diagonal + (a[i] != b[j]); /* keep or replace */
            size_t deleted = cost[j + 1] + 1, inserted = cost[j] + 1;
            least = deleted < least ? deleted : least;
            least = inserted < least ? inserted : least;
            diagonal = cost[j + 1];
            cost[j + 1] = least;
        }
    }
    size_t edits = cost[length];
    free(cost);
    return edits;
}

/* Does b differ from a only in the order of two adjacent letters? */
static bool
swapped(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return a[n] && b[n] && a[n] == b[n + 1] && a[n + 1] == b[n] &&
           !strcmp(a + n + 2, b + n + 2);
}

const char *
suggestion(const char *word, const Values *names)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t most = length == 2 ? 1 : length / 3; /* edits of a near name */
    size_t fewest = most + 1;
    for (int i = 0; i < names->count; i++) {
        const char *name = names->text[i];
        size_t edits = swapped(word, name) ? 1 : edits_between(word, name);
        if (edits == 0)
            return "";
        if (edits < fewest) {
            fewest = edits;
            nearest = name;
        }
    }
    return nearest ? format_text(" did you mean %s?", nearest) : "";
}

const char *
not_one_of(const char *word, const char *list)
{
    char *commas = copy_text(list);
    replace_in(commas, " ", ',');
    Values names = values_split(commas);
    const char *nearest = suggestion(word, &names);
    return format_text("\"%.64s\" is not one of: %s%s%s", word, list,
                       *nearest ? ";" : "", nearest);
}

/* 17 digits are enough for every double. */
void
shortest_number(double x, char text[NUMBER_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return;
    }
}
