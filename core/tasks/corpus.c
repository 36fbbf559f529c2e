/* corpus.c - a user's text as sequences of characters. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "tasks/corpus.h"

enum { CODES = 0x110000 }; /* the number of code points in Unicode */

/* Replaces the `count` code points in c->ids by ids, which are 0, 1 and so on
   for the characters that occur in the text, in the order of their code points.
   name[code] is the character in UTF-8, or NULL if it does not occur. */
static void
number_characters(Corpus *c, int count, char *const *name)
{
    int *id = allocate(CODES, sizeof *id);
    for (int code = 0; code < CODES; code++)
        if (name[code]) {
            id[code] = c->names.count;
            values_add(&c->names, name[code]);
        }
    for (int i = 0; i < count; i++)
        c->ids[i] = id[c->ids[i]];
    free(id);
}

/* Fills c->ids and c->names from a UTF-8 text of `size` bytes, which was read
   from `path`. Returns the number of its characters. */
static int
read_characters(Corpus *c, const char *path, const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    char **name = allocate(CODES, sizeof *name); /* see number_characters */
    size_t next = 0; /* the offset of the next character */
    int count = 0;
    while (next < size) {
        size_t at = next; /* the offset of this character */
        int code = utf8_next(bytes, size, &next);
        if (code < 0)
            fail("%s: byte 0x%02x at offset %zu is not UTF-8; remove it, or "
                 "convert the file to UTF-8",
                 path, bytes[at], at);
        if (!name[code])
            name[code] = format_text("%.*s", (int)(next - at), text + at);
        c->ids[count] = code; /* number_characters replaces it by an id */
        count++;
    }
    number_characters(c, count, name);
    free(name);
    return count;
}

/* Reads a file of UTF-8 text, and divides it among the splits. */
static Corpus *
corpus_new(const char *path)
{
    size_t size;
    char *text = read_file(path, "text", &size);
    Corpus *c = allocate(1, sizeof *c);
    c->ids =
        allocate(size, sizeof *c->ids); /* a character has at least a byte */
    c->hash = hash_bytes(HASH_START, text, size);
    int count = read_characters(c, path, text, size), tenth = count / 10;
    c->begin[TRAINING] = 0;
    c->begin[VALIDATION] = count - 2 * tenth;
    c->begin[TEST] = count - tenth;
    c->begin[SPLITS] = count;
    free(text);
    return c;
}

/* Keeps the latest text, because the runs of one command usually learn from the
   same text. */
Corpus *
corpus_open(const char *path, int tokens)
{
    static Corpus *latest;
    static const char *latest_path = "";
    if (!*path)
        usage("task text: there is no file to learn from; set file to the path "
              "of a text");
    if (strcmp(path, latest_path) != 0)
        latest = corpus_new(path);
    latest_path = interned(path);
    int count = latest->begin[SPLITS]; /* of all characters */
    int tested = count - latest->begin[TEST];
    int least = tokens + 1; /* the last token's answer is the one after it */
    if (tested < least)
        fail("%s: a tenth of its %d characters is for the test, which needs at "
             "least %d; choose a longer file or a smaller length",
             path, count, least);
    return latest;
}

bool
corpus_read(const Dataset *data, Split split, int index, Random *r, Batch *b)
{
    const Corpus *c = data->corpus;
    int tokens = data->config.length;
    size_t size = (size_t)tokens * sizeof *b->ids;
    /* The last place at which a sequence can begin. The token after a sequence
       must exist too, because it is the answer at its last token. */
    int last = c->begin[split + 1] - tokens - 1;
    int begin = c->begin[split]; /* of the sequence */
    if (split == TRAINING)
        begin += random_below(r, last - begin + 1);
    else
        begin += tokens * index;
    if (begin > last)
        return false;
    memcpy(b->ids, c->ids + begin, size);
    memcpy(b->targets, c->ids + begin + 1, size);
    return true;
}

/* Counts how often each pair of adjacent characters occurs in the training
   split, which ends where validation begins. The result has a row for each
   first character, a column for each second one, and a last column for the sum
   of each row. The caller frees it. */
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

/* The index of the largest of n numbers; if several are equal, the first. */
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
    /* The last character of the split has no next one. */
    int first = c->begin[split], last = c->begin[split + 1] - 1;
    size_t width = (size_t)kinds + 1; /* of a row of count_pairs */
    int *count = count_pairs(c);
    double right = 0, loss = 0; /* sums over all pairs */
    for (int i = first; i < last; i++) {
        int next = c->ids[i + 1];
        const int *row = count + (size_t)c->ids[i] * width;
        double probability = (row[next] + 1.) / (row[kinds] + (double)kinds);
        right += largest_of(row, kinds) == next;
        loss -= logarithm(probability);
    }
    free(count);
    int pairs = last - first;
    return (PairBaseline){.accuracy = right / pairs, .loss = loss / pairs};
}
