/* answer.c - a trained run answers a sequence of its task.

   Where the answer at a token is the token after it (copy, induction,
   translate), a decoder says one after the other; then all tokens go through
   the model once more, for its answers and what attention looked at. Other
   tasks have all answers at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/pass.h"
#include "base/words.h"
#include "driver/answer.h"
#include "study/table.h"
#include "study/tokens.h"
#include "study/attention.h"
#include "heart/fail.h"
#include "heart/numbers.h"

/* Which tokens of a task's sequences ask for an answer: in all the same ones,
   but where the answer is the next token. */
static bool *
manifest_rows(const Generation *g, int rows)
{
    bool *asked = allocate((size_t)rows, sizeof *asked);
    const Task *task = g->data.task;
    bool next = answers_next(&g->data);
    Batch b = batch_new(g->data.sizes, 1);
    Random r = dataset_stream(&g->data, TEST);
    if (task->draw)
        task->draw(&g->data.config, &r, &b);
    for (int i = 0; i < rows; i++)
        asked[i] = next          ? i >= g->prompt - 1
                   : !task->draw ? i < g->prompt
                                 : b.targets[i] >= 0;
    batch_free(&b);
    return asked;
}

/* softmax(logits)[k] */
static double
chance_of(const real *logits, int classes, int k)
{
    double sum = 0, most = (double)logits[0];
    for (int i = 1; i < classes; i++)
        most = fmax(most, (double)logits[i]);
    for (int i = 0; i < classes; i++)
        sum += decay(fmin(most - (double)logits[i], 700));
    return decay(fmin(most - (double)logits[k], 700)) / sum;
}

/* A row for each answer. */
static void
print_answers(Generation *g, const Batch *b, const Node *logits)
{
    static const Column columns[] = {
        {.name = "position"},
        {"token", .words = true},
        {"answer", .words = true},
        {"chance", .title = NULL, .format = "%.3f"}};
    const Sizes *z = &g->data.sizes;
    bool next = answers_next(&g->data), *asked = manifest_rows(g, b->rows);
    Sheet sheet = sheet_of(columns, z->step != 0 ? 3 : 4);
    for (int i = 0; i < b->rows; i++) {
        if (!asked[i])
            continue;
        const real *row = logits->value + i * logits->cols;
        char answer[LABEL_SIZE];
        int k = next ? g->ids[i + 1] - first_answer(&g->data)
                     : answer_chosen(g, row);
        answer_label(&g->data, k, answer);
        if (z->step != 0)
            snprintf(answer, sizeof answer, "%.4f", (double)row[0]);
        char *token = token_text(&g->data, b->ids + i * z->each);
        Cell cells[] = {cell_number(i + 1), cell_words(token),
                        cell_words(answer),
                        cell_number(chance_of(row, z->classes, k))};
        sheet_add_row(&sheet, cells, (size_t)sheet.cols);
        free(token);
    }
    sheet_print(&sheet, layout_of(g->options));
    free(asked);
}

/* A forward pass over all tokens, its answers and its maps. */
static void
show_sequence(Generation *g)
{
    int tokens = g->count - answers_next(&g->data), each = g->data.sizes.each;
    Model *m = g->model;
    Sizes sizes = m->sizes;
    sizes.tokens = tokens;
    Batch b = batch_new(sizes, 1);
    memcpy(b.ids, g->ids, (size_t)tokens * each * sizeof(int));
    if (g->source)
        memcpy(b.source, g->source,
               (size_t)m->sizes.source * each * sizeof(int));
    Pass *pass = pass_captured(m, &b, false);
    print_answers(g, &b, pass->logits);
    if (layout_of(g->options) == ALIGNED) {
        printf("\n");
        attention_print(m, &g->data, &b, &pass->capture);
    }
    pass_free(pass);
    batch_free(&b);
}

static void
write_tokens(FILE *to, const Dataset *data, const int *ids, int count)
{
    for (int i = 0; i < count; i++) {
        char *token = token_text(data, ids + i * data->sizes.each);
        fprintf(to, "%s%s", i ? " " : "", token);
        free(token);
    }
}

