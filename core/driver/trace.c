/* trace.c - qkv trace: one text followed through attention, number by number.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/tokens.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "tasks/corpus.h"
#include "watch/trace.h"

/* The different words of a text. */
static Corpus
words_of(const char *text)
{
    static void *seen; /* the words of the copy, which stays */
    Corpus words = {.words = true};
    char *word = strtok(copy_text(text), " \t\n");
    for (; word; word = strtok(NULL, " \t\n"))
        if (word_added(&seen, word))
            values_add(&words.names, copy_text(word));
    return words;
}

static Model *
model_untrained(const Options *o, Sizes sizes)
{
    Config c = config_start();
    config_apply(&c, "d-model=8 heads=2");
    request_apply(&o->request, &c);
    Plugin p = plugin_open(c.variant);
    request_used(&o->request, SHAPE_OPTIONS, variant_uses(p.variant));
    config_cast(&c, &p);
    return model_new(&c, sizes, p.variant);
}

int
command_trace(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const char *text = o.rest[0], *run = o.rest_count > 1 ? o.rest[1] : NULL;
    Corpus words = words_of(text);
    Dataset data = {.corpus = &words, .sizes.each = 1};
    Model *m = NULL;
    if (run) {
        Run r = begin_from(&o.request, run, 0);
        m = run_model(&r, &data);
    }
    Sizes *sizes = &data.sizes;
    if (!m)
        sizes->vocabulary = sizes->classes = words.names.count;
    int count, *ids = tokens_read(text, &data, run, &count);
    if (m && count > sizes->tokens)
        fail("the text has %d tokens, but %s was trained on sequences of %d: "
             "shorten the text",
             count, run, sizes->tokens);
    sizes->tokens = count;
    if (!m)
        m = model_untrained(&o, *sizes);
    trace_print(m, &data, ids, count, run);
    return 0;
}
