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

/* A width that the variant uses, unless it is given: its share of the whole. */
static void
share(const char *shape, const char *option, int *width, const char *of,
      int whole, int parts)
{
    if (!shape_uses(shape, option))
        *width = 0;
    else if (!*width && whole % parts)
        usage("%s is %s, %d / %d, unless it is given, and that is no whole "
              "number: give it, or choose numbers that divide",
              option, of, whole, parts);
    else if (!*width)
        *width = whole / parts;
}

void
config_widths(Config *c, const char *shape)
{
    int d = c->d_model, heads = shape_uses(shape, "heads") ? c->heads : 1;
    if (heads < 1)
        usage("heads %d: attention has at least one head", heads);
    share(shape, "d-k", &c->d_k, "d-model/heads", d, heads);
    share(shape, "d-v", &c->d_v, "d-model/heads", d, heads);
    share(shape, "kv-heads", &c->kv_heads, "heads/2", heads, heads > 1 ? 2 : 1);
    share(shape, "latent", &c->latent, "d-model/2", d, d > 1 ? 2 : 1);
    if (c->kv_heads && heads % c->kv_heads)
        usage("kv-heads %d does not divide heads %d: choose one that does",
              c->kv_heads, heads);
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
