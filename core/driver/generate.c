/* generate.c - qkv generate: a trained run goes on where a text ends, or
   answers a sequence of its task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algebra/convert.h"
#include "algebra/forms.h"
#include "driver/answer.h"
#include "study/table.h"
#include "study/tokens.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "run/run.h"

enum { MANY = 200 }; /* characters */

static void
say_character(const Generation *g, int id)
{
    char text[LABEL_SIZE];
    character_text(&g->data, id, text);
    fputs(text, stdout);
    if (g->watched)
        fflush(stdout);
}

static void
continue_text(Generation *g, const char *prompt)
{
    const Options *o = g->options;
    if (o->tsv || o->markdown || o->latex || o->json)
        usage("a table is for the answers to a task, and %s continues a text",
              g->run);
    g->ids = text_number(prompt, &g->data, g->run, &g->prompt);
    g->count = g->prompt + (o->generate.tokens ? o->generate.tokens : MANY);
    Decoder *d = generation_decoder(g);
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
    if (answers_next(&g->data) && c->mask != MASK_CAUSAL)
        fail("%s: has no causal mask, so its tokens were trained to see those "
             "after them, and none can be added; train with --mask causal",
             g->run);
    if (!prompt && g->data.task->draw)
        usage("generate needs --prompt TEXT, a sequence of the task, as \"%s\"",
              answer_example(&g->data));
    if (!prompt)
        usage("generate needs --prompt TEXT: %s",
              answers_next(&g->data) ? "how the text begins"
                                     : "words of the table's inputs");
    if (!*prompt)
        usage("the prompt is empty: at least one %s is needed to go on from",
              answers_next(&g->data) ? "character" : "word");
}

/* The run's weights, in matrices of another variant that are the same function.
 */
static Model *
model_as(const Generation *g, const char *to)
{
    Conversion v;
    char names[2][NAME_SIZE];
    Plugin p = plugin_open(to);
    Config shape = g->model->config;
    double flops, before, after;
    plugin_name(shape.variant, names[0]);
    plugin_name(to, names[1]);
    shape.variant = interned(to);
    Model *m = converted(g->model, &p, &shape, "", &v);
    if (!m)
        fail("%s: %s cannot become %s: %s", g->run, names[0], names[1], v.why);
    if (v.form.apart > CONVERTS_EXACTLY)
        fail("%s: %s cannot become %s exactly: %.2g of the largest entry of M "
             "or N is lost; `qkv equiv RUN --to %s` writes the nearest",
             g->run, names[0], names[1], v.form.apart, names[1]);
    model_cost(g->model, &flops, &before);
    model_cost(m, &flops, &after);
    if (!g->options->quiet)
        note("%s as %s: M and N are %.1e apart; entries in the cache for a "
             "token: %g, and before %g",
             names[0], names[1], v.form.apart, after, before);
    if (!g->options->quiet && v.condition > 0)
        note("%s: what was inverted has a condition number of %.3g at most: "
             "rounding grows by that factor",
             names[1], v.condition);
    return m;
}

/* How the next one is chosen: of a text by chance, of a task the likeliest. */
static Choice
choice_of(const Options *o, const Generation *g, bool text)
{
    Choice how = {text && !o->generate.greedy, o->generate.top_k};
    if (o->generate.temperature >= 0)
        how.temperature = o->generate.temperature;
    if (how.top > g->data.sizes.classes)
        usage("--top-k %d: there are %d to choose from", how.top,
              g->data.sizes.classes);
    return how;
}

static void
check_options(const Options *o)
{
    bool chosen = o->generate.temperature >= 0 || o->generate.top_k;
    if (o->generate.greedy && chosen)
        usage("--greedy and %s contradict each other: give one",
              o->generate.top_k ? "--top-k" : "--temperature");
    if (o->generate.samples > 1 && layout_of(o) == JSON)
        usage("--json is one table, and each of --samples has its own: give "
              "--seed 1, 2 ... in turn");
}

int
command_generate(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    check_options(&o);
    Run r = run_read(o.rest[0]);
    char *prompt = prompt_of(&o);
    Generation g = {
        .options = &o, .run = r.path, .watched = isatty(STDOUT_FILENO)};
    g.model = run_model_alone(&r, &g.data);
    check_run(&g, prompt);
    bool text = g.data.corpus && answers_next(&g.data);
    g.how = choice_of(&o, &g, text);
    g.random = random_stream((uint64_t)o.generate.seed, "generate");
    if (o.generate.as) {
        Model *as = model_as(&g, o.generate.as);
        model_free(g.model);
        g.model = as;
    }
    (text ? continue_text : answer_task)(&g, prompt);
    model_free(g.model);
    free(prompt);
    free(g.ids);
    free(g.source);
    dataset_close(&g.data);
    run_free(&r);
    request_free(&o.request);
    return 0;
}
