/* weights.c - the weights of a model: which there are, how they are
   initialised.

   Every variant declares its own; embedding, positions, MLP, LayerNorm and the
   map to logits are the same around all of them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/positions.h"
#include "model/model.h"

/* What a matrix points to before it has memory: it is to be trained, and nobody
   looks there. */
static real outlined;

/* Lists one more matrix, with its shape, the mean and the standard deviation of
   its initial entries, and its name. Returns its index. */
PRINTF(6, 7)
static int
put(Model *m, int rows, int cols, double mean, double deviation,
    const char *name, ...)
{
    va_list args;
    m->weights = grow(m->weights, m->count, &m->capacity, sizeof *m->weights);
    Weight *w = &m->weights[m->count++];
    w->value = w->gradient = &outlined;
    va_start(args, name);
    vsnprintf(w->name, sizeof w->name, name, args);
    va_end(args);
    w->rows = rows;
    w->cols = cols;
    w->attention = false;
    w->mean = mean;
    w->deviation = deviation;
    m->parameters += matrix_entries(rows, cols);
    return m->count - 1;
}

/* LayerNorm `norm` of a block, where the model has any: the index of its gain.
 */
static int
put_norm(Model *m, const char *block, const char *norm)
{
    int d = m->attention.d_model;
    if (m->config.norm == NORM_NONE)
        return -1;
    int gain = put(m, 1, d, 1, 0, "%s%s.gain", block, norm);
    put(m, 1, d, 0, 0, "%s%s.bias", block, norm);
    return gain;
}

/* A place of attention, with its LayerNorm and the matrices that its variant
   declares. Returns its index. */
static int
put_attention(Model *m, int kind, int layer, const char *block)
{
    m->place = grow(m->place, m->places, &m->place_capacity, sizeof *m->place);
    ModelPlace *p = &m->place[m->places];
    p->kind = kind;
    p->layer = layer;
    Attention a = place_attention(m, m->places);
    Weights w = weights_declared(m->cast[kind], &a);
    snprintf(p->name, sizeof p->name, "%s.%s", block,
             kind == CROSS ? "cross" : "attention");
    p->norm = put_norm(m, block, kind == CROSS ? ".norm_cross" : ".norm1");
    p->weights = m->count;
    p->declared = w.count;
    for (int i = 0; i < w.count; i++) {
        const Declared *d = &w.list[i];
        int index = put(m, d->rows, d->cols, d->mean, d->deviation, "%s.%s",
                        p->name, d->name);
        m->weights[index].attention = true;
        m->attention_parameters += (size_t)d->rows * (size_t)d->cols;
    }
    weights_free(&w);
    return m->places++;
}

static void
put_mlp(Model *m, ModelLayer *b, const char *block)
{
    int d = m->attention.d_model;
    int wide = (int)matrix_entries(m->config.mlp, d);
    if (!wide)
        return;
    b->norm = put_norm(m, block, ".norm2");
    b->mlp = put(m, d, wide, 0, 1 / sqrt(d), "%s.mlp.W_1", block);
    put(m, wide, d, 0, 1 / sqrt(wide), "%s.mlp.W_2", block);
}

/* The initial embedding: at a standard deviation of 0.7 each, about 1 together
   with their positions. One-hot ones need no weights. */
static void
put_embedding(Model *m)
{
    int d = m->attention.d_model;
    if (m->config.embed == EMBED_ONEHOT)
        return;
    m->embedding = put(m, m->sizes.vocabulary, d, 0, 0.7, "embedding");
    if (m->config.positions != POSITIONS_LEARNED)
        return;
    m->positions = put(m, m->sizes.tokens, d, 0, 0.7, "positions");
    if (m->sizes.source)
        m->source_positions =
            put(m, m->sizes.source, d, 0, 0.7, "source_positions");
}

