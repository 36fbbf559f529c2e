/* config.c - derives the shape of attention from a config. */
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

/* The value of a shape option: `given`, unless that is 0; else `used` if the
   option is in `shape`, and `unused` if it is not. */
static int
resolve(int given, const char *shape, const char *option, int used, int unused)
{
    if (given)
        return given;
    return index_in(shape, option) >= 0 ? used : unused;
}

Attention
attention_of(const Config *c, const char *shape)
{
    int d = c->d_model, heads = c->heads ? c->heads : 1;
    return (Attention){
        .d_model = d,
        .heads = heads,
        .d_k = resolve(c->d_k, shape, "d-k", d / heads, d),
        .d_v = resolve(c->d_v, shape, "d-v", d / heads, d),
        .kv_heads = resolve(c->kv_heads, shape, "kv-heads", (heads + 1) / 2, 1),
        .latent = resolve(c->latent, shape, "latent", (d + 1) / 2, d),
        .causal = c->mask == MASK_CAUSAL,
        .layers = 1,
        .settings = c->settings};
}
