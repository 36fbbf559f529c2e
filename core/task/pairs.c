/* pairs.c - a user's own sequences: a table of inputs and answers. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/random.h"
#include "task/pairs.h"

/* Different words, by number; found through a table of hashes. */
typedef struct Names {
    const char **name;
    int count, capacity;
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
        n->name = grow(n->name, n->count, &n->capacity, sizeof *n->name);
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
lines_of(char *text, size_t size, const char *path)
{
    Lines l = {0};
    int number = 1;
    if (strlen(text) != size)
        fail("%s: not text: it has a zero byte", path);
    for (char *line = text, *next; line && *line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        size_t n = strlen(line);
        if (n && line[n - 1] == '\r')
            line[n - 1] = 0;
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
    if ((double)l.count * l.longest > 1e8)
        fail("%s: more than 100 million tokens: %d sequences, the longest of "
             "%d; take fewer, or shorter ones",
             path, l.count, l.longest);
    return l;
}

Pairs *
pairs_open(const char *path)
{
    if (!*path)
        usage("task pairs needs a file: a table of sequences, input TAB "
              "target");
    size_t bytes;
    char *text = read_file(path, "table of pairs", &bytes);
    Lines l = lines_of(text, bytes, path);
    Pairs *p = allocate(1, sizeof *p);
    Names inputs = {0}, answers = {0};
    p->tokens = l.longest;
    p->sequences = l.count;
    p->hash = HASH_START;
    size_t size = (size_t)p->sequences * (size_t)p->tokens;
    p->ids = allocate(size, sizeof *p->ids);
    p->targets = allocate(size, sizeof *p->targets);
    for (int i = 0; i < p->sequences; i++) {
        char *in = l.line[i].input, *out = l.line[i].target;
        bool asked = false;
        p->hash = hash_bytes(p->hash, in, strlen(in) + 1);
        p->hash = hash_bytes(p->hash, out, strlen(out) + 1);
        for (int k = 0, n = count_words(in); k < p->tokens; k++) {
            const char *answer = k < n ? next_word(&out) : "-";
            int *id = &p->ids[i * p->tokens + k];
            *id = k < n ? number_of(&inputs, next_word(&in)) : -1;
            p->targets[i * p->tokens + k] =
                strcmp(answer, "-") ? number_of(&answers, answer) : -1;
            asked |= p->targets[i * p->tokens + k] >= 0;
        }
        if (!asked)
            fail("%s:%d: every answer is -: nothing is asked; leave the line "
                 "out",
                 path, i + 2);
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
    free(l.line);
    free(text);
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

bool
pairs_sequence(const Pairs *p, int split, int index, Random *r, int *ids,
               int *targets)
{
    int first = p->part[split], count = p->part[split + 1] - first;
    size_t bytes = (size_t)p->tokens * sizeof(int);
    if (r)
        index = random_below(r, count);
    if (index >= count)
        return false;
    memcpy(ids, p->ids + (first + index) * p->tokens, bytes);
    memcpy(targets, p->targets + (first + index) * p->tokens, bytes);
    return true;
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
