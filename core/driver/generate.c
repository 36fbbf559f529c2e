/* generate.c - qkv generate: a trained run continues a text, or a sequence of
   its task. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decode/generate.h"
#include "decode/tokens.h"
#include "driver/options.h"

/* Prints a token at once. In most tasks it is a number, and a space follows. In
   a text it is a character, and is printed as token_label shows it, because a
   terminal might obey a control character; but a blank, an end of line or a
   quote is printed unchanged. */
static void
print_token(const Dataset *data, int id)
{
    bool is_text = data->corpus;
    const char *character = is_text ? token_name(data, id) : "";
    bool unchanged = *character && strchr(" \t\n\"", *character);
    const char *shown = unchanged ? character : token_label(data, &id);
    printf("%s%s", shown, is_text ? "" : " ");
    fflush(stdout);
}

/* Ends the line and exits (1) if a logit is infinite or NaN: then no token is
   the likeliest. */
static void
check_logits(const char *run, const real *logits, int classes)
{
    for (int i = 0; i < classes; i++)
        if (!isfinite(logits[i])) {
            printf("\n");
            fail("%s: it gives infinite or NaN logits, so its weights are too "
                 "large: train it again with a smaller lr",
                 run);
        }
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
    for (int n = given; n < count; n++) {
        if (ferror(stdout)) /* nothing more can be printed */
            break;
        const real *logits = decoder_continue(d, ids, n);
        check_logits(o->words[0], logits, classes);
        ids[n] = first_answer(data) + sample(logits, classes, how, &random);
        print_token(data, ids[n]);
    }
    decoder_free(d);
    printf("\n");
}

/* Exits (2) if an option was given that has no effect at temperature 0. */
static void
refuse_random(const Values *given)
{
    for (int i = 0; i < given->count; i++)
        if (index_in("--top-k --samples --seed", given->text[i]) >= 0)
            usage("%s: it has no effect at --temperature 0, which always takes "
                  "the likeliest token: leave one of them out",
                  given->text[i]);
}

/* How many tokens the prompt, which has `given`, and its continuation have
   together. By default it is one more than a training sequence has. Exits (2)
   if a longer prompt comes without --tokens. */
static int
tokens_wanted(const Options *o, const Dataset *data, int given)
{
    int trained = data->sizes.tokens;
    if (o->generate.tokens > 0)
        return given + o->generate.tokens;
    if (given > trained)
        usage("the prompt has %d tokens, and %s was trained on sequences of "
              "%d: say how many to generate with --tokens",
              given, o->words[0], trained);
    return trained + 1;
}

/* Prints a note if m, from model_for_length, cannot read all `count` tokens at
   once, because it has learned positions for fewer. Then it will forget some
   (decoder_continue). */
static void
note_forgetting(const Model *m, int count, const char *run)
{
    int most = m->sizes.tokens;
    if (count > most)
        note("%s has learned positions for %d tokens: after these, it goes on "
             "from the last %d, and forgets those before",
             run, most, (most + 1) / 2);
}

int
command_generate(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    if (o.generate.temperature == 0)
        refuse_random(&o.options_given);
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
    int count = tokens_wanted(&o, &data, given);
    int *ids = allocate((size_t)count, sizeof *ids);
    memcpy(ids, prompt, (size_t)given * sizeof *ids);
    m = model_for_length(m, count);
    note_forgetting(m, count - 1, r.path); /* the last is not read */
    for (int i = 0; i < o.generate.samples; i++)
        continue_once(m, &data, ids, given, count, &o, o.generate.seed + i);
    return 0;
}
