/* corpus.c - a user's file as sequences: a text, or a table of pairs. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "heart/fail.h"
#include "heart/numbers.h"

enum { CODES = 0x110000 };

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
    if (count / 10 <= tokens)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need a length of %d + 1; take one of %d characters, or "
             "a shorter length",
             path, count, tokens, 10 * (tokens + 1));
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
    c->part[1] = count - count / 10 * 2;
    c->part[2] = count - count / 10;
    c->part[3] = count;
    free(text);
    free(id);
    return c;
}

/* Different words, each with its number. slot: where the hash of a word leads,
   or the next one that is free, has 1 + its number. There are more slots than
   words. */
typedef struct Names {
    Values words;
    int *slot;
    size_t slots;
} Names;

/* The number of a word, a new one if it is new. */
static int
number_of(Names *n, const char *word)
{
    size_t at = hash_bytes(HASH_START, word, strlen(word)) % n->slots;
    while (n->slot[at] && strcmp(n->words.text[n->slot[at] - 1], word))
        at = (at + 1) % n->slots;
    if (!n->slot[at]) {
        values_add(&n->words, copy_text(word));
        n->slot[at] = n->words.count;
    }
    return n->slot[at] - 1;
}

/* A table while it is read: its tokens and answers, one line after the other,
   and where each line begins. A token takes two bytes of the file at least. */
typedef struct Pairs {
    const char *path;
    Names inputs, answers;
    int *ids, *targets, *begin;
    int tokens, lines, longest;
    uint64_t hash;
} Pairs;

/* Reads a line, "input TAB target". */
static void
add_line(Pairs *t, char *line)
{
    char *in = line, *out = strchr(line, '\t'), *rest[2];
    int number = t->lines + 2;
    bool asked = false;
    if (!out || strchr(out + 1, '\t'))
        fail("%s:%d: not two columns with one tab between: input, target",
             t->path, number);
    *out++ = 0;
    t->hash = hash_bytes(t->hash, in, strlen(in) + 1);
    t->hash = hash_bytes(t->hash, out, strlen(out) + 1);
    t->begin[t->lines++] = t->tokens;
    char *word = strtok_r(in, " ", &rest[0]);
    char *answer = strtok_r(out, " ", &rest[1]);
    for (; word && answer; t->tokens++) {
        bool asks = strcmp(answer, "-");
        t->ids[t->tokens] = number_of(&t->inputs, word);
        t->targets[t->tokens] = asks ? number_of(&t->answers, answer) : -1;
        asked |= asks;
        word = strtok_r(NULL, " ", &rest[0]);
        answer = strtok_r(NULL, " ", &rest[1]);
    }
    if (word || answer)
        fail("%s:%d: not as many answers as tokens: write - where none is "
             "asked for",
             t->path, number);
    if (!asked)
        fail("%s:%d: nothing is asked: leave the line out", t->path, number);
    int n = t->tokens - t->begin[t->lines - 1];
    t->longest = n > t->longest ? n : t->longest;
    t->begin[t->lines] = t->tokens;
}

/* Reads the lines of a text, which may end as on other systems. */
static void
add_lines(Pairs *t, char *text)
{
    for (char *line = text, *next; *line; line = next) {
        char *end = line + strcspn(line, "\r\n");
        next = end + (*end == '\r');
        next += *next == '\n';
        *end = 0;
        if (line != text)
            add_line(t, line);
        else if (strcmp(line, "input\ttarget"))
            fail("%s:1: not \"input\", a tab, \"target\": the first line names "
                 "the two columns",
                 t->path);
    }
    if (t->lines < 10)
        fail("%s: %d sequences, and 10 are the least: 8 to train, one to "
             "validate, one to test",
             t->path, t->lines);
}

Corpus *
pairs_open(const char *path)
{
    if (!*path)
        usage("task pairs needs a file: a table of sequences, input TAB "
              "target");
    size_t bytes;
    char *text = read_file(path, "table of pairs", &bytes);
    if (strlen(text) != bytes)
        fail("%s: not text: byte 0x00 at offset %zu; take it out", path,
             strlen(text));
    size_t n = bytes + 1;
    int *memory = allocate(5 * n, sizeof *memory);
    Pairs t = {.path = path,
               .hash = HASH_START,
               .ids = memory,
               .targets = memory + n,
               .begin = memory + 2 * n,
               .inputs = {.slot = memory + 3 * n, .slots = n},
               .answers = {.slot = memory + 4 * n, .slots = n}};
    add_lines(&t, text);
    Corpus *c = allocate(1, sizeof *c);
    *c = (Corpus){.tokens = t.longest,
                  .vocabulary = t.inputs.words.count + 1,
                  .classes = t.answers.words.count,
                  .inputs = t.inputs.words,
                  .answers = t.answers.words,
                  .hash = t.hash};
    c->part[1] = (int)(0.8 * t.lines) * c->tokens;
    c->part[2] = (int)(0.9 * t.lines) * c->tokens;
    c->part[3] = (int)matrix_entries(t.lines, c->tokens);
    c->ids = allocate((size_t)c->part[3], sizeof *c->ids);
    c->targets = allocate((size_t)c->part[3], sizeof *c->targets);
    for (int i = 0; i < c->part[3]; i++) {
        int line = i / c->tokens, from = t.begin[line] + i % c->tokens;
        bool there = from < t.begin[line + 1];
        c->ids[i] = there ? t.ids[from] : c->inputs.count;
        c->targets[i] = there ? t.targets[from] : -1;
    }
    free(memory);
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
