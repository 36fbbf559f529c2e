/* generate.c - qkv generate: a trained run goes on where a text ends, or
   answers a sequence of its task.

   Where the answer at a token is the token after it (text, copy, induction,
   translate), a decoder gives one token after the other; a task then shows its
   answers, and what attention looked at. Other tasks have all answers at once.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "math/elementary.h"
#include "model/pass.h"
#include "run/run.h"
#include "train/generate.h"
#include "driver/cli/options.h"
#include "driver/cli/table.h"
#include "driver/cli/tokens.h"
#include "driver/figure/attention.h"
#include "driver/commands.h"

enum { LONGEST = 1000000, USUAL = 200 };

typedef struct Generation {
    const Options *options;
    const char *run;
    Dataset data;
    Model *model;
    Choice how;
    Random random;
    int *ids,
        *source; /* of all tokens, the prompt's first; of the second one */
    int prompt, count; /* tokens of the prompt; of all, in the end */
    int limit;         /* tokens that the model knows positions of */
} Generation;

/* How many tokens have a position: learned ones, and one-hot ones, end. */
static int
positions_known(const Model *m)
{
    const Config *c = &m->config;
    bool ends = c->positions == POSITIONS_LEARNED ||
                (c->embed == EMBED_ONEHOT && positions_added(c));
    return ends ? m->sizes.tokens : LONGEST;
}

/* The logits, if they are numbers. */
static const real *
checked(const Generation *g, const real *logits)
{
    for (int i = 0; i < g->data.sizes.classes; i++)
        if (!isfinite(logits[i]))
            fail("%s: its logits are no finite numbers: its training diverged, "
                 "or its weights were changed",
                 g->run);
    return logits;
}

/* Fills ids from `prompt` to count - 1, and hands each to `say`. Where
   positions have run out, the last half of what was read is read again, from
   position 0. */
static void
go_on(Generation *g, Decoder *d, void say(const Generation *, int id))
{
    int first = 0, read = 0;
    cache_clear(d->cache);
    if (g->source)
        memcpy(d->batch.all.source, g->source,
               (size_t)g->model->sizes.source * sizeof *g->source);
    for (int n = g->prompt; n < g->count && !ferror(stdout); n++) {
        if (n - first > g->limit) {
            cache_clear(d->cache);
            first = read = n - (g->limit + 1) / 2;
        }
        const real *logits = decoder_read(d, g->ids + read, n - read);
        read = n;
        int answer = choose(checked(g, logits), g->data.sizes.classes, g->how,
                            &g->random);
        g->ids[n] = g->data.sizes.answer + answer;
        if (say)
            say(g, g->ids[n]);
    }
}

static void
tell_limit(const Generation *g, int trained)
{
    if (g->options->quiet)
        return;
    if (g->limit < LONGEST)
        note("%s: has positions for %d tokens, so each new one is chosen by "
             "the last %d to %d",
             g->run, trained, (trained + 1) / 2, trained);
    else
        note("%s: was trained on %d tokens at a time; of more it was taught "
             "nothing",
             g->run, trained);
}

/* Makes room for the tokens to come, and the model as long as it must be. */
static Decoder *
decoder_for(Generation *g)
{
    int most = g->count < g->limit ? g->count : g->limit;
    Sizes z = g->model->sizes;
    if (g->count > LONGEST)
        usage("%d tokens with those of the prompt: no more than %d", g->count,
              LONGEST);
    int *ids = allocate((size_t)g->count, sizeof *ids);
    memcpy(ids, g->ids, (size_t)g->prompt * sizeof *ids);
    free(g->ids);
    g->ids = ids;
    if (most > z.tokens) {
        Model *longer = model_resized(g->model, most, z.source);
        model_free(g->model);
        g->model = longer;
    }
    if (g->count > z.tokens + 1)
        tell_limit(g, z.tokens);
    return decoder_new(g->model, most);
}

static void
say_character(const Generation *g, int id)
{
    char text[LABEL_SIZE];
    character_text(&g->data, id, text);
    fputs(text, stdout);
    if (isatty(STDOUT_FILENO))
        fflush(stdout);
}

