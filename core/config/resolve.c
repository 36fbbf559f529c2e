/* resolve.c - settings that agree with one another.

   What nobody gave follows from what was given, what the variant has no use for
   is nothing, and a contradiction is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "config/settings.h"
#include "heart/fail.h"

/* A width is 0 if no variant uses it, and else what attention_of says: unless
   it is given, a part of the whole, which has to be a whole number. */
static void
resolve_width(int *width, const char *shape, const char *option, int value,
              int whole, int parts)
{
    bool used = index_in(shape, option) >= 0;
    if (used && !*width && whole % parts)
        usage("%s is %d / %d unless it is given, and that is no whole number: "
              "give it, or choose a width and heads that divide",
              option, whole, parts);
    *width = used ? value : 0;
}

static void
resolve_widths(Config *c, const char *shape)
{
    int d = c->d_model, heads = index_in(shape, "heads") >= 0 ? c->heads : 1;
    if (heads < 1)
        usage("heads %d: attention has at least one head", heads);
    c->heads = index_in(shape, "heads") >= 0 ? heads : 0;
    Attention a = attention_of(c, shape);
    resolve_width(&c->d_k, shape, "d-k", a.d_k, d, heads);
    resolve_width(&c->d_v, shape, "d-v", a.d_v, d, heads);
    resolve_width(&c->kv_heads, shape, "kv-heads", a.kv_heads, heads,
                  heads > 1 ? 2 : 1);
    resolve_width(&c->latent, shape, "latent", a.latent, d, d > 1 ? 2 : 1);
    if (c->kv_heads && heads % c->kv_heads)
        usage("kv-heads %d does not divide heads %d: choose one that does",
              c->kv_heads, heads);
}

void
config_resolve(Config *c, const char *uses)
{
    resolve_widths(c, uses);
    c->settings = config_own(c, uses);
    matrix_entries(c->heads, c->d_model + 2 * c->d_k + c->d_v + c->latent);
    if (c->positions == POSITIONS_ROPE && c->d_k % 2)
        usage("positions rope needs an even d-k: it rotates columns of q and k "
              "in pairs");
    if (c->positions > POSITIONS_LEARNED && c->cross == CROSS_ONLY &&
        !c->encoder)
        usage("positions rope and alibi are in the scores of self-attention, "
              "and with cross only there is none: take others, or an encoder");
}
