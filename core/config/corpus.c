/* corpus.c - a user's file as sequences: a text, or a table of pairs. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "heart/fail.h"
#include "heart/numbers.h"

enum { CODES = 0x110000 };

static int
id_at(const Corpus *c, int i)
{
    return c->bytes ? c->bytes[i] : c->ids[i];
}

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

/* The ids of a few characters take a byte each, where the text was. */
Corpus *
text_open(const char *path, bool bytes, int tokens)
{
    if (!*path)
        usage("task text needs a file: the text to learn");
    size_t size, at = 0;
    int count = 0, *id = allocate(CODES, sizeof *id);
    char *text = read_file(path, "text", &size);
    for (; at < size; count++)
        id[next_code(path, text, size, bytes, &at)] = 1;
    if (count / 10 <= tokens)
        fail("%s: %d characters are too few: validation and test take a tenth "
             "each, and need a length of %d + 1; take one of %d characters, or "
             "a shorter length",
             path, count, tokens, 10 * (tokens + 1));
    Corpus *c = allocate(1, sizeof *c);
    *c = (Corpus){.tokens = tokens, .step = 1};
    c->hash = hash_bytes(HASH_START, text, size);
    c->part[1] = count - count / 10 * 2;
    c->part[2] = count - count / 10;
    c->part[3] = count;
    number_codes(c, id);
    if (c->vocabulary <= 256)
        c->bytes = (unsigned char *)text;
    else
        c->ids = allocate((size_t)count, sizeof *c->ids);
    at = 0;
    for (int i = 0; i < count; i++) {
        int number = id[next_code(path, text, size, bytes, &at)];
        if (c->bytes)
            c->bytes[i] = (unsigned char)number;
        else
            c->ids[i] = number;
    }
    free(c->bytes ? NULL : text);
    free(id);
    return c;
}

/* Different words, each with its number. */
typedef struct Name {
    const char *word;
    int number;
} Name;

typedef struct Names {
    void *tree;
    Values words;
} Names;

static int
by_word(const void *a, const void *b)
{
    return strcmp(((const Name *)a)->word, ((const Name *)b)->word);
}

/* The number of a word, a new one where it is new. */
static int
number_of(Names *n, const char *word)
{
    Name name = {word, n->words.count};
    Name **known = tfind(&name, &n->tree, by_word);
    if (known)
        return (*known)->number;
    Name *added = allocate(1, sizeof *added);
    *added = name;
    if (!tsearch(added, &n->tree, by_word))
        fail("out of memory: no room for the word %s", word);
    values_add(&n->words, copy_text(word));
    return name.number;
}

/* The words alone, in their order. */
static Values
names_end(Names *n)
{
    while (n->tree) {
        Name *root = *(Name **)n->tree;
        tdelete(root, &n->tree, by_word);
        free(root);
    }
    return n->words;
}

