/* text.c - a text file as a sequence of tokens. */
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "fail.h"
#include "random.h"
#include "text.h"
#include "words.h"

enum { CODES = 0x110000 };

/* The character at *at of a UTF-8 text (RFC 3629), which it steps over, or -1
   where the bytes are none: too long, cut short, a surrogate, a zero. */
static int
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
    if (code < least[more] || code >= CODES ||
        (code >= 0xd800 && code < 0xe000))
        return -1;
    *at += (size_t)more + 1;
    return code;
}

/* Fills ids with codes, one a character or a byte; returns how many. */
static int
decode(const char *path, const char *text, size_t size, int bytes, int *ids)
{
    const unsigned char *at = (const unsigned char *)text;
    int count = 0;
    for (size_t i = 0; i < size;) {
        size_t start = i;
        int code = bytes ? at[i++] : utf8_next(at, size, &i);
        if (code < 0)
            fail("%s: not UTF-8 text: byte 0x%02x at offset %zu; --characters "
                 "bytes takes any file",
                 path, at[start], start);
        ids[count++] = code;
    }
    return count;
}

/* Numbers the codes that occur, in their order. */
static void
number(Text *t)
{
    int codes = 0;
    for (int i = 0; i < t->count; i++)
        codes = t->ids[i] >= codes ? t->ids[i] + 1 : codes;
    int *id = allocate((size_t)codes, sizeof *id);
    for (int i = 0; i < t->count; i++)
        id[t->ids[i]] = 1;
    for (int code = 0; code < codes; code++)
        if (id[code])
            id[code] = t->vocabulary++;
    t->codes = allocate((size_t)t->vocabulary, sizeof *t->codes);
    for (int i = 0; i < t->count; i++) {
        t->codes[id[t->ids[i]]] = t->ids[i];
        t->ids[i] = id[t->ids[i]];
    }
    free(id);
}

Text *
text_open(const char *path, int bytes, int window)
{
    if (!*path)
        usage("--task text needs --file FILE: the text to learn");
    size_t size;
    char *content = read_file(path, "text", &size);
    if (size == 0)
        fail("%s: the text is empty", path);
    if (size > 1 << 30)
        fail("%s: the text has %zu bytes, and 1 GiB is the most", path, size);
    Text *t = allocate(1, sizeof *t);
    t->ids = allocate(size, sizeof *t->ids);
    t->count = decode(path, content, size, bytes, t->ids);
    t->hash = hash_bytes(HASH_START, content, size);
    free(content);
    t->part[1] = t->count - t->count / 10 * 2;
    t->part[2] = t->count - t->count / 10;
    t->part[3] = t->count;
    if (t->count / 10 <= window)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need --length %d + 1; take a text of %d characters or "
             "a shorter --length",
             path, t->count, window, 10 * (window + 1));
    number(t);
    return t;
}

void
text_close(Text *t)
{
    if (t) {
        free(t->ids);
        free(t->codes);
        free(t);
    }
}

/* Row a, column b of a square of counts: how often b follows a in training;
   the last row: how often b occurs there. */
static int *
counts(const Text *t)
{
    size_t v = (size_t)t->vocabulary;
    int *count = allocate(v * (v + 1), sizeof *count);
    for (int i = 1; i < t->part[1]; i++) {
        count[(size_t)t->ids[i - 1] * v + (size_t)t->ids[i]]++;
        count[v * v + (size_t)t->ids[i]]++;
    }
    return count;
}

Counting
text_counting(const Text *t, int from, int to)
{
    size_t v = (size_t)t->vocabulary;
    int *count = counts(t), *likeliest = allocate(v + 1, sizeof *likeliest);
    double *total = allocate(v + 1, sizeof *total);
    Counting c = {0};
    for (size_t row = 0; row <= v; row++)
        for (size_t i = 0; i < v; i++) {
            const int *n = count + row * v;
            total[row] += n[i] + 1;
            likeliest[row] = n[i] > n[likeliest[row]] ? (int)i : likeliest[row];
        }
    for (int i = from; i < to; i++) {
        size_t last = (size_t)t->ids[i - 1], id = (size_t)t->ids[i];
        c.unigram_loss -= logarithm((count[v * v + id] + 1) / total[v]);
        c.bigram_loss -= logarithm((count[last * v + id] + 1) / total[last]);
        c.bigram_accuracy += likeliest[last] == t->ids[i];
    }
    free(count);
    free(likeliest);
    free(total);
    c.unigram_loss /= to - from;
    c.bigram_loss /= to - from;
    c.bigram_accuracy /= to - from;
    return c;
}
