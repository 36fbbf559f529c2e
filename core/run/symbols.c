/* symbols.c - RUN/symbols.tsv: which characters or words the ids of a run's
   text or pairs are, so that it can be read without its file. */
#include <string.h>
#include <unistd.h>

#include "config/corpus.h"
#include "heart/fail.h"
#include "run/run.h"

static const char name[] = "symbols.tsv";

static bool
all_text(const Values *words)
{
    for (int i = 0; i < words->count; i++)
        if (!is_text(words->text[i]))
            return false;
    return true;
}

void
symbols_write(const char *run, const Corpus *c)
{
    if (!c || !all_text(&c->inputs) || !all_text(&c->answers))
        return;
    FILE *file = begin_file(run, name);
    fprintf(file, "key\tvalue\n");
    for (int i = 0; c->codes && i < c->vocabulary; i++)
        fprintf(file, "character\t%d\n", c->codes[i]);
    if (!c->codes)
        fprintf(file, "length\t%d\n", c->tokens);
    for (int i = 0; i < c->inputs.count; i++)
        fprintf(file, "input\t%s\n", c->inputs.text[i]);
    for (int i = 0; i < c->answers.count; i++)
        fprintf(file, "answer\t%s\n", c->answers.text[i]);
    end_file(file, run, name);
}

/* The characters of a text, each once, in the order of their codes. */
static void
read_codes(Corpus *c, const Table *t, int most, const char *path)
{
    int last = -1;
    c->codes = allocate((size_t)t->rows, sizeof *c->codes);
    for (int i = 0; i < t->rows; i++) {
        double code = table_number(t, i, 1, path);
        if (strcmp(table_cell(t, i, 0), "character") || !(code > last) ||
            code > most || code != (int)code ||
            (most > 0xff && code >= 0xd800 && code < 0xe000))
            fail("%s:%d: not the next character of a text; remove the run to "
                 "have it again",
                 path, i + 2);
        c->codes[i] = last = (int)code;
    }
    c->vocabulary = c->classes = t->rows;
}

/* The words of a table of pairs, and how many a sequence has. */
static void
read_words(Corpus *c, const Table *t, const char *path)
{
    double length = table_number(t, 0, 1, path);
    if (strcmp(table_cell(t, 0, 0), "length") || !(length >= 1) ||
        length > 1e8 || length != (int)length)
        fail("%s:2: not how many tokens a sequence has; remove the run to have "
             "it again",
             path);
    for (int i = 1; i < t->rows; i++) {
        const char *word = table_cell(t, i, 1);
        bool answer = !strcmp(table_cell(t, i, 0), "answer");
        bool input = !strcmp(table_cell(t, i, 0), "input");
        if (!(answer || (input && !c->answers.count)) || !*word ||
            strchr(word, ' ') || !is_text(word))
            fail("%s:%d: not the next word of a table of pairs; remove the run "
                 "to have it again",
                 path, i + 2);
        values_add(answer ? &c->answers : &c->inputs, copy_text(word));
    }
    if (!c->inputs.count || !c->answers.count)
        fail("%s: no words, or no answers; remove the run to have it again",
             path);
    c->tokens = (int)length;
    c->vocabulary = c->inputs.count + 1;
    c->classes = c->answers.count;
}

Corpus *
symbols_read(const char *run, const Config *c)
{
    Path path = within(run, name);
    if (access(path.text, F_OK))
        return NULL;
    Table t = table_read(path.text);
    if (t.cols != 2 || t.rows < 1)
        fail("%s: not two columns with something in them; remove the run to "
             "have it again",
             path.text);
    bool bytes = c->characters == CHARACTERS_BYTES;
    Corpus *corpus = allocate(1, sizeof *corpus);
    *corpus = (Corpus){.tokens = c->length, .hash = c->file_hash};
    if (!strcmp(c->task, "text"))
        read_codes(corpus, &t, bytes ? 0xff : 0x10ffff, path.text);
    else
        read_words(corpus, &t, path.text);
    table_free(&t);
    return corpus;
}
