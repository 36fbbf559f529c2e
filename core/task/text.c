/* text.c - a text file as a sequence of tokens.

   The file is read twice, byte by byte, and never held: once to find its
   characters, once for their ids. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/elementary.h"
#include "math/random.h"
#include "task/text.h"

enum { CODES = 0x110000 };

typedef struct Reader {
    const Text *text;
    FILE *file;
    unsigned char next[4]; /* `ahead` bytes, of which the first is at `at` */
    size_t ahead, at;
    uint64_t hash; /* of those before it */
} Reader;

/* The next character or byte, EOF at the end. */
static int
next_code(Reader *r)
{
    size_t used = 0;
    for (int byte; r->ahead < sizeof r->next; r->ahead++) {
        if ((byte = getc_unlocked(r->file)) == EOF)
            break;
        r->next[r->ahead] = (unsigned char)byte;
    }
    if (!r->ahead)
        return EOF;
    int code =
        r->text->bytes ? r->next[used++] : utf8_next(r->next, r->ahead, &used);
    if (code < 0)
        fail("%s: not UTF-8 text: byte 0x%02x at offset %zu; "
             "setting characters to bytes takes any file",
             r->text->path, r->next[0], r->at);
    r->hash = hash_bytes(r->hash, r->next, used);
    r->at += used;
    r->ahead -= used;
    memmove(r->next, r->next + used, r->ahead);
    return code;
}

/* Reads the text: the id that each code has in `id` goes to `to`, or, without
   one, codes that occur are marked in `id`, and counted. */
static uint64_t
read_text(Text *t, int *id, unsigned char *to)
{
    size_t size;
    Reader r = {.text = t, .hash = HASH_START};
    r.file = open_file(t->path, "text", MOST_BYTES, &size);
    for (int code; r.at < size && (code = next_code(&r)) != EOF;)
        if (to)
            for (int k = 0; k < t->width; k++)
                *to++ = (unsigned char)(id[code] >> 8 * k);
        else {
            t->count++;
            t->vocabulary += !id[code];
            id[code] = 1;
        }
    fclose(r.file);
    return r.hash;
}

Text *
text_open(const char *path, bool bytes, int window)
{
    if (!*path)
        usage("task text needs a file: the text to learn");
    Text *t = allocate(1, sizeof *t);
    int *id = allocate(CODES, sizeof *id), last = 0;
    *t = (Text){.path = path, .bytes = bytes, .width = 1};
    t->hash = read_text(t, id, NULL);
    t->codes = allocate((size_t)t->vocabulary, sizeof *t->codes);
    for (int code = 0; code < CODES; code++)
        if (id[code])
            t->codes[last++] = code;
    free(id);
    while (t->vocabulary > 1 << 8 * t->width)
        t->width++;
    t->part[1] = t->count - t->count / 10 * 2;
    t->part[2] = t->count - t->count / 10;
    t->part[3] = t->count;
    if (t->count == 0)
        fail("%s: the text is empty", path);
    if (t->count / 10 <= window)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need a length of %d + 1; take one of %d characters, or "
             "a shorter length",
             path, t->count, window, 10 * (window + 1));
    return t;
}

double
text_bytes(const Text *t)
{
    double v = t->vocabulary;
    return (double)t->count * t->width + v * (v + 1) * sizeof(int);
}

/* Takes the ids into memory, each in as few bytes as it needs. */
static void
load(Text *t)
{
    int *id = allocate(CODES, sizeof *id);
    for (int i = 0; i < t->vocabulary; i++)
        id[t->codes[i]] = i;
    t->ids = allocate((size_t)t->count, (size_t)t->width);
    if (read_text(t, id, t->ids) != t->hash)
        fail("%s: the text has changed since it was opened", t->path);
    free(id);
}

int
text_token(Text *t, int i)
{
    if (!t->ids)
        load(t);
    const unsigned char *at = t->ids + (size_t)i * (size_t)t->width;
    int id = 0;
    for (int k = t->width - 1; k >= 0; k--)
        id = id << 8 | at[k];
    return id;
}

bool
text_sequence(Text *t, int split, int index, Random *r, int tokens, int *ids,
              int *targets)
{
    int first = t->part[split];
    int last = t->part[split + 1] - tokens - 1; /* where one may begin */
    double from = first + (double)index * tokens;
    if (r)
        from = first + random_below(r, last - first + 1);
    for (int i = 0; from <= last && i < tokens; i++) {
        ids[i] = text_token(t, (int)from + i);
        targets[i] = text_token(t, (int)from + i + 1);
    }
    return from <= last;
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

/* Row a, column b of a square of counts: how often b follows a in training; the
   last row: how often b occurs there. */
static int *
counts(Text *t)
{
    size_t v = (size_t)t->vocabulary, last = (size_t)text_token(t, 0);
    int *count = allocate(v * (v + 1), sizeof *count);
    for (int i = 1; i < t->part[1]; i++) {
        size_t id = (size_t)text_token(t, i);
        count[last * v + id]++;
        count[v * v + id]++;
        last = id;
    }
    return count;
}

Counting
text_counting(Text *t, int from, int to)
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
        int last = text_token(t, i - 1), id = text_token(t, i);
        const int *row = count + (size_t)last * v;
        c.unigram_loss -= logarithm((count[v * v + (size_t)id] + 1) / total[v]);
        c.bigram_loss -= logarithm((row[id] + 1) / total[last]);
        c.bigram_accuracy += likeliest[last] == id;
    }
    free(count);
    free(likeliest);
    free(total);
    c.unigram_loss /= to - from;
    c.bigram_loss /= to - from;
    c.bigram_accuracy /= to - from;
    return c;
}
