/* published_whole.c - counts, by a formula, how many parameters of a whole
   published decoder are gauge. */
#include <string.h>

#include "base/words.h"
#include "models/json.h"
#include "models/published.h"
#include "models/published_whole.h"

/* The whole number that config.json gives a key. Exits if there is none. */
static double
number_of_key(const char *path, const char *text, const char *key)
{
    const double least = 1, most = 1e9;
    double number = 0;
    const char *value = json_find(text, key, path);
    const char *why = "it is missing, and --whole needs it; add it";
    if (value)
        why = number_read(value, WHOLE_NUMBER, least, most, &number);
    if (why)
        fail("%s: %s: %s", path, key, why);
    return number;
}

/* Returns whether the unembedding is the embedding. Exits if config.json does
   not say. */
static bool
is_tied(const char *path, const char *text)
{
    const char *tied = json_find(text, "tie_word_embeddings", path);
    if (!tied || (strcmp(tied, "true") != 0 && strcmp(tied, "false") != 0))
        fail("%s: tie_word_embeddings: --whole needs it to be true or "
             "false; set it",
             path);
    return !strcmp(tied, "true");
}

/* Exits unless the formula holds for the model of this config.json. */
static void
check_family(const Published *p, const char *path, const char *text)
{
    const char *mlp_bias = json_find(text, "mlp_bias", path);
    bool biased = mlp_bias && strcmp(mlp_bias, "false") != 0;
    if (json_find(text, "text_config", path))
        fail("%s: --whole cannot read a composite model: write the object "
             "text_config to a separate file",
             path);
    if (!published_has(p, "whole") || biased)
        fail("%s: the parts of a whole %s are not known: --whole counts "
             "decoders with RMSNorm and a gated MLP without biases, such as "
             "llama",
             path, p->type);
}

/* Returns how many symbols the vocabulary has. Exits unless they are more than
   d: the formula needs logits that span the residual stream. */
static double
symbols_of(const char *path, const char *text, double d)
{
    double symbols = number_of_key(path, text, "vocab_size");
    if (symbols <= d)
        fail("%s: vocab_size: it is %.0f, at most the width of a token, %.0f, "
             "and --whole has a formula only for more symbols",
             path, symbols, d);
    return symbols;
}

/* A hidden unit of the MLP has a column of W_1, one of W_2, a row of W_3, and
   one free factor. A layer has two norms, before attention and before the MLP.
   These and the last norm have d gains each. The basis of the residual stream
   can be rotated by O(d), which has d (d - 1) / 2 dimensions. */
PublishedWhole
published_whole(const char *path)
{
    Published p = published_read(path);
    char *text = read_text(path, "configuration");
    check_family(&p, path, text);
    Account attention = published_account(&p, ANY_LENGTH);
    double d = p.d_model, layers = p.layers;
    double symbols = symbols_of(path, text, d);
    double units = layers * number_of_key(path, text, "intermediate_size");
    double mlp = 3 * d * units, norms = 2 * layers * d, last_norm = d;
    double embedding = symbols * d;
    PublishedWhole w = {.heads = attention.gauge, .norms = norms, .mlp = units};
    w.stored = attention.stored + mlp + norms + last_norm + embedding;
    if (!is_tied(path, text)) {
        w.stored += embedding; /* the unembedding has the same size */
        w.norms += last_norm;
        w.basis = d * (d - 1) / 2;
        w.logits = d;
    }
    return w;
}
