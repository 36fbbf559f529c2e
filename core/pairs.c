/* pairs.c - a user's own sequences: a table of inputs and answers. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "pairs.h"
#include "random.h"
#include "tsv.h"
#include "words.h"

/* Different words, by number; found through a table of hashes. */
typedef struct Names {
    const char **name;
    int count, room;
    int *slot, slots; /* number + 1, 0: free */
} Names;

static int *
slot_of(const Names *n, const char *word)
{
    uint64_t hash = hash_bytes(HASH_START, word, strlen(word));
    int i = (int)(hash % (uint64_t)n->slots);
    while (n->slot[i] && strcmp(n->name[n->slot[i] - 1], word))
        i = (i + 1) % n->slots;
    return &n->slot[i];
}

/* The number of a word, a new one where it is new. */
static int
number_of(Names *n, const char *word)
{
    if (2 * n->count >= n->slots) {
        free(n->slot);
        n->slots = n->slots ? 2 * n->slots : 1024;
        n->slot = allocate((size_t)n->slots, sizeof *n->slot);
        for (int i = 0; i < n->count; i++)
            *slot_of(n, n->name[i]) = i + 1;
    }
    int *slot = slot_of(n, word);
    if (!*slot) {
        n->name = grow(n->name, n->count, &n->room, sizeof *n->name);
        n->name[n->count++] = word;
        *slot = n->count;
    }
    return *slot - 1;
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

/* The next word of *at, ended with a zero; *at goes on behind it. */
static char *
next_word(char **at)
{
    char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");
    *at = *end ? end + 1 : end;
    *end = 0;
    return word;
}

/* Checks every line, and finds the longest. */
static int
longest_line(const char *path, const Table *t)
{
    int longest = 0;
    bool asked = false;
    if (t->cols != 2 || strcmp(t->cells[0], "input") ||
        strcmp(t->cells[1], "target"))
        fail("%s:1: not \"input\", a tab, \"target\": the first line names the "
             "two columns",
             path);
    for (int i = 0; i < t->rows; i++) {
        int n = count_words(table_cell(t, i, 0));
        int answers = count_words(table_cell(t, i, 1));
        if (n == 0)
            fail("%s:%d: no input", path, i + 2);
        if (n != answers)
            fail("%s:%d: %d tokens and %d answers: as many are needed, - where "
                 "none is asked for",
                 path, i + 2, n, answers);
        longest = n > longest ? n : longest;
        asked |=
            strspn(table_cell(t, i, 1), "- ") < strlen(table_cell(t, i, 1));
    }
    if (t->rows < 10)
        fail("%s: %d sequences, and 10 are the least: 8 to train, one to "
             "validate, one to test",
             path, t->rows);
    if (!asked)
        fail("%s: every answer is -: nothing is asked", path);
    return longest;
}

Pairs *
pairs_open(const char *path)
{
    if (!*path)
        usage("task pairs needs a --file: a table of sequences, input TAB "
              "target");
    Table t = table_read(path);
    Pairs *p = allocate(1, sizeof *p);
    Names inputs = {0}, answers = {0};
    p->tokens = longest_line(path, &t);
    p->sequences = t.rows;
    p->hash = HASH_START;
    size_t size = (size_t)p->sequences * (size_t)p->tokens;
    p->ids = allocate(size, sizeof *p->ids);
    p->targets = allocate(size, sizeof *p->targets);
    for (int i = 0; i < p->sequences; i++) {
        char *in = t.cells[2 * (i + 1)], *out = t.cells[2 * (i + 1) + 1];
        p->hash = hash_bytes(p->hash, in, strlen(in) + 1);
        p->hash = hash_bytes(p->hash, out, strlen(out) + 1);
        for (int k = 0, n = count_words(in); k < p->tokens; k++) {
            char *asked = k < n ? next_word(&out) : "-";
            int *id = &p->ids[i * p->tokens + k];
            *id = k < n ? number_of(&inputs, next_word(&in)) : -1;
            p->targets[i * p->tokens + k] =
                strcmp(asked, "-") ? number_of(&answers, asked) : -1;
        }
    }
    p->vocabulary = inputs.count + 1;
    p->classes = answers.count;
    for (size_t i = 0; i < size; i++)
        p->ids[i] = p->ids[i] < 0 ? inputs.count : p->ids[i];
    p->part[1] = (int)(0.8 * p->sequences);
    p->part[2] = (int)(0.9 * p->sequences);
    p->part[3] = p->sequences;
    free(inputs.name);
    free(inputs.slot);
    free(answers.name);
    free(answers.slot);
    table_free(&t);
    return p;
}

void
pairs_close(Pairs *p)
{
    if (p) {
        free(p->ids);
        free(p->targets);
        free(p);
    }
}

double
pairs_commonest(const Pairs *p, int part)
{
    int *count = allocate((size_t)p->classes, sizeof *count), best = 0;
    double right = 0, all = 0;
    for (int i = 0; i < p->part[1] * p->tokens; i++)
        if (p->targets[i] >= 0)
            count[p->targets[i]]++;
    for (int k = 0; k < p->classes; k++)
        best = count[k] > count[best] ? k : best;
    for (int i = p->part[part] * p->tokens; i < p->part[part + 1] * p->tokens;
         i++) {
        all += p->targets[i] >= 0;
        right += p->targets[i] == best;
    }
    free(count);
    return all > 0 ? right / all : 0;
}
