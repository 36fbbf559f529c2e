/* corpus.c - a user's text as sequences. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "heart/fail.h"
#include "heart/numbers.h"

enum { CODES = 0x110000 };

/* Gives training what the tenths for validation and test leave of `count`
   characters; each tenth is at least a sequence and the character after it. */
static void
set_parts(Corpus *c, const char *path, int count)
{
    int tenth = count / 10;
    if (tenth <= c->tokens)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need %d; take a longer file, or a shorter length",
             path, count, c->tokens + 1);
    c->part[1] = count - 2 * tenth;
    c->part[2] = count - tenth;
    c->part[3] = (int)matrix_entries(count, 1);
}

Corpus *
text_open(const char *path, int tokens)
{
    if (!*path)
        usage("task text needs a file: the text to learn");
    size_t size;
    char *text = read_file(path, "text", &size);
    const unsigned char *bytes = (const unsigned char *)text;
    Corpus *c = allocate(1, sizeof *c);
    c->ids = allocate(size + 1, sizeof *c->ids);
    c->tokens = tokens;
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
    set_parts(c, path, count);
    for (int code = 0; code < CODES; code++)
        if (id[code]) {
            int n = 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
            values_add(&c->names, format_text("%.*s", n, text + id[code] - n));
            id[code] = c->names.count - 1;
        }
    for (int i = 0; i < count; i++)
        c->ids[i] = id[c->ids[i]];
    free(text);
    free(id);
    return c;
}

void
corpus_close(Corpus *c)
{
    if (c) {
        free(c->ids);
        values_free(&c->names);
        free(c);
    }
}

bool
corpus_read(const Dataset *data, Split split, int index, Random *r, Batch *e)
{
    const Corpus *c = data->corpus;
    size_t size = (size_t)c->tokens * sizeof *e->ids;
    int first = c->part[split], last = c->part[split + 1] - c->tokens - 1;
    if (split == TRAINING)
        first += random_below(r, last - first + 1);
    else
        first += c->tokens * index;
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
    free(count);
    free(likeliest);
    l->trivial /= end - from;
    l->bigram_loss /= end - from;
}
