/* settle.c - settings that agree with one another.

   What nobody gave follows from what was given, what the variant has no use for
   is nothing, and a contradiction is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "heart/positions.h"
#include "heart/random.h"
#include "task/settings.h"

bool
shape_uses(const char *shape, const char *option)
{
    return index_in(shape, option) >= 0;
}

/* The width of one head's queries, keys or values. */
static int
head_width(const Config *c, const char *shape, const char *option, int width)
{
    if (!shape_uses(shape, option))
        return 0;
    if (width)
        return width;
    if (shape_uses(shape, "heads") && c->d_model % c->heads)
        usage("heads %d does not divide d-model %d: choose heads that do, "
              "or give d-k and d-v",
              c->heads, c->d_model);
    return shape_uses(shape, "heads") ? c->d_model / c->heads : c->d_model;
}

/* Half of `whole` where nothing is given; exits where there is no half. */
static int
half_unless_given(int given, int whole, const char *option, const char *of)
{
    if (!given && whole > 1 && whole % 2)
        usage("%s: %s %d has no half, which it is unless given; give it",
              option, of, whole);
    return given ? given : whole > 1 ? whole / 2 : 1;
}

static void
settle_heads(Config *c, const char *shape)
{
    if (c->heads < 1 && shape_uses(shape, "heads"))
        usage("heads %d: attention has at least one head", c->heads);
    c->d_k = head_width(c, shape, "d-k", c->d_k);
    c->d_v = head_width(c, shape, "d-v", c->d_v);
    c->kv_heads =
        !shape_uses(shape, "kv-heads")
            ? 0
            : half_unless_given(c->kv_heads, c->heads, "kv-heads", "heads");
    c->latent =
        !shape_uses(shape, "latent")
            ? 0
            : half_unless_given(c->latent, c->d_model, "latent", "d-model");
    if (c->kv_heads && c->heads % c->kv_heads)
        usage("kv-heads %d does not divide heads %d: choose one that does",
              c->kv_heads, c->heads);
}

/* What a variant declares and nobody gave is what it declares. */
static void
settle_own(Config *c, const char *uses)
{
    Own own;
    Config given = *c;
    for (int i = 0; i < MOST_OWN; i++)
        c->own[i] = NAN;
    while (own_next(&uses, &own)) {
        const Setting *s = setting_declare(own.name);
        size_t i = (s->offset - offsetof(Config, own)) / sizeof *c->own;
        double *to = &c->own[i], wanted = given.own[i];
        if (isnan(*to))
            *to = isnan(wanted) ? own.value : wanted;
    }
}

static void
check_positions(const Config *c)
{
    if (c->positions == POSITIONS_SINUSOIDAL && c->d_model % 2)
        usage("positions sinusoidal needs an even d-model, not %d: sine "
              "and cosine come in pairs",
              c->d_model);
    if (c->positions == POSITIONS_SINUSOIDAL && c->embed == EMBED_ONEHOT)
        usage("embed onehot has positions of its own: set positions to "
              "learned, which are one-hot then too, or none");
    if (c->positions == POSITIONS_ROPE && c->d_k % 2)
        usage("positions rope needs an even d-k, not %d: it rotates columns of "
              "q and k in pairs",
              c->d_k);
    if (c->positions > POSITIONS_SINUSOIDAL && c->cross == CROSS_ONLY &&
        !c->encoder)
        usage("positions rope and alibi are in the scores of self-attention, "
              "and with cross only there is none: take others, or an encoder");
}

void
config_settle(Config *c, const char *uses)
{
    settle_heads(c, uses);
    settle_own(c, uses);
    if (!shape_uses(uses, "heads"))
        c->heads = 0;
    matrix_entries(c->heads, c->d_model + 2 * c->d_k + c->d_v + c->latent);
    check_positions(c);
    if (c->warmup > c->steps)
        usage("warmup %d is longer than steps %d: make it shorter", c->warmup,
              c->steps);
}

void
config_settle_all(Config *c, const char *const uses[3],
                  const uint64_t hashes[3])
{
    char all[3 * USES_SIZE] = "";
    c->plugin_hash = hashes[0];
    for (int i = 0; i < 3; i++) {
        if (!uses[i])
            continue;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                 i ? " " : "", uses[i]);
        if (i)
            c->plugin_hash =
                hash_bytes(c->plugin_hash, &hashes[i], sizeof hashes[i]);
    }
    config_settle(c, all);
}
