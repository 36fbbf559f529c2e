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

/* The %s is for whose_memory (heart/fail.h), which names the limit. */
static const char no_memory[] = "out of memory for a text%s";

int
utf8_next(const unsigned char *text, size_t size, size_t *at)
{
    /* least[n] is the smallest code that needs n bytes after the first. The
       character 0 is refused. */
    static const int least[] = {1, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = text + *at;
    int ones = 0; /* 1-bits at the start of the first byte: 0, or 2 to 4 */
    while (bytes[0] & 0x80 >> ones)
        ones++;
    int more = ones ? ones - 1 : 0; /* bytes after the first */
    /* A byte with one such bit cannot be the first: it continues a character.
     */
    bool is_first_byte = ones != 1 && ones <= 4;
    bool cut_short = (size_t)more >= size - *at;
    if (!is_first_byte || cut_short)
        return -1;
    int code = bytes[0] & 0x7f >> ones;
    for (int i = 1; i <= more; i++) { /* each adds the six bits of 10xxxxxx */
        if ((bytes[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    const int largest = 0x10ffff; /* in Unicode */
    bool overlong = code<least[more], too_large = code> largest;
    /* half of a pair in UTF-16 */
    bool surrogate = code >= 0xd800 && code < 0xe000;
    if (overlong || too_large || surrogate)
        return -1;
    *at += (size_t)more + 1;
    return code;
}

bool
is_text(const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        int code = utf8_next((const unsigned char *)text, size, &i);
        bool control = code < ' ' || (code >= 127 && code < 160);
        if (code < 0 || control)
            return false;
    }
    return true;
}

char *
read_file(const char *path, const char *what, size_t *size)
{
    struct stat facts;
    const off_t limit = 1 << 30; /* 1 GiB */
    if (stat(path, &facts))
        fail("%s: could not read the %s: %s", path, what, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        fail("%s: the %s is not a plain file; name a file", path, what);
    if (facts.st_size > limit)
        fail("%s: the %s is larger than 1 GiB; choose a smaller one", path,
             what);
    FILE *file = fopen(path, "rb");
    char *text = allocate((size_t)facts.st_size + 1, 1);
    size_t read = file ? fread(text, 1, (size_t)facts.st_size, file) : 0;
    if (!file || ferror(file) || fclose(file))
        fail("%s: could not read the %s: %s", path, what, strerror(errno));
    *size = read;
    return text;
}

char *
read_text(const char *path, const char *what)
{
    size_t unused_size;
    return read_file(path, what, &unused_size);
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

/* The order of texts in the trees of tsearch. */
static int
compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool
add_word(void **set, const char *word)
{
    if (tfind(word, set, compare_texts))
        return false;
    if (!tsearch(word, set, compare_texts))
        fail(no_memory, whose_memory);
    return true;
}

const char *
interned(const char *text)
{
    static void *all; /* a tree of all copies (tsearch) */
    char **known = tfind(text, &all, compare_texts);
    if (!known)
        known = tsearch(copy_text(text), &all, compare_texts);
    if (!known)
        fail(no_memory, whose_memory);
    return *known;
}

const char *
number_read(const char *text, NumberKind kind, double least, double most,
            double *x)
{
    char *end;
    *x = strtod(text, &end) + 0.;         /* -0 becomes 0 */
    bool read_all = end != text && !*end; /* and it is not empty */
    /* strtod accepts blanks at the start, "nan" and "0x10"; this does not. */
    bool blank = isspace((unsigned char)*text),
         hexadecimal = strpbrk(text, "xX");
    if (!read_all || blank || hexadecimal || isnan(*x))
        return format_text("\"%.64s\" is not a number", text);
    if (kind == WHOLE_NUMBER && *x != floor(*x))
        return format_text("%.64s is not a whole number", text);
    if (*x < least || *x > most)
        return format_text("%.64s is not between %.10g and %.10g", text, least,
                           most);
    return NULL;
}

char *
quoted(const char *text)
{
    /* A text that is not empty needs no quotes if none of its characters is
       special in a shell. */
    if (*text && !text[strspn(text, NAME_LETTERS ",.=/")])
        return copy_text(text);
    char *word;
    FILE *to = begin_text(&word);
    putc('\'', to);
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            fputs("'\\''", to); /* closes the quotes, adds \', opens them */
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
    static size_t unused_size; /* fclose still sets it, in end_text */
    FILE *stream = open_memstream(text, &unused_size);
    if (!stream)
        fail(no_memory, whose_memory);
    return stream;
}

void
end_text(FILE *stream, char *const *text)
{
    bool write_failed = ferror(stream);
    if (fclose(stream) || write_failed || !*text)
        fail(no_memory, whose_memory);
}

uint64_t
hash_bytes(uint64_t hash, const void *bytes, uint64_t size)
{
    const unsigned char *byte = bytes;
    for (uint64_t i = 0; i < size; i++) /* The factor is the prime of FNV-1a. */
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The Levenshtein distance: how many letters have to be inserted, deleted or
   replaced to turn a into b. After i letters of a, cost[j] is the number of
   edits that turn those i letters into the first j letters of b. `diagonal` is
   cost[j] as it was after i - 1 letters. */
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
            diagonal = cost[j + 1]; /* before it is overwritten */
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
    while (*a && *a == *b) { /* skip the letters that both begin with */
        a++;
        b++;
    }
    bool crossed = *a && *b && a[0] == b[1] && a[1] == b[0];
    return crossed && !strcmp(a + 2, b + 2);
}

const char *
suggestion(const char *word, const Values *names)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t most = length == 2 ? 1 : length / 3; /* edits that are allowed */
    size_t fewest = most + 1;
    for (int i = 0; i < names->count; i++) {
        const char *name = names->text[i];
        size_t edits = swapped(word, name) ? 1 : edits_between(word, name);
        if (edits == 0) /* the word is a name already */
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

/* Any double is read back exactly from 17 digits. */
void
shortest_number(double x, char text[NUMBER_SIZE])
{
    enum { ENOUGH_DIGITS = 17 };
    for (int digits = 1; digits <= ENOUGH_DIGITS; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return;
    }
}