static void
continue_text(Generation *g, const char *prompt, int tokens)
{
    const Options *o = g->options;
    if (o->tsv || o->markdown || o->latex || o->json)
        usage("a table is for the answers to a task, and %s continues a text",
              g->run);
    g->ids = text_number(prompt, &g->data, g->run, &g->prompt);
    g->count = g->prompt + (tokens ? tokens : USUAL);
    Decoder *d = decoder_for(g);
    for (int i = 0; i < o->generate.samples && !ferror(stdout); i++) {
        if (o->generate.samples > 1)
            printf("%s--- %d of %d\n", i ? "\n" : "", i + 1,
                   o->generate.samples);
        for (int k = 0; k < g->prompt; k++)
            say_character(g, g->ids[k]);
        go_on(g, d, say_character);
        printf("\n");
    }
    decoder_free(d);
}

/* Which tokens of a task's sequences ask for an answer: in all the same ones,
   but where the answer is the next token. */
static bool *
asked_rows(const Generation *g, int rows)
{
    bool *asked = allocate((size_t)rows, sizeof *asked);
    const Task *task = g->data.task;
    Batch b = batch_new(g->data.sizes, 1);
    Random r = dataset_stream(&g->data, TEST);
    if (task->draw)
        task->draw(&g->data.config, &r, &b.all);
    for (int i = 0; i < rows; i++)
        asked[i] = task->next    ? i >= g->prompt - 1
                   : !task->draw ? i < g->prompt
                                 : b.all.targets[i] >= 0;
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
        {"chance", .format = "%.3f", .title = "chance"}};
    const Sizes *z = &g->data.sizes;
    bool next = g->data.task->next, *asked = asked_rows(g, b->rows);
    Sheet sheet = sheet_of(columns, z->step != 0 ? 3 : 4);
    for (int i = 0; i < b->rows; i++) {
        const real *row = checked(g, logits->value + i * logits->cols);
        char answer[LABEL_SIZE];
        int k = next ? g->ids[i + 1 < g->count ? i + 1 : i] - z->answer
                     : choose(row, z->classes, g->how, &g->random);
        if (z->step != 0)
            snprintf(answer, sizeof answer, "%.4f", (double)row[0]);
        else
            answer_label(&g->data, k, answer);
        if (!asked[i])
            continue;
        char *token = token_text(&g->data, b->all.ids + i * z->each);
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
    int tokens = g->count - g->data.task->next, each = g->data.sizes.each;
    Model *m = model_resized(g->model, tokens, g->data.sizes.source);
    Batch b = batch_new(m->sizes, 1);
    memcpy(b.all.ids, g->ids, (size_t)(tokens * each) * sizeof(int));
    if (g->source)
        memcpy(b.all.source, g->source,
               (size_t)(m->sizes.source * each) * sizeof(int));
    Pass *pass = pass_recorded(m, &b, false);
    print_answers(g, &b, pass->logits);
    if (layout_of(g->options) == ALIGNED) {
        printf("\n");
        attention_print(m, &g->data, &b, &pass->recording);
    }
    pass_free(pass);
    batch_free(&b);
    model_free(m);
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

/* An example of what a run can be asked, to be freed. */
static char *
example_of(const Dataset *data)
{
    char *text;
    FILE *to = begin_text(&text);
    Batch b = batch_new(data->sizes, 1);
    Random r = dataset_stream(data, TEST);
    bool two = data->sizes.source > 0, next = data->task->next;
    int rows = data->sizes.tokens;
    data->task->draw(&data->config, &r, &b.all);
    for (int i = 0; next && i < rows; i++)
        rows = b.all.targets[i] >= 0 ? i + 1 : rows;
    write_tokens(to, data, b.all.source, data->sizes.source);
    fputs(two && !next ? " | " : "", to);
    write_tokens(to, data, b.all.ids, two && next ? 0 : rows);
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
          what, g->run, wanted, example_of(&g->data));
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
              example_of(&g->data));
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
    bool next = g->data.task->next;
    int source = !z->source ? 0 : next ? w.count : take_bar(g, &w);
    words_number(&w, &g->data, g->run);
    if (z->source)
        check_count(g, source, z->source, next ? "" : " before |");
    g->prompt = g->count = source && next ? 1 : w.count - source;
    size_t size = (size_t)(source * z->each);
    g->source = z->source ? allocate(size, sizeof *g->source) : NULL;
    g->ids = allocate((size_t)(g->count * z->each) + 1, sizeof *g->ids);
    if (source)
        memcpy(g->source, w.id, size * sizeof *w.id);
    if (source && next)
        *g->ids = g->data.config.symbols;
    else
        memcpy(g->ids, w.id + size,
               (size_t)(g->count * z->each) * sizeof *w.id);
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
    int *ids = allocate((size_t)(tokens * each), sizeof *ids);
    memcpy(ids, g->ids, (size_t)(given * each) * sizeof *ids);
    for (int i = given; i < tokens; i++)
        ids[i] = g->data.sizes.vocabulary - 1;
    free(g->ids);
    g->ids = ids;
    g->count = tokens;
}