static void
put_layers(Model *m)
{
    const Config *c = &m->config;
    char name[20];
    m->encoder = allocate((size_t)c->encoder, sizeof *m->encoder);
    m->layers = allocate((size_t)c->layers, sizeof *m->layers);
    put_embedding(m);
    for (int i = 0; i < c->encoder; i++) {
        snprintf(name, sizeof name, "encoder%d", i);
        m->encoder[i].self = put_attention(m, ENCODER, i, name);
        put_mlp(m, &m->encoder[i], name);
    }
    if (c->encoder)
        m->encoder_norm = put_norm(m, "encoder", ".norm");
    for (int i = 0; i < c->layers; i++) {
        ModelLayer *b = &m->layers[i];
        snprintf(name, sizeof name, "block%d", i);
        if (c->cross != CROSS_ONLY)
            b->self = put_attention(m, SELF, i, name);
        if (c->cross != CROSS_NONE)
            b->cross = put_attention(m, CROSS, i, name);
        put_mlp(m, b, name);
    }
    m->norm = put_norm(m, "", "norm");
    m->unembedding = put(m, m->attention.d_model, m->sizes.classes, 0,
                         1 / sqrt(m->attention.d_model), "unembedding");
}

/* What it is called in its part: of "block0.attention.W^Q", "W^Q". */
static const char *
own_name(const Weight *w)
{
    const char *dot = strrchr(w->name, '.');
    return dot ? dot + 1 : w->name;
}

/* Applies --init, "W_Q=0.1+W_K=0.1", to how weights are initialised; exits (2)
   where it cannot be read or none of its names is there. */
static void
scale_starts(Model *m)
{
    bool any = !*m->config.init;
    for (const char *at = m->config.init; *at;) {
        size_t n = strcspn(at, "=+");
        char *end;
        double factor = at[n] == '=' ? strtod(at + n + 1, &end) : NAN;
        if (!n || !isfinite(factor) || end == at + n + 1 ||
            (*end && (*end != '+' || !end[1])))
            usage("init \"%s\": not NAME=FACTOR, or several with + between: "
                  "W_Q=0.1+W_K=0.1",
                  m->config.init);
        char *name = format_text("%.*s", (int)n, at);
        for (int i = 0; i < m->count; i++)
            if (one_file(own_name(&m->weights[i]), name)) {
                m->weights[i].deviation *= fabs(factor);
                m->weights[i].mean *= factor;
                any = true;
            }
        free(name);
        at = *end ? end + 1 : end;
    }
    if (!any)
        usage("init \"%s\": %s has none of these weights; `qkv count "
              "--weights` lists those it has",
              m->config.init, m->config.variant);
}

/* Initial values for every weight. Those of one part ("block0.attention") share
   a stream and are drawn column by column, so that variants which slice the
   same columns differently start as the same function. */
static void
draw_weights(Model *m)
{
    Random r = {0};
    char part[sizeof m->weights->name] = "";
    real *value = m->values, *gradient = m->gradients;
    for (int k = 0; k < m->count; k++) {
        Weight *w = &m->weights[k];
        size_t size = (size_t)w->rows * (size_t)w->cols;
        const char *dot = strrchr(w->name, '.');
        size_t n = dot ? (size_t)(dot - w->name) : strlen(w->name);
        if (strncmp(part, w->name, n) || part[n]) {
            snprintf(part, sizeof part, "%.*s", (int)n, w->name);
            r = random_stream((uint64_t)m->config.seed, part);
        }
        w->value = value;
        w->gradient = gradient;
        for (int j = 0; j < w->cols; j++)
            for (int i = 0; i < w->rows; i++)
                value[(size_t)i * (size_t)w->cols + (size_t)j] =
                    (real)(w->mean + (w->deviation > 0
                                          ? w->deviation * random_normal(&r)
                                          : 0));
        value += size;
        gradient += size;
    }
}

/* PE(t, 2i) = sin(t / 10000^(2i / d_model)), PE(t, 2i + 1) = cos(the same):
   "Attention Is All You Need", section 3.5. */
static real *
sinusoids(int tokens, int d)
{
    real *table = allocate((size_t)tokens * (size_t)d, sizeof *table), *at;
    for (int i = 0; i < d / 2; i++) {
        double rate = decay(2. * i / d * logarithm(10000));
        for (int t = 0; t < tokens; t++) {
            at = table + (size_t)t * (size_t)d + 2 * i;
            at[0] = (real)sine(t * rate);
            at[1] = (real)cosine(t * rate);
        }
    }
    return table;
}

