/* corpus.c - a user's text as sequences. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "tasks/corpus.h"

enum { CODES = 0x110000 };

/* Gives the characters of a text ids in the order of their codes, and replaces
   the `count` codes in c->ids by them. place[code] is where some occurrence of
   the character begins in the text, plus 1; it is 0 if there is none. */
static void
number_characters(Corpus *c, int count, const char *text, const int *place)
{
    int *id = allocate(CODES, sizeof *id);
    for (int code = 0; code < CODES; code++)
        if (place[code]) {
            int bytes =
                1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
            const char *from = text + place[code] - 1;
            id[code] = c->names.count;
            values_add(&c->names, format_text("%.*s", bytes, from));
        }
    for (int i = 0; i < count; i++)
        c->ids[i] = id[c->ids[i]];
    free(id);
}

/* Reads a file of UTF-8 text. */
static Corpus *
text_read(const char *path)
{
    size_t size, end = 0;
    char *text = read_file(path, "text", &size);
    const unsigned char *bytes = (const unsigned char *)text;
    Corpus *c = allocate(1, sizeof *c);
    c->ids = allocate(size + 1, sizeof *c->ids);
    c->hash = hash_bytes(HASH_START, text, size);
    int count = 0, *place = allocate(CODES, sizeof *place);
    while (end < size) {
        size_t at = end;
        int code = utf8_next(bytes, size, &end);
        if (code < 0)
            fail("%s: it is not UTF-8 text: byte 0x%02x at offset %zu; remove "
                 "that byte, or convert the file",
                 path, bytes[at], at);
        c->ids[count] = code;
        place[code] = (int)at + 1;
        count++;
    }
    int tenth = count / 10;
    c->part[1] = count - 2 * tenth;
    c->part[2] = count - tenth;
    c->part[3] = count;
    number_characters(c, count, text, place);
    free(place);
    return c;
}

/* Keeps the text that was read last, because the runs of one command usually
   have the same. */
Corpus *
text_open(const char *path, int tokens)
{
    static Corpus *c;
    static const char *last = "";
    if (!*path)
        usage("task text: it has no file to learn from; set file to one");
    if (strcmp(path, last))
        c = text_read(path);
    last = interned(path);
    if (c->part[3] - c->part[2] <= tokens)
        fail("%s: its %d characters are too few: validation and test get a "
             "tenth each, and need at least %d; choose a longer file or a "
             "smaller length",
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

/* How often each pair of adjacent characters occurs in the training part: a row
   for each first character, a column for each second one, and a last column
   with the sum of the others. */
static int *
count_pairs(const Corpus *c)
{
    size_t kinds = (size_t)c->names.count, width = kinds + 1;
    int *count = allocate(kinds * width, sizeof *count);
    for (int i = 0; i < c->part[1] - 1; i++) {
        int *row = count + (size_t)c->ids[i] * width;
        row[c->ids[i + 1]]++;
        row[kinds]++;
    }
    return count;
}

/* The index of the first of the largest numbers. */
static int
largest_of(const int *numbers, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (numbers[i] > numbers[best])
            best = i;
    return best;
}

/* Counts on the training part, and guesses on the split. */
PairBaseline
pair_baseline(const Corpus *c, Split split)
{
    int kinds = c->names.count;
    int first = c->part[split], last = c->part[split + 1] - 1;
    size_t width = (size_t)kinds + 1;
    int *count = count_pairs(c);
    int *likeliest = allocate((size_t)kinds, sizeof *likeliest);
    PairBaseline found = {0};
    for (int id = 0; id < kinds; id++)
        likeliest[id] = largest_of(count + (size_t)id * width, kinds);
    for (int i = first; i < last; i++) {
        int before = c->ids[i], id = c->ids[i + 1];
        const int *row = count + (size_t)before * width;
        double share = (row[id] + 1.) / (row[kinds] + (double)kinds);
        found.accuracy += likeliest[before] == id;
        found.loss -= logarithm(share);
    }
    found.accuracy /= last - first;
    found.loss /= last - first;
    return found;
}