static int
count_words(const char *text)
{
    int n = 0;
    while (*(text += strspn(text, " "))) {
        text += strcspn(text, " ");
        n++;
    }
    return n;
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

/* Each line after the first, cut out of the text. */
typedef struct Lines {
    struct Line {
        char *input, *target;
    } * line;
    int count, capacity, longest;
} Lines;

/* Adds line `number`, "input TAB target". */
static void
add_line(Lines *l, char *line, const char *path, int number)
{
    char *tab = strchr(line, '\t');
    if (!tab || strchr(tab + 1, '\t'))
        fail("%s:%d: not two columns with one tab between: input, target", path,
             number);
    *tab = 0;
    int n = count_words(line), answers = count_words(tab + 1);
    if (n == 0)
        fail("%s:%d: no input", path, number);
    if (n != answers)
        fail("%s:%d: %d tokens and %d answers: as many are needed, - where "
             "none is asked for",
             path, number, n, answers);
    l->line = grow(l->line, l->count, &l->capacity, sizeof *l->line);
    l->line[l->count++] = (struct Line){line, tab + 1};
    l->longest = n > l->longest ? n : l->longest;
}

/* Cuts the text into lines, which may end as on other systems. */
static Lines
lines_of(char *text, const char *path)
{
    Lines l = {0};
    int number = 1;
    for (char *line = text, *next; *line; line = next, number++) {
        char *end = line + strcspn(line, "\r\n");
        next = end + (*end == '\r');
        next += *next == '\n';
        *end = 0;
        if (number > 1)
            add_line(&l, line, path, number);
        else if (strcmp(line, "input\ttarget"))
            fail("%s:1: not \"input\", a tab, \"target\": the first line names "
                 "the two columns",
                 path);
    }
    if (l.count < 10)
        fail("%s: %d sequences, and 10 are the least: 8 to train, one to "
             "validate, one to test",
             path, l.count);
    return l;
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
    Lines l = lines_of(text, path);
    Names inputs = {0}, answers = {0};
    Corpus *c = allocate(1, sizeof *c);
    int size = (int)matrix_entries(l.count, l.longest);
    int *id = c->ids = allocate((size_t)size, sizeof *id);
    int *target = c->targets = allocate((size_t)size, sizeof *target);
    c->hash = HASH_START;
    for (int i = 0; i < l.count; i++) {
        char *in = l.line[i].input, *out = l.line[i].target;
        bool asked = false;
        c->hash = hash_bytes(c->hash, in, strlen(in) + 1);
        c->hash = hash_bytes(c->hash, out, strlen(out) + 1);
        for (int k = 0; k < l.longest; k++, id++, target++) {
            const char *word = next_word(&in), *answer = next_word(&out);
            bool asks = *answer && strcmp(answer, "-");
            *id = *word ? number_of(&inputs, word) : -1;
            *target = asks ? number_of(&answers, answer) : -1;
            asked |= asks;
        }
        if (!asked)
            fail("%s:%d: every answer is -: nothing is asked; leave the line "
                 "out",
                 path, i + 2);
    }
    c->inputs = names_end(&inputs);
    c->answers = names_end(&answers);
    for (int i = 0; i < size; i++)
        c->ids[i] = c->ids[i] < 0 ? c->inputs.count : c->ids[i];
    c->tokens = c->step = l.longest;
    c->vocabulary = c->inputs.count + 1;
    c->classes = c->answers.count;
    c->part[1] = (int)(0.8 * l.count) * c->tokens;
    c->part[2] = (int)(0.9 * l.count) * c->tokens;
    c->part[3] = size;
    free(l.line);
    free(text);
    return c;
}

void
corpus_close(Corpus *c)
{
    if (c) {
        free(c->ids);
        free(c->targets);
        free(c->bytes);
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
    int first = c->part[split]; /* a text's last token has no next one */
    int places = c->part[split + 1] - first - c->tokens - (c->codes != NULL);
    if (!r && index > places / c->tokens)
        return false;
    first +=
        r ? c->step * random_below(r, places / c->step + 1) : c->tokens * index;
    for (int i = 0; i < c->tokens; i++) {
        ids[i] = id_at(c, first + i);
        targets[i] = c->codes ? id_at(c, first + i + 1) : c->targets[first + i];
    }
    return true;
}

double
corpus_bytes(const Corpus *c)
{
    double v = c->vocabulary, each = c->bytes ? 0.25 : c->codes ? 1 : 2;
    return (each * c->part[3] + (c->codes ? v * (v + 1) : v)) * sizeof(int);
}

/* Row a, column b of a square of counts: how often b follows a in training; the
   last row: how often b occurs there. */
static int *
counts(const Corpus *c)
{
    size_t v = (size_t)c->vocabulary;
    int *count = allocate(v * (v + 1), sizeof *count);
    for (int i = 1; i < c->part[1]; i++) {
        size_t id = (size_t)id_at(c, i);
        count[(size_t)id_at(c, i - 1) * v + id]++;
        count[v * v + id]++;
    }
    return count;
}

static void
text_levels(const Corpus *c, Split split, Levels *l)
{
    size_t v = (size_t)c->vocabulary;
    int *count = counts(c), *likeliest = allocate(v + 1, sizeof *likeliest);
    int from = c->part[split] + 1, to = c->part[split + 1];
    double *total = allocate(v + 1, sizeof *total);
    for (size_t row = 0; row <= v; row++)
        for (size_t i = 0; i < v; i++) {
            const int *n = count + row * v;
            total[row] += n[i] + 1;
            likeliest[row] = n[i] > n[likeliest[row]] ? (int)i : likeliest[row];
        }
    l->unigram_loss = l->bigram_loss = 0;
    for (int i = from; i < to; i++) {
        int last = id_at(c, i - 1), id = id_at(c, i);
        const int *row = count + (size_t)last * v, *all = count + v * v;
        l->unigram_loss -= logarithm((all[id] + 1) / total[v]);
        l->bigram_loss -= logarithm((row[id] + 1) / total[last]);
        l->trivial += likeliest[last] == id;
    }
    free(count);
    free(likeliest);
    free(total);
    l->unigram_loss /= to - from;
    l->bigram_loss /= to - from;
    l->trivial /= to - from;
}

static void
pairs_levels(const Corpus *c, Split split, Levels *l)
{
    int *count = allocate((size_t)c->classes, sizeof *count), best = 0;
    double right = 0, all = 0;
    for (int i = 0; i < c->part[1]; i++)
        if (c->targets[i] >= 0)
            count[c->targets[i]]++;
    for (int k = 0; k < c->classes; k++)
        best = count[k] > count[best] ? k : best;
    for (int i = c->part[split]; i < c->part[split + 1]; i++) {
        all += c->targets[i] >= 0;
        right += c->targets[i] == best;
    }
    free(count);
    l->trivial = all > 0 ? right / all : 0;
}

void
corpus_levels(const Corpus *c, Split split, Levels *l)
{
    (c->codes ? text_levels : pairs_levels)(c, split, l);
}