static void
answer_task(Generation *g, const char *prompt, int tokens)
{
    const Options *o = g->options;
    Decoder *d = NULL;
    read_sequence(g, prompt);
    if (!g->data.task->next)
        answer_sequence(g);
    else {
        int most = g->data.sizes.tokens + 1;
        g->count = tokens ? g->prompt + tokens : most;
        if (g->count > most && g->limit < LONGEST)
            usage("%d tokens and %d more, and %s knows positions of %d",
                  g->prompt, tokens, g->run, g->limit);
        if (g->prompt >= g->count)
            usage("%d tokens, and sequences of %s have %d: nothing is left to "
                  "answer; say how many --tokens",
                  g->prompt, g->run, g->data.sizes.tokens);
        d = decoder_for(g);
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

/* What is asked of the run; to be freed. */
static char *
prompt_of(const Options *o)
{
    const char *prompt = o->generate.prompt;
    char *text = NULL;
    size_t size = 0;
    if (!prompt || strcmp(prompt, "-"))
        return prompt ? copy_text(prompt) : NULL;
    ssize_t n = getdelim(&text, &size, 0, stdin);
    if (n < 0 || ferror(stdin))
        usage("--prompt -: standard input is empty, or cannot be read");
    if (!text[n - 1])
        usage("--prompt -: a zero byte in standard input, which is no text");
    text[n - 1] = text[n - 1] == '\n' ? 0 : text[n - 1];
    return text;
}

/* What cannot be generated from. */
static void
check_run(const Generation *g, const char *prompt)
{
    const Config *c = &g->model->config;
    if (!g->model->places)
        fail("%s: task %s has no tokens to go on with", g->run, c->task);
    if (g->data.task->next && c->mask != MASK_CAUSAL)
        fail("%s: has no causal mask, so its tokens were trained to see those "
             "after them, and none can be added; train with --mask causal",
             g->run);
    if (!prompt && g->data.task->draw)
        usage("generate needs --prompt TEXT, a sequence of the task, as \"%s\"",
              example_of(&g->data));
    if (!prompt)
        usage("generate needs --prompt TEXT: %s",
              g->data.task->next ? "how the text begins"
                                 : "words of the table's inputs");
    if (!*prompt)
        usage("the prompt is empty: at least one %s is needed to go on from",
              g->data.task->next ? "character" : "word");
}

int
command_generate(int argc, char **argv)
{
    Options o = options_read(argc, argv, GENERATE);
    if (o.generate.greedy && (o.generate.temperature >= 0 || o.generate.top_k))
        usage("--greedy and %s contradict each other: give one",
              o.generate.top_k ? "--top-k" : "--temperature");
    Run r = run_read(o.rest[0]);
    char *prompt = prompt_of(&o);
    Generation g = {.options = &o, .run = r.path};
    g.model = run_model_alone(&r, &g.data);
    check_run(&g, prompt);
    bool text = g.data.corpus && g.data.task->next;
    double usual = text && !o.generate.greedy;
    g.how.temperature =
        o.generate.temperature >= 0 ? o.generate.temperature : usual;
    g.how.top = o.generate.top_k;
    if (g.how.top > g.data.sizes.classes)
        usage("--top-k %d: there are %d to choose from", g.how.top,
              g.data.sizes.classes);
    g.random = random_stream((uint64_t)o.generate.seed, "generate");
    g.limit = positions_known(g.model);
    (text ? continue_text : answer_task)(&g, prompt, o.generate.tokens);
    free(prompt);
    free(g.ids);
    free(g.source);
    model_free(g.model);
    dataset_close(&g.data);
    run_free(&r);
    options_free(&o);
    return 0;
}
