/* published_whole.c - what of a whole published decoder is free, by a formula.
 */
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "models/json.h"
#include "models/published.h"
#include "models/published_whole.h"

/* The keys around attention, as text; NULL: the file does not have them. */
typedef struct Around {
    const char *symbols, *hidden, *tied, *biased;
} Around;

static Around
read_around(const char *path)
{
    Around a = {NULL, NULL, NULL, NULL};
    const struct {
        const char *key, **to;
    } keys[] = {{"vocab_size", &a.symbols},
                {"intermediate_size", &a.hidden},
                {"tie_word_embeddings", &a.tied},
                {"mlp_bias", &a.biased}};
    char *at = json_enter(read_file(path, "configuration", NULL), path);
    char *name, *value;
    while (json_next(&at, &name, &value, path)) {
        if (!strcmp(name, "text_config"))
            fail("%s: --whole reads a file of one model: write the object "
                 "text_config to a file of its own",
                 path);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (!strcmp(name, keys[i].key))
                *keys[i].to = value;
    }
    return a;
}

/* The number of a key that the formula needs. */
static double
number_of_key(const char *path, const char *key, const char *text)
{
    double number = 0;
    const char *why = "it is missing, and --whole needs it; add it";
    if (text)
        why = number_read(text, true, 1, 1e9, &number);
    if (why)
        fail("%s: %s: %s", path, key, why);
    return number;
}

/* Is the unembedding the embedding? */
static bool
is_tied(const char *path, const char *text)
{
    if (!text || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0))
        fail("%s: tie_word_embeddings: --whole needs it; add true or false",
             path);
    return !strcmp(text, "true");
}

PublishedWhole
published_whole(const char *path)
{
    Published p = published_read(path, NULL, NULL);
    Account attention = published_account(&p, 1);
    Around a = read_around(path);
    if (!published_has(&p, "whole") ||
        (a.biased && strcmp(a.biased, "false") != 0))
        fail("%s: the parts of a whole %s are not known: --whole counts "
             "decoders with RMSNorm and a gated MLP without biases, such as "
             "llama",
             path, p.type);
    double d = p.d_model, layers = p.layers;
    double symbols = number_of_key(path, "vocab_size", a.symbols);
    double units = layers * number_of_key(path, "intermediate_size", a.hidden);
    bool tied = is_tied(path, a.tied);
    double gains = (2 * layers + 1) * d;
    PublishedWhole w = {.heads = attention.gauge, .mlp = units};
    w.stored = attention.stored + 3 * d * units + gains + symbols * d;
    w.norms = 2 * layers * d;
    if (!tied) {
        w.stored += symbols * d;
        w.norms = gains;
        w.basis = d * (d - 1) / 2;
        w.logits = d;
    }
    return w;
}
