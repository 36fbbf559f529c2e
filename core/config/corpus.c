/* corpus.c - a user's file as sequences: a text, or a table of pairs. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "heart/fail.h"
#include "heart/numbers.h"

enum { CODES = 0x110000 };

/* Gives training what the tenths for validation and test leave of `count`
   units, which are so many tokens long. A tenth has `least` of them at least.
 */
static void
set_parts(Corpus *c, const char *path, const char *units, int count, int tokens,
          int least)
{
    int tenth = count / 10;
    if (tenth < least)
        fail("%s: %d %s are too few: validation and test take a tenth each, "
             "and need %d; take a longer file, or a shorter length",
             path, count, units, least);
    c->part[1] = (count - 2 * tenth) * tokens;
    c->part[2] = (count - tenth) * tokens;
    c->part[3] = (int)matrix_entries(count, tokens);
}

Corpus *
text_open(const char *path, int tokens)
{
    if (!*path)
        usage("task text needs a file: the text to learn");
    size_t size, at = 0;
    int count = 0, *id = allocate(CODES, sizeof *id);
    char *text = read_file(path, "text", &size);
    Corpus *c = allocate(1, sizeof *c);
    c->ids = allocate(size + 1, sizeof *c->ids);
    for (; at < size; count++) {
        int code = utf8_next((const unsigned char *)text, size, &at);
        if (code < 0)
            fail("%s: not UTF-8 text: byte 0x%02x at offset %zu; take it out",
                 path, (unsigned char)text[at], at);
        c->ids[count] = code;
        id[code] = 1;
    }
    set_parts(c, path, "characters", count, 1, tokens + 1);
    c->codes = allocate(CODES, sizeof *c->codes);
    for (int code = 0; code < CODES; code++) /* only those that occur */
        if (id[code]) {
            id[code] = c->vocabulary;
            c->codes[c->vocabulary++] = code;
        }
    c->classes = c->vocabulary;
    for (int i = 0; i < count; i++)
        c->ids[i] = id[c->ids[i]];
    c->targets = c->ids + 1;
    c->tokens = tokens;
    c->hash = hash_bytes(HASH_START, text, size);
    free(text);
    free(id);
    return c;
}

/* The number of a word, a new one if it is new. */
static int
number_of(Values *words, const char *word)
{
    for (int i = 0; i < words->count; i++)
        if (!strcmp(words->text[i], word))
            return i;
    values_add(words, copy_text(word));
    return words->count - 1;
}

/* Reads a line, "input TAB target", into ids and targets; returns how many
   tokens it has, 0 where it is no such line. */
static int
read_line(Corpus *c, char *line, int *ids, int *targets)
{
    char *rest[2], *out = strchr(line, '\t'), nothing[] = "";
    char *answer = strtok_r(out ? out : nothing, " \t", &rest[1]);
    bool asked = false;
    int n = 0;
    if (out)
        *out = 0;
    char *word = strtok_r(line, " ", &rest[0]);
    for (; word && answer; n++) {
        bool asks = strcmp(answer, "-");
        ids[n] = number_of(&c->inputs, word);
        targets[n] = asks ? number_of(&c->answers, answer) : -1;
        asked |= asks;
        word = strtok_r(NULL, " ", &rest[0]);
        answer = strtok_r(NULL, " \t", &rest[1]);
    }
    return asked && !word && !answer ? n : 0;
}

