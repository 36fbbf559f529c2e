/* words.c - small things done to names: the nearest one, files, lists. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "heart/fail.h"
#include "heart/plugin.h"

enum { LONGEST = 64 };

/* Letters to insert, drop, change or swap with their neighbour: the distance
   of Damerau (1964), from the first i letters of a to the first j of b. */
static int
distance(const char *a, const char *b)
{
    int d[LONGEST + 1][LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST)
        return m + n;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            int least = i + j;
            if (i && j)
                least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (i && d[i - 1][j] < least)
                least = d[i - 1][j] + 1;
            if (j && d[i][j - 1] < least)
                least = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && d[i - 2][j - 2] < least)
                least = d[i - 2][j - 2] + 1;
            d[i][j] = least;
        }
    return d[m][n];
}

const char *
nearest(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    int least = 1 + (int)strlen(word) / 2;
    for (int i = 0; i < count; i++) {
        int d = distance(word, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

const char *
did_you_mean(const char *word, const char *const *names, int count)
{
    static char text[LONGEST + 32];
    const char *name = nearest(word, names, count);
    text[0] = 0;
    if (name)
        snprintf(text, sizeof text, " (did you mean \"%s\"?)", name);
    return text;
}

int
index_in(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; *list; i++) {
        size_t width = strcspn(list, " ,");
        if (n == width && !strncmp(list, word, n))
            return i;
        list += width + strspn(list + width, " ,");
    }
    return -1;
}

int
utf8_next(const unsigned char *text, size_t size, size_t *at)
{
    static const int least[] = {1, 0x80, 0x800, 0x10000};
    int first = text[*at], more;
    more = first < 0x80   ? 0
           : first < 0xc0 ? -1
           : first < 0xe0 ? 1
           : first < 0xf0 ? 2
           : first < 0xf8 ? 3
                          : -1;
    if (more < 0 || (size_t)more >= size - *at)
        return -1;
    int code = more ? first & (0x3f >> more) : first;
    for (int i = 1; i <= more; i++) {
        if ((text[*at + (size_t)i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (text[*at + (size_t)i] & 0x3f);
    }
    if (code < least[more] || code >= 0x110000 ||
        (code >= 0xd800 && code < 0xe000))
        return -1;
    *at += (size_t)more + 1;
    return code;
}

int
whole_characters(const char *text, int most)
{
    if (strlen(text) > (size_t)most)
        while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
            most--;
    return most;
}

bool
is_text(const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        int c = utf8_next((const unsigned char *)text, size, &i);
        if (c < ' ' || (c >= 127 && c < 160))
            return false;
    }
    return true;
}

/* A descriptor of a plain file, and its size. */
static int
opened(const char *path, const char *what, int how, size_t *size)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | how);
    if (file < 0)
        fail("%s: the %s cannot be read: %s", path, what,
             errno == ELOOP ? "a link, and none is followed here"
                            : strerror(errno));
    if (fstat(file, &facts) || !S_ISREG(facts.st_mode))
        fail("%s: the %s is not a plain file", path, what);
    *size = (size_t)facts.st_size;
    return file;
}

static char *
read_whole(const char *path, const char *what, int how, size_t *size)
{
    size_t most = 1 << 30, done = 0;
    int file = opened(path, what, how, size);
    if (*size > most)
        fail("%s: the %s has %zu bytes, and 1 GiB is the most", path, what,
             *size);
    char *text = allocate(*size + 1, 1);
    for (ssize_t n = 1; n > 0 && done < *size; done += (size_t)n)
        if ((n = read(file, text + done, *size - done)) < 0)
            fail("%s: the %s cannot be read: %s", path, what, strerror(errno));
    *size = done;
    close(file);
    return text;
}

char *
read_file(const char *path, const char *what, size_t *size)
{
    return read_whole(path, what, 0, size);
}

char *
read_own_file(const char *path, const char *what, size_t *size)
{
    return read_whole(path, what, O_NOFOLLOW, size);
}

char *
copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

void
replace(char **text, char *by)
{
    free(*text);
    *text = by;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool
word_added(void **set, const char *word)
{
    char **there = tsearch(word, set, by_text);
    if (!there)
        fail("out of memory: no room for a name");
    return *there == word;
}

void
word_removed(void **set, const char *word)
{
    tdelete(word, set, by_text);
}

const char *
interned(const char *text)
{
    static void *all;
    char **known = tfind(text, &all, by_text);
    char *word = known ? *known : copy_text(text);
    if (!known)
        word_added(&all, word);
    return word;
}

/* How many letters of a number the text begins with: 24, 0.003, 1e-05. */
static size_t
number_length(const char *text)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(text, digits);
    if (n && text[n] == '.')
        n += 1 + strspn(text + n + 1, digits);
    if (n && text[n] == 'e' && (text[n + 1] == '-' || text[n + 1] == '+'))
        n += 2 + strspn(text + n + 2, digits);
    return n && text[n - 1] == '.' ? n - 1 : n;
}

/* The number in the first n letters. */
static double
number_of(const char *text, size_t n)
{
    char number[32];
    snprintf(number, sizeof number, "%.*s", (int)n, text);
    return strtod(number, NULL);
}

int
natural_order(const char *a, const char *b)
{
    const char *whole_a = a, *whole_b = b;
    while (*a && *b) {
        size_t m = number_length(a), n = number_length(b);
        bool same = m == n && !strncmp(a, b, m);
        double x = m && n && !same ? number_of(a, m) : 0;
        double y = m && n && !same ? number_of(b, n) : 0;
        if (x != y)
            return x < y ? -1 : 1;
        if ((!m || !n) && *a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        a += m && n ? m : 1;
        b += m && n ? n : 1;
    }
    return *a || *b ? (unsigned char)*a - (unsigned char)*b
                    : strcmp(whole_a, whole_b);
}

const char *
number_read(const char *text, bool whole, double least, double most, double *x)
{
    static char why[256];
    char *end;
    errno = 0;
    *x = strtod(text, &end) + 0.; /* -0 becomes 0 */
    if (errno == ERANGE && fabs(*x) < 1)
        snprintf(why, sizeof why, "%.64s is nearer to 0 than numbers go", text);
    else if (end == text || *end || isspace((unsigned char)*text) ||
             isnan(*x) || strpbrk(text, "xX")) /* nor are digits of base 16 */
        snprintf(why, sizeof why, "\"%.64s\" is not a number", text);
    else if (whole && *x != floor(*x))
        snprintf(why, sizeof why, "%.64s is not a whole number", text);
    else if (*x < least || *x > most)
        snprintf(why, sizeof why, "%.64s is not within %.10g and %.10g", text,
                 least, most);
    else
        return NULL;
    return why;
}

char *
quoted(const char *text)
{
    if (*text && text[strspn(text, NAME_LETTERS ",.=/")] == 0)
        return copy_text(text);
    char *copy = allocate(4 * strlen(text) + 3, 1), *to = copy;
    *to++ = '\'';
    for (; *text; text++)
        if (*text == '\'')
            to += sprintf(to, "'\\''");
        else
            *to++ = (unsigned char)*text < ' ' ? ' ' : *text;
    *to = '\'';
    return copy;
}

void
values_add(Values *v, char *text)
{
    v->text = grow(v->text, v->count, &v->room, sizeof *v->text);
    v->text[v->count++] = text;
}

Values
values_cut(const char *list)
{
    Values v = {0};
    for (;;) {
        size_t n = strcspn(list, ",");
        values_add(&v, format_text("%.*s", (int)n, list));
        if (!list[n])
            return v;
        list += n + 1;
    }
}

void
values_free(Values *v)
{
    for (int i = 0; i < v->count; i++)
        free(v->text[i]);
    free(v->text);
    *v = (Values){0};
}

char *
joined(const Values *v, const char *between)
{
    size_t gap = strlen(between), size = 1;
    for (int i = 0; i < v->count; i++)
        size += gap + strlen(v->text[i]);
    char *text = allocate(size, 1), *to = text;
    for (int i = 0; i < v->count; i++)
        to += sprintf(to, "%s%s", i ? between : "", v->text[i]);
    return text;
}

char *
format_text(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = allocate((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

FILE *
begin_text(char **text)
{
    static size_t size;
    FILE *stream = open_memstream(text, &size);
    if (!stream)
        fail("out of memory: a text was refused its bytes%s", whose_memory);
    return stream;
}

void
end_text(FILE *stream, char *const *text)
{
    bool lost = ferror(stream);
    if (fclose(stream) || lost || !*text)
        fail("out of memory: a text was refused its bytes%s", whose_memory);
}

uint64_t
hash_bytes(uint64_t hash, const void *bytes, uint64_t size)
{
    const unsigned char *byte = bytes;
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}
