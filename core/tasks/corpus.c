/* corpus.c - a user's text as sequences. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "tasks/corpus.h"

enum { CODES = 0x110000 }; /* the number of Unicode's codes */

/* Numbers the characters that occur in a text in the order of their codes.
   These numbers, their ids, replace the `count` codes in c->ids. place[code] is
   the offset of some occurrence of the character in the text, plus 1; it is 0
   if there is none. */
static void
number_characters(Corpus *c, int count, const char *text, const int *place)
{
    int *id = allocate(CODES, sizeof *id);
    for (int code = 0; code < CODES; code++) {
        if (place[code] == 0)
            continue;
        /* how long the character is in UTF-8 */
        int bytes = 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
        const char *from = text + place[code] - 1;
        id[code] = c->names.count;
        values_add(&c->names, format_text("%.*s", bytes, from));
    }
    for (int i = 0; i < count; i++)
        c->ids[i] = id[c->ids[i]];
    free(id);
}

/* Reads a file of UTF-8 text, and divides it among the splits. */
static Corpus *
corpus_new(const char *path)
{
    size_t size, end = 0; /* `end` is that of the characters read so far */
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
            fail("%s: byte 0x%02x at offset %zu is not UTF-8; remove it, or "
                 "convert the file to UTF-8",
                 path, bytes[at], at);
        c->ids[count] = code; /* number_characters makes an id of it */
        place[code] = (int)at + 1;
        count++;
    }
    int tenth = count / 10;
    c->begin[VALIDATION] = count - 2 * tenth;
    c->begin[TEST] = count - tenth;
    c->begin[TEST + 1] = count;
    number_characters(c, count, text, place);
    free(place);
    return c;
}

/* Keeps the text that was read last, because the runs of one command usually
   learn from the same text. */
Corpus *
corpus_open(const char *path, int tokens)
{
    static Corpus *c;
    static const char *path_of_c = "";
    if (!*path)
        usage("task text: there is no file to learn from; set file to the path "
              "of a text");
    if (strcmp(path, path_of_c) != 0)
        c = corpus_new(path);
    path_of_c = interned(path);
    if (c->begin[TEST + 1] - c->begin[TEST] <= tokens)
        fail(
            "%s: %d characters are too few: the test gets a tenth of them, and "
            "needs at least %d; choose a longer file or a smaller length",
            path, c->begin[TEST + 1], tokens + 1);
    return c;
}

bool
corpus_read(const Dataset *data, Split split, int index, Random *r, Batch *e)
{
    const Corpus *c = data->corpus;
    int tokens = data->config.length;
    size_t size = (size_t)tokens * sizeof *e->ids;
    /* A sequence that begins at `at` also needs the token behind it, as the
       last answer. */
    int at = c->begin[split], last = c->begin[split + 1] - tokens - 1;
    if (split == TRAINING)
        at += random_below(r, last - at + 1);
    else
        at += tokens * index;
    if (at > last)
        return false;
    memcpy(e->ids, c->ids + at, size);
    memcpy(e->targets, c->ids + at + 1, size);
    return true;
}

/* How often each pair of adjacent characters occurs in the training split: a
   row for each first character, a column for each second one, and a last column
   with the sum of the others. */
static int *
count_pairs(const Corpus *c)
{
    size_t kinds = (size_t)c->names.count, width = kinds + 1;
    int *count = allocate(kinds * width, sizeof *count);
    for (int i = 0; i < c->begin[VALIDATION] - 1; i++) {
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

PairBaseline
pair_baseline(const Corpus *c, Split split)
{
    int kinds = c->names.count;
    int first = c->begin[split], last = c->begin[split + 1] - 1;
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
