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

/* Returns how many bits of a byte, from the highest down, are 1 before the
   first 0. In UTF-8, the first byte of a character of 2 to 4 bytes has as many
   leading ones as the character has bytes. A byte that is a whole character has
   none. A byte that continues a character has one. */
static int
leading_ones(unsigned char byte)
{
    int ones = 0;
    while (byte & 0x80 >> ones)
        ones++;
    return ones;
}

int
utf8_next(const unsigned char *text, size_t size, size_t *at)
{
    /* least[n] is the smallest code that may take n bytes. One byte may not be
       0, because a 0 ends a text. */
    static const int least[] = {0, 1, 0x80, 0x800, 0x10000};
    const int largest = 0x10ffff; /* the last code of Unicode */
    const unsigned char *bytes = text + *at;
    int ones = leading_ones(bytes[0]), count = ones == 0 ? 1 : ones;
    bool is_first_byte = ones != 1 && ones <= 4;
    bool cut_short = (size_t)count > size - *at;
    if (!is_first_byte || cut_short)
        return -1;
    /* The code is made of the bits after the first 0 of each byte. A byte after
       the first one, 10xxxxxx, adds six bits. (>> binds tighter than &.) */
    int code = bytes[0] & 0x7f >> ones;
    for (int i = 1; i < count; i++) {
        if (leading_ones(bytes[i]) != 1)
            return -1;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    bool overlong = code < least[count];
    bool surrogate = code >= 0xd800 && code < 0xe000; /* half of a pair in
                                                         UTF-16 */
    if (overlong || surrogate || code > largest)
        return -1;
    *at += (size_t)count;
    return code;
}

bool
is_text(const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        int code = utf8_next((const unsigned char *)text, size, &i);
        /* Unicode has two ranges of control characters. */
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

/* Orders the texts of a set, which is a tree made by tsearch. */
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
    static void *all; /* the set of all copies so far */
    char **known = tfind(text, &all, compare_texts);
    if (known)
        return *known;
    char *copy = copy_text(text);
    add_word(&all, copy);
    return copy;
}

const char *
number_read(const char *text, NumberKind kind, double least, double most,
            double *x)
{
    char *end;
    *x = strtod(text, &end) + 0.;         /* + 0. turns -0 into 0 */
    bool read_all = end != text && !*end; /* false for an empty text */
    /* strtod accepts leading blanks, "nan" and "0x10"; this function does not.
     */
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
    bool is_plain = !text[strspn(text, NAME_LETTERS ",.=/")];
    if (*text && is_plain)
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
    static size_t unused_size; /* static: fclose in end_text still sets it */
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
    /* The factor is the prime number that FNV-1a prescribes. */
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Returns whether at most `edits` edits turn a into b. The letters with which
   both begin need no edit. The first edit then deletes the next letter of a,
   inserts the next letter of b, replaces one by the other, or swaps the next
   two letters of a. The other edits must turn the rest of a into the rest of b.
 */
static bool
edits_suffice(const char *a, const char *b, int edits)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    if (!*a && !*b)
        return true;
    if (edits == 0)
        return false;
    bool both = *a && *b;
    bool crossed = both && a[0] == b[1] && a[1] == b[0];
    return (*a && edits_suffice(a + 1, b, edits - 1)) ||
           (*b && edits_suffice(a, b + 1, edits - 1)) ||
           (both && edits_suffice(a + 1, b + 1, edits - 1)) ||
           (crossed && edits_suffice(a + 2, b + 2, edits - 1));
}

/* All names are tried with no edit, then with one, then with two, and so on.
   The first name found is therefore the nearest. */
const char *
suggestion(const char *word, const Values *names)
{
    enum { MOST_EDITS = 4 }; /* one more takes about three times as long */
    /* `most` is the number of edits that a word of this length is allowed. */
    int length = (int)strlen(word), most = length == 2 ? 1 : length / 3;
    for (int edits = 0; edits <= most && edits <= MOST_EDITS; edits++)
        for (int i = 0; i < names->count; i++) {
            const char *name = names->text[i];
            if (edits_suffice(word, name, edits))
                return edits ? format_text(" did you mean %s?", name) : "";
        }
    return "";
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

/* With 17 digits, any double is read back exactly. */
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
