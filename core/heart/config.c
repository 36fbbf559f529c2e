/* config.c - settings that follow from others. */
#include <string.h>

#include "heart/config.h"
#include "heart/fail.h"

bool
shape_uses(const char *shape, const char *option)
{
    for (size_t n; *shape; shape += strspn(shape, " ")) {
        n = strcspn(shape, " ");
        if (n == strlen(option) && !strncmp(shape, option, n))
            return true;
        shape += n;
    }
    return false;
}

/* The width of one head's queries, keys or values. */
static int
head_width(const Config *c, const char *shape, const char *option, int width)
{
    if (!shape_uses(shape, option) || width)
        return shape_uses(shape, option) ? width : 0;
    if (!shape_uses(shape, "heads"))
        return c->d_model;
    if (c->d_model % c->heads)
        usage("heads %d does not divide d-model %d: choose heads that do, "
              "or give d-k and d-v",
              c->heads, c->d_model);
    return c->d_model / c->heads;
}

/* Half of `whole` where nothing is given; exits where there is no half. */
static int
half(const char *shape, const char *option, int given, int whole,
     const char *of)
{
    if (!shape_uses(shape, option) || given)
        return shape_uses(shape, option) ? given : 0;
    if (whole > 1 && whole % 2)
        usage("%s: %s %d has no half, which it is unless given; give it",
              option, of, whole);
    return whole > 1 ? whole / 2 : 1;
}

void
config_widths(Config *c, const char *shape)
{
    if (c->heads < 1 && shape_uses(shape, "heads"))
        usage("heads %d: attention has at least one head", c->heads);
    c->d_k = head_width(c, shape, "d-k", c->d_k);
    c->d_v = head_width(c, shape, "d-v", c->d_v);
    c->kv_heads = half(shape, "kv-heads", c->kv_heads, c->heads, "heads");
    c->latent = half(shape, "latent", c->latent, c->d_model, "d-model");
    if (c->kv_heads && c->heads % c->kv_heads)
        usage("kv-heads %d does not divide heads %d: choose one that does",
              c->kv_heads, c->heads);
    if (!shape_uses(shape, "heads"))
        c->heads = 0;
}

Attention
attention_of(const Config *c)
{
    return (Attention){.d_model = c->d_model,
                       .heads = c->heads ? c->heads : 1,
                       .d_k = c->d_k ? c->d_k : c->d_model,
                       .d_v = c->d_v ? c->d_v : c->d_model,
                       .kv_heads = c->kv_heads ? c->kv_heads : 1,
                       .latent = c->latent ? c->latent : c->d_model,
                       .causal = c->mask == MASK_CAUSAL,
                       .layers = 1,
                       .settings = c->settings};
}
