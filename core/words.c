/* words.c - small things done to names: the nearest one, files, lists. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "words.h"

enum { LONGEST = 64 };

/* Letters to insert, drop, change or swap with their neighbour: the distance
   of Damerau (1964), kept in three rows of its table. */
static int
distance(const char *a, const char *b)
{
    int row[3][LONGEST + 1];
    int n = (int)strlen(b);
    if (n > LONGEST)
        return LONGEST;
    for (int j = 0; j <= n; j++)
        row[0][j] = j;
    int *before = row[2], *last = row[0], *now = row[1];
    for (int i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int change = last[j - 1] + (a[i - 1] != b[j - 1]);
            int drop = last[j] + 1, insert = now[j - 1] + 1;
            now[j] = change < drop ? change : drop;
            now[j] = now[j] < insert ? now[j] : insert;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        int *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[n];
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

char *
read_file(const char *path, const char *what, size_t *size)
{
    struct stat facts;
    if (stat(path, &facts))
        fail("%s: the %s cannot be read: %s", path, what, strerror(errno));
    if (!S_ISREG(facts.st_mode)) /* to open a pipe is to wait for its writer */
        fail("%s: the %s is not a plain file", path, what);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("%s: the %s cannot be read: %s", path, what, strerror(errno));
    char *text = allocate((size_t)facts.st_size + 1, 1);
    *size = fread(text, 1, (size_t)facts.st_size, file);
    if (ferror(file))
        fail("%s: the %s cannot be read: %s", path, what, strerror(errno));
    fclose(file);
    return text;
}

char *
copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size, 1), text, size);
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *
interned(const char *text)
{
    static void *all; /* a tree of them */
    char **known = tfind(text, &all, by_text);
    if (!known)
        known = tsearch(copy_text(text), &all, by_text);
    if (!known)
        fail("out of memory: no room for a name");
    return *known;
}

bool
names_file(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 127 || strchr("/.'\"\\", *c))
            return false;
    return true;
}

bool
one_file(const char *a, const char *b)
{
    while (*a && (*a == '^' ? '_' : *a) == (*b == '^' ? '_' : *b))
        a++, b++;
    return !*a && !*b;
}

int
natural_order(const char *a, const char *b)
{
    bool decimals = false; /* behind a point they count from the left */
    for (; *a && *b; a++, b++) {
        size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
        decimals = (decimals && m) || *a == '.';
        if (m && n && !decimals) {
            unsigned long long x = strtoull(a, NULL, 10);
            unsigned long long y = strtoull(b, NULL, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a += m - 1;
            b += n - 1;
        } else if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

char *
quoted(const char *text, const char *escaped)
{
    size_t size = strlen(text), more = strlen(escaped);
    char *copy = allocate(size * (more + 1) + 3, 1), *to = copy;
    *to++ = '\'';
    for (; *text; text++)
        if (*text == '\'')
            to += sprintf(to, "%s", escaped);
        else
            *to++ = (unsigned char)*text < ' ' ? ' ' : *text;
    *to++ = '\'';
    *to = 0;
    return copy;
}
