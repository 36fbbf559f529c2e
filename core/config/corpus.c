/* corpus.c - a user's file as sequences: a text, or a table of pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "heart/fail.h"
#include "heart/numbers.h"

enum { CODES = 0x110000 };

/* Codes become numbers in the order of their codes: only those that occur have
   one, which `id` has for each that is marked there. */
static void
number_codes(Corpus *c, int *id)
{
    c->codes = allocate(CODES, sizeof *c->codes);
    for (int code = 0; code < CODES; code++)
        if (id[code]) {
            id[code] = c->vocabulary;
            c->codes[c->vocabulary++] = code;
        }
    c->classes = c->vocabulary;
}

/* The next character or byte of a text, from *at on. */
static int
next_code(const char *path, const char *text, size_t size, bool bytes,
          size_t *at)
{
    const unsigned char *from = (const unsigned char *)text;
    int code = bytes ? from[(*at)++] : utf8_next(from, size, at);
    if (code < 0)
        fail("%s: not UTF-8 text: byte 0x%02x at offset %zu; setting "
             "characters to bytes takes any file",
             path, from[*at], *at);
    return code;
}

Corpus *
text_open(const char *path, bool bytes, int tokens)
{
    if (!*path)
        usage("task text needs a file: the text to learn");
    size_t size, at = 0;
    int count = 0, *id = allocate(CODES, sizeof *id);
    char *text = read_file(path, "text", &size);
    Corpus *c = allocate(1, sizeof *c);
    c->ids = allocate(size + 1, sizeof *c->ids);
    for (; at < size; count++) {
        c->ids[count] = next_code(path, text, size, bytes, &at);
        id[c->ids[count]] = 1;
    }
    if (count / 10 <= tokens)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need a length of %d + 1; take one of %d characters, or "
             "a shorter length",
             path, count, tokens, 10 * (tokens + 1));
    number_codes(c, id);
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

/* The next word of *at, ended with a zero, "" at the end; *at goes on behind
   it. */
static char *
next_word(char **at)
{
    char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");
    *at = *end ? end + 1 : end;
    *end = 0;
    return word;
}

/* A table while it is read: its tokens and answers, one line after the other,
   and where each line begins. A token takes two bytes of the file at least. */
typedef struct Table {
    const char *path;
    Names inputs, answers;
    int *ids, *targets, *begin;
    int tokens, lines, longest;
    uint64_t hash;
} Table;

static Table
table_new(const char *path, size_t bytes)
{
    Table t = {.path = path, .hash = HASH_START};
    t.inputs.slots = t.answers.slots = bytes + 1;
    int **arrays[] = {&t.ids, &t.targets, &t.begin, &t.inputs.slot,
                      &t.answers.slot};
    for (int i = 0; i < 5; i++)
        *arrays[i] = allocate(bytes + 1, sizeof **arrays[i]);
    return t;
}

/* Reads a line, "input TAB target". */
static void
add_line(Table *t, char *line)
{
    char *in = line, *out = strchr(line, '\t');
    int number = t->lines + 2;
    bool asked = false;
    if (!out || strchr(out + 1, '\t'))
        fail("%s:%d: not two columns with one tab between: input, target",
             t->path, number);
    *out++ = 0;
    t->hash = hash_bytes(t->hash, in, strlen(in) + 1);
    t->hash = hash_bytes(t->hash, out, strlen(out) + 1);
    t->begin[t->lines++] = t->tokens;
    for (;; t->tokens++) {
        const char *word = next_word(&in), *answer = next_word(&out);
        if (!*word && !*answer)
            break;
        if (!*word || !*answer)
            fail("%s:%d: not as many answers as tokens: write - where none is "
                 "asked for",
                 t->path, number);
        bool asks = strcmp(answer, "-");
        t->ids[t->tokens] = number_of(&t->inputs, word);
        t->targets[t->tokens] = asks ? number_of(&t->answers, answer) : -1;
        asked |= asks;
    }
    if (!asked)
        fail("%s:%d: nothing is asked: leave the line out", t->path, number);
    int n = t->tokens - t->begin[t->lines - 1];
    t->longest = n > t->longest ? n : t->longest;
    t->begin[t->lines] = t->tokens;
}

/* Reads the lines of a text, which may end as on other systems. */
static void
add_lines(Table *t, char *text)
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
    Table t = table_new(path, bytes);
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
    int *done[] = {t.ids, t.targets, t.begin, t.inputs.slot, t.answers.slot};
    for (int i = 0; i < 5; i++)
        free(done[i]);
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

double
corpus_bytes(const Corpus *c)
{
    double v = c->classes;
    return c->codes ? (c->part[3] + v * v) * sizeof(int)
                    : (c->part[3] * 2. + v) * sizeof(int);
}

/* How unlikely id is in a row of v counts and their sum, one added to each. */
static double
surprise(const int *row, int id, int v)
{
    return -logarithm((row[id] + 1.) / (row[v] + (double)v));
}

/* Counts of answers after what they follow: a text's character, or nothing. */
typedef struct Counts {
    int *row;       /* v counts and their sum, for each that is followed, */
    int *all;       /* and for whatever is followed */
    int *likeliest; /* the first of the commonest answers of each row */
} Counts;

/* The row that the answer to token i is counted in. */
static int
row_of(const Corpus *c, int i)
{
    return c->codes ? c->ids[i] : 0;
}

static Counts
counts(const Corpus *c)
{
    size_t v = (size_t)c->classes, rows = c->codes ? v : 1;
    Counts n = {allocate((rows + 1) * (v + 1), sizeof(int)), NULL,
                allocate(rows, sizeof(int))};
    n.all = n.row + rows * (v + 1);
    for (int i = 0; i < c->part[1] - (c->codes != NULL); i++) {
        int id = c->targets[i], *best = &n.likeliest[row_of(c, i)];
        int *row = n.row + (size_t)row_of(c, i) * (v + 1);
        if (id < 0)
            continue;
        row[id]++;
        row[v]++;
        n.all[id]++;
        n.all[v]++;
        if (row[id] > row[*best] || (row[id] == row[*best] && id < *best))
            *best = id;
    }
    return n;
}

void
corpus_levels(const Corpus *c, Split split, Levels *l)
{
    Counts n = counts(c);
    int v = c->classes, counted = 0;
    double unigram = 0, bigram = 0;
    for (int i = c->part[split]; i < c->part[split + 1] - (c->codes != NULL);
         i++) {
        int id = c->targets[i], row = row_of(c, i);
        if (id < 0)
            continue;
        counted++;
        l->trivial += n.likeliest[row] == id;
        unigram += surprise(n.all, id, v);
        bigram += surprise(n.row + (size_t)row * (size_t)(v + 1), id, v);
    }
    l->trivial /= counted;
    l->unigram_loss = c->codes ? unigram / counted : NAN;
    l->bigram_loss = c->codes ? bigram / counted : NAN;
    free(n.row);
    free(n.likeliest);
}
