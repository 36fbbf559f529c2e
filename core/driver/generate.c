/* generate.c - qkv generate: a trained run continues a text, or a sequence of
   its task. */
#include <stdio.h>
#include <string.h>

#include "decode/generate.h"
#include "decode/tokens.h"
#include "driver/options.h"

/* Prints a token at once. In a text, blanks, ends of lines and quotes are
   printed unchanged; token_label makes other special characters visible,
   because a terminal might obey them. In other tasks a token is a number,
   followed by a space. */
static void
print_token(const Dataset *data, int id)
{
    bool is_text = data->corpus;
    const char *name = token_name(data, id);
    bool unchanged = is_text && *name && strchr(" \t\n\"", *name);
    const char *shown = unchanged ? name : token_label(data, &id);
    printf("%s%s", shown, is_text ? "" : " ");
    fflush(stdout);
}

/* Prints the prompt, the first `given` of the ids, and continues it until there
   are `count` ids. Each new id is drawn from the logits at the last id so far,
   with random numbers from `seed`. If a text is continued several times, a line
   with the seed comes before each sample. */
static void
continue_once(Model *m, const Dataset *data, int *ids, int given, int count,
              const Options *o, int seed)
{
    int classes = data->sizes.classes;
    Decoder *d = decoder_new(m, m->sizes.tokens);
    Random random = random_stream((uint64_t)seed, "generate");
    Sampling how = {.temperature = o->generate.temperature,
                    .top_k = o->generate.top_k};
    if (data->corpus && o->generate.samples > 1)
        printf("--- seed %d\n", seed);
    for (int i = 0; i < given; i++)
        print_token(data, ids[i]);
    for (int n = given; n < count && !ferror(stdout); n++) {
        const real *logits = decoder_continue(d, ids, n);
        ids[n] = first_answer(data) + sample(logits, classes, how, &random);
        print_token(data, ids[n]);
    }
    decoder_free(d);
    printf("\n");
}

int
command_generate(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Run r = run_read(o.words[0]);
    Dataset data;
    Model *m = run_model(&r, &data);
    if (!task_named(data.task->name)->answer_is_next_token)
        fail("%s: its task %s does not predict the next token; use a run on "
             "text or induction, or `qkv trace TEXT RUN`",
             r.path, data.task->name);
    if (r.config.mask != MASK_CAUSAL)
        fail("%s: it was trained without a causal mask; use a run that was "
             "trained with --mask causal",
             r.path);
    int given, *prompt = tokens_read(o.generate.prompt, &data, r.path, &given);
    /* By default, the prompt is continued until there is one token more than in
       a training sequence; a prompt that is longer already is not continued. */
    int count = data.sizes.tokens + 1;
    if (o.generate.tokens > 0 || count < given)
        count = given + o.generate.tokens;
    int *ids = allocate((size_t)count, sizeof *ids);
    memcpy(ids, prompt, (size_t)given * sizeof *ids);
    m = model_for_length(m, count);
    for (int i = 0; i < o.generate.samples; i++)
        continue_once(m, &data, ids, given, count, &o, o.generate.seed + i);
    return 0;
}
