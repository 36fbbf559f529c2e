/* corpus.c - a user's text as sequences. */
#include <stdlib.h>
#include <string.h>

#include "tasks/corpus.h"
#include "heart/fail.h"
#include "heart/numbers.h"

enum { CODES = 0x110000 };

static Corpus *
text_read(const char *path)
{
    size_t size;
    char *text = read_file(path, "text", &size);
    const unsigned char *bytes = (const unsigned char *)text;
    Corpus *c = allocate(1, sizeof *c);
    c->ids = allocate(size + 1, sizeof *c->ids);
    c->hash = hash_bytes(HASH_START, text, size);
    int count = 0;
    int *id = allocate(CODES, sizeof *id); /* of each character; but first */
    for (size_t at = 0, end = 0; at < size; at = end, count++) {
        int code = utf8_next(bytes, size, &end);
        if (code < 0)
            fail("%s: not UTF-8 text: byte 0x%02x at offset %zu; take it out",
                 path, bytes[at], at);
        c->ids[count] = code;
        id[code] = (int)end; /* where its latest occurrence ends */
    }
    int tenth = count / 10;
    c->part[1] = count - 2 * tenth;
    c->part[2] = count - tenth;
    c->part[3] = (int)matrix_entries(count, 1);
    for (int code = 0; code < CODES; code++)
        if (id[code]) {
            int n = 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
            values_add(&c->names, format_text("%.*s", n, text + id[code] - n));
            id[code] = c->names.count - 1;
        }
    for (int i = 0; i < count; i++)
        c->ids[i] = id[c->ids[i]];
    return c;
}

/* A command that has many runs of a text reads it once. */
Corpus *
text_open(const char *path, int tokens)
{
    static Corpus *c;
    static const char *known = "";
    if (!*path)
        usage("task text needs a file: the text to learn");
    if (strcmp(path, known))
        c = text_read(path);
    known = interned(path);
    if (c->part[3] - c->part[2] <= tokens)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need %d; take a longer file, or a shorter length",
             path, c->part[3], tokens + 1);
    return c;
}

bool
corpus_read(const Dataset *data, Split split, int index, Random *r, Batch *e)
{
    const Corpus *c = data->corpus;
    int tokens = data->config.length;
    size_t size = (size_t)tokens * sizeof *e->ids;
    int first = c->part[split], last = c->part[split + 1] - tokens - 1;
    if (split == TRAINING)
        first += random_below(r, last - first + 1);
    else
        first += tokens * index;
    if (first > last)
        return false;
    memcpy(e->ids, c->ids + first, size);
    memcpy(e->targets, c->ids + first + 1, size);
    return true;
}

/* Counts the characters of the training part by the one before: a row for each
   of these, with its sum behind. */
void
corpus_levels(const Corpus *c, Split split, Levels *l)
{
    int v = c->names.count, from = c->part[split], end = c->part[split + 1] - 1;
    size_t rows = (size_t)v, width = rows + 1;
    int *count = allocate(rows * width, sizeof *count);
    int *likeliest = allocate(rows, sizeof *likeliest); /* the first of them */
    for (int i = 0; i < c->part[1] - 1; i++) {
        int last = c->ids[i], id = c->ids[i + 1], *best = &likeliest[last];
        int *row = count + (size_t)last * width;
        row[id]++;
        row[v]++;
        if (row[id] > row[*best] || (id < *best && row[id] == row[*best]))
            *best = id;
    }
    l->trivial = l->bigram_loss = 0;
    for (int i = from; i < end; i++) {
        int last = c->ids[i], id = c->ids[i + 1];
        const int *row = count + (size_t)last * width;
        l->trivial += likeliest[last] == id;
        l->bigram_loss -= logarithm((row[id] + 1.) / (row[v] + (double)v));
    }
    l->trivial /= end - from;
    l->bigram_loss /= end - from;
}