Attention
attention_of(const Config *c)
{
    int p = c->positions;
    return (Attention){.d_model = c->d_model,
                       .heads = c->heads ? c->heads : 1,
                       .d_k = c->d_k ? c->d_k : c->d_model,
                       .d_v = c->d_v ? c->d_v : c->d_model,
                       .kv_heads = c->kv_heads ? c->kv_heads : 1,
                       .latent = c->latent ? c->latent : c->d_model,
                       .causal = c->mask == MASK_CAUSAL,
                       .layers = 1,
                       .settings = config_own(c),
                       .relative = p == POSITIONS_ROPE    ? ROPE
                                   : p == POSITIONS_ALIBI ? ALIBI
                                                          : UNPOSITIONED};
}

Attention
attention_in(const Config *c, Sizes z)
{
    Attention a = attention_of(c);
    if (c->embed == EMBED_ONEHOT)
        a.d_model =
            z.vocabulary + (positions_added(c) ? z.tokens + z.source : 0);
    matrix_entries(a.heads, a.d_model);
    return a;
}

double
onehot_size(const Model *m)
{
    return 0.7 * sqrt(m->attention.d_model);
}

/* Row i is token i, then come the positions. */
static real *
onehot_rows(const Model *m)
{
    size_t d = (size_t)m->attention.d_model;
    real *table = allocate(d * d, sizeof *table);
    for (size_t i = 0; i < d; i++)
        table[i * (d + 1)] = (real)onehot_size(m);
    return table;
}

static const Variant *
other_variant(const char *word, const Variant *usual)
{
    return *word ? plugin_open(word).variant : usual;
}

void
config_cast(Config *c, const Plugin *p)
{
    const char *others[] = {c->encoder_variant, c->cross_variant};
    const char *uses[3] = {variant_uses(p->variant)};
    uint64_t hashes[3] = {p->hash};
    for (int i = 0; i < 2; i++)
        if (*others[i]) {
            Plugin other = plugin_open(others[i]);
            uses[i + 1] = variant_uses(other.variant);
            hashes[i + 1] = other.hash;
        }
    config_settle_all(c, uses, hashes);
}

Model *
model_outline(const Config *c, Sizes sizes, const Variant *v)
{
    Model *m = allocate(1, sizeof *m);
    m->config = *c;
    m->sizes = sizes;
    m->cast[SELF] = v;
    m->cast[ENCODER] = other_variant(c->encoder_variant, v);
    m->cast[CROSS] = other_variant(c->cross_variant, v);
    m->attention = attention_in(c, sizes);
    put_layers(m);
    m->nodes = allocate((size_t)m->count, sizeof *m->nodes);
    return m;
}

Model *
model_new(const Config *c, Sizes sizes, const Variant *v)
{
    Model *m = model_outline(c, sizes, v);
    m->values = allocate_aligned(m->parameters, sizeof *m->values);
    m->gradients = allocate_aligned(m->parameters, sizeof *m->gradients);
    int longest = sizes.tokens > sizes.source ? sizes.tokens : sizes.source;
    if (c->embed == EMBED_ONEHOT)
        m->table = onehot_rows(m);
    else if (c->positions == POSITIONS_SINUSOIDAL)
        m->table = sinusoids(longest, c->d_model);
    scale_starts(m);
    draw_weights(m);
    return m;
}

Model *
model_open(Config c, Dataset *data)
{
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    *data = dataset_open(&c);
    return model_new(&c, data->sizes, p.variant);
}

Model *
model_resized(const Model *m, int tokens, int source)
{
    Sizes sizes = m->sizes;
    if (m->config.embed != EMBED_ONEHOT || !positions_added(&m->config)) {
        sizes.tokens = tokens; /* else positions are columns too */
        sizes.source = source;
    }
    Model *to = model_new(&m->config, sizes, m->cast[SELF]);
    for (int i = 0; i < m->count; i++) {
        const Weight *a = &m->weights[i], *b = &to->weights[i];
        int rows = a->rows < b->rows ? a->rows : b->rows;
        memcpy(b->value, a->value,
               (size_t)rows * (size_t)a->cols * sizeof(real));
    }
    return to;
}

void
model_free(Model *m)
{
    if (m) {
        free(m->weights);
        free(m->encoder);
        free(m->layers);
        free(m->place);
        free(m->values);
        free(m->gradients);
        free(m->table);
        free(m->nodes);
        free(m);
    }
}