Corpus *
pairs_open(const char *path)
{
    if (!*path)
        usage("task pairs needs a file: a table of sequences, input TAB "
              "target");
    size_t size;
    char *text = read_file(path, "table of pairs", &size), *rest;
    Corpus *c = allocate(1, sizeof *c);
    c->hash = hash_bytes(HASH_START, text, size);
    int *ids = allocate(3 * size + 3, sizeof *ids), *targets = ids + size + 1;
    int *end = targets + size + 1; /* of each line's tokens */
    int lines = 0, tokens = 0;
    for (char *line = strtok_r(text, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest)) {
        bool first = !lines;
        int n = first ? 0 : read_line(c, line, ids + tokens, targets + tokens);
        if (first ? strcmp(line, "input\ttarget") : !n)
            fail("%s:%d: not \"input TAB target\": the first line is that, and "
                 "each other one has as many answers as tokens, with - where "
                 "none is asked for, but not everywhere",
                 path, lines + 1);
        end[lines++] = tokens += n;
        c->tokens = n > c->tokens ? n : c->tokens;
    }
    set_parts(c, path, "sequences", lines - (lines > 0), c->tokens, 1);
    c->vocabulary = c->inputs.count + 1; /* shorter lines are padded */
    c->classes = c->answers.count;
    c->ids = allocate((size_t)c->part[3], sizeof *c->ids);
    c->targets = allocate((size_t)c->part[3], sizeof *c->targets);
    for (int i = 0; i < c->part[3]; i++) {
        int line = i / c->tokens, at = end[line] + i % c->tokens;
        bool there = at < end[line + 1];
        c->ids[i] = there ? ids[at] : c->inputs.count;
        c->targets[i] = there ? targets[at] : -1;
    }
    free(ids);
    free(text);
    return c;
}

void
corpus_close(Corpus *c)
{
    if (c) {
        free(c->ids);
        free(c->codes ? NULL : c->targets);
        free(c->codes);
        values_free(&c->inputs);
        values_free(&c->answers);
        free(c);
    }
}

bool
corpus_sequence(const Corpus *c, Split split, int index, Random *r, int *ids,
                int *targets)
{
    int first = c->part[split], step = c->codes ? 1 : c->tokens;
    int last = c->part[split + 1] - c->tokens; /* where one may begin */
    size_t size = (size_t)c->tokens * sizeof *ids;
    last -= c->codes != NULL; /* a text's last token has no next one */
    if (!r && index > (last - first) / c->tokens)
        return false;
    first += r ? step * random_below(r, (last - first) / step + 1)
               : c->tokens * index;
    memcpy(ids, c->ids + first, size);
    memcpy(targets, c->targets + first, size);
    return true;
}

/* How unlikely id is in a row of v counts and their sum, one added to each. */
static double
surprise(const int *row, int id, int v)
{
    return -logarithm((row[id] + 1.) / (row[v] + (double)v));
}

/* Counts the answers of the training part after what they follow, a character
   of a text or nothing: a row for each, with its sum behind; the last row
   counts all. */
void
corpus_levels(const Corpus *c, Split split, Levels *l)
{
    int open = c->codes != NULL, v = c->classes, counted = 0;
    size_t rows = open ? (size_t)v : 1, width = (size_t)v + 1;
    int *count = allocate((rows + 1) * width, sizeof *count);
    int *all = count + rows * width;
    int *likeliest = allocate(rows, sizeof *likeliest); /* the first of them */
    double unigram = 0, bigram = 0;
    for (int i = 0; i < c->part[1] - open; i++) {
        int id = c->targets[i], last = open ? c->ids[i] : 0;
        int *row = count + (size_t)last * width, *best = &likeliest[last];
        if (id < 0)
            continue;
        row[id]++;
        row[v]++;
        all[id]++;
        all[v]++;
        if (row[id] > row[*best] || (id < *best && row[id] == row[*best]))
            *best = id;
    }
    for (int i = c->part[split]; i < c->part[split + 1] - open; i++) {
        int id = c->targets[i], last = open ? c->ids[i] : 0;
        if (id < 0)
            continue;
        counted++;
        l->trivial += likeliest[last] == id;
        unigram += surprise(all, id, v);
        bigram += surprise(count + (size_t)last * width, id, v);
    }
    free(count);
    free(likeliest);
    l->trivial /= counted;
    if (open) {
        l->unigram_loss = unigram / counted;
        l->bigram_loss = bigram / counted;
    }
}