char *
answer_example(const Dataset *data)
{
    char *text;
    FILE *to = begin_text(&text);
    Batch b = batch_new(data->sizes, 1);
    Random r = dataset_stream(data, TEST);
    bool two = data->sizes.source > 0, next = answers_next(data);
    int rows = data->sizes.tokens;
    data->task->draw(&data->config, &r, &b);
    for (int i = 0; next && i < rows; i++)
        rows = b.targets[i] >= 0 ? i + 1 : rows;
    write_tokens(to, data, b.source, data->sizes.source);
    fputs(two && !next ? " | " : "", to);
    write_tokens(to, data, b.ids, two && next ? 0 : rows);
    end_text(to, &text);
    batch_free(&b);
    return text;
}

/* Exits unless the task's sequences have so many tokens; of a table's, fewer
   are padded. */
static void
check_count(const Generation *g, int count, int wanted, const char *what)
{
    bool drawn = g->data.task->draw;
    if (count == wanted || (!drawn && count < wanted))
        return;
    const char *s = count == 1 ? "" : "s";
    if (!drawn)
        usage("%d token%s, and sequences of %s have no more than %d", count, s,
              g->run, wanted);
    usage("%d token%s%s, and sequences of %s have %d, as in \"%s\"", count, s,
          what, g->run, wanted, answer_example(&g->data));
}

/* Takes the word | out, and says where it was. */
static int
take_bar(const Generation *g, Words *w)
{
    int bar = 0;
    while (bar < w->count && strcmp(w->word[bar], "|"))
        bar++;
    if (bar == w->count)
        usage("no | in the prompt, after the first of two sequences, as in "
              "\"%s\"",
              answer_example(&g->data));
    free(w->word[bar]);
    w->count--;
    memmove(w->word + bar, w->word + bar + 1,
            (size_t)(w->count - bar) * sizeof *w->word);
    return bar;
}

/* The prompt's words as ids: of two sequences the first, up to |, is the
   source; where the other one is to come, it begins with the separator. */
static void
read_sequence(Generation *g, const char *prompt)
{
    const Sizes *z = &g->data.sizes;
    Words w = words_cut(prompt, false);
    bool next = answers_next(&g->data);
    int source = !z->source ? 0 : next ? w.count : take_bar(g, &w);
    words_number(&w, &g->data, g->run);
    if (z->source)
        check_count(g, source, z->source, next ? "" : " before |");
    g->prompt = g->count = source && next ? 1 : w.count - source;
    size_t size = (size_t)source * z->each;
    g->source = z->source ? allocate(size, sizeof *g->source) : NULL;
    g->ids = allocate((size_t)g->count * z->each + 1, sizeof *g->ids);
    if (source)
        memcpy(g->source, w.id, size * sizeof *w.id);
    if (source && next)
        *g->ids = g->data.config.symbols;
    else
        memcpy(g->ids, w.id + size, (size_t)g->count * z->each * sizeof *w.id);
    words_free(&w);
}

/* Fewer words than a table's longest sequence has are padded. */
static void
answer_sequence(Generation *g)
{
    int given = g->prompt, tokens = g->data.sizes.tokens;
    if (g->options->generate.tokens)
        usage("--tokens is for runs that go on, and %s answers the tokens that "
              "it is given",
              g->run);
    check_count(g, given, tokens, "");
    int each = g->data.sizes.each;
    int *ids = allocate((size_t)tokens * each, sizeof *ids);
    memcpy(ids, g->ids, (size_t)given * each * sizeof *ids);
    for (int i = given; i < tokens; i++)
        ids[i] = g->data.sizes.vocabulary - 1;
    free(g->ids);
    g->ids = ids;
    g->count = tokens;
}

void
answer_task(Generation *g, const char *prompt)
{
    const Options *o = g->options;
    int tokens = o->generate.tokens;
    Decoder *d = NULL;
    read_sequence(g, prompt);
    if (!answers_next(&g->data))
        answer_sequence(g);
    else {
        int most = g->data.sizes.tokens + 1, known = positions_known(g->model);
        g->count = tokens ? g->prompt + tokens : most;
        if (g->count > most && known < LONGEST)
            usage("%d tokens and %d more, and %s knows positions of %d",
                  g->prompt, tokens, g->run, known);
        if (g->prompt >= g->count)
            usage("%d tokens, and sequences of %s have %d: nothing is left to "
                  "answer; say how many --tokens",
                  g->prompt, g->run, g->data.sizes.tokens);
        d = generation_decoder(g);
    }
    for (int i = 0; i < o->generate.samples && !ferror(stdout); i++) {
        if (i)
            printf("\n");
        if (d)
            go_on(g, d, NULL);
        show_sequence(g);
    }
    if (d)
        decoder_free(d);
}
