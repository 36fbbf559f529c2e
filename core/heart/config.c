/* config.c - settings that follow from others. */
#include <string.h>

#include "heart/config.h"

int
index_in(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; *list; i++) {
        size_t width = strcspn(list, " ,");
        if (n == width && !strncmp(list, word, n))
            return i;
        list += width + strspn(list + width, " ,");
    }
    return -1;
}

/* A width that is given; or its share of the whole, if a variant of that .shape
   uses it; or all of it. */
static int
width(int given, const char *shape, const char *option, int share, int all)
{
    return given ? given : index_in(shape, option) >= 0 ? share : all;
}

Attention
attention_of(const Config *c, const char *shape)
{
    int d = c->d_model, heads = c->heads ? c->heads : 1;
    return (Attention){
        .d_model = d,
        .heads = heads,
        .d_k = width(c->d_k, shape, "d-k", d / heads, d),
        .d_v = width(c->d_v, shape, "d-v", d / heads, d),
        .kv_heads = width(c->kv_heads, shape, "kv-heads", (heads + 1) / 2, 1),
        .latent = width(c->latent, shape, "latent", (d + 1) / 2, d),
        .causal = c->mask == MASK_CAUSAL,
        .layers = 1,
        .settings = c->settings};
}
