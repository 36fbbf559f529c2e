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

Corpus *
symbols_read(const char *run, const Config *c)
{
    Path path = within(run, name);
    if (access(path.text, F_OK))
        return NULL;
    Table t = table_read(path.text);
    Corpus *corpus = allocate(1, sizeof *corpus);
    *corpus = (Corpus){.tokens = c->length, .hash = c->file_hash};
    corpus->codes = allocate((size_t)t.rows, sizeof *corpus->codes);
    for (int i = 0; i < t.rows; i++) {
        const char *key = table_cell(&t, i, 0), *text = table_cell(&t, i, 1);
        double number = -1;
        if (!strcmp(key, "input") && *text)
            values_add(&corpus->inputs, copy_text(text));
        else if (!strcmp(key, "answer") && *text)
            values_add(&corpus->answers, copy_text(text));
        else if (number_read(text, true, 0, 0x10ffff, &number))
            table_changed(path.text, i + 2);
        else if (!strcmp(key, "length"))
            corpus->tokens = (int)number;
        else if (!strcmp(key, "character"))
            corpus->codes[corpus->vocabulary++] = (int)number;
        else
            table_changed(path.text, i + 2);
    }
    corpus->classes = corpus->vocabulary;
    table_free(&t);
    if (strcmp(c->task, "text")) { /* words of pairs, and how many there are */
        corpus->codes = NULL;
        corpus->vocabulary = corpus->inputs.count + 1;
        corpus->classes = corpus->answers.count;
    }
    if (!corpus->classes || !corpus->tokens || !corpus->vocabulary)
        table_changed(path.text, 1);
    return corpus;
}
