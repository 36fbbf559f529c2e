/* forms.c - what the attention of a model computes, and what it costs. */
#include <stdlib.h>

#include "algebra/cost.h"
#include "algebra/forms.h"

Canonical
model_form(const Model *m, int place)
{
    const Variant *v = m->place[place].variant;
    Attention a = m->place[place].attention;
    Weights w = weights_declared(v, &a);
    real **values = model_attention(m, place);
    Sizes z = m->sizes;
    Canonical c = canonical_form(v, a, &w, values,
                                 z.tokens > z.source ? z.tokens : z.source);
    free(values);
    free(w.list);
    return c;
}

void
model_cost(const Model *m, double *flops, double *cache)
{
    *flops = *cache = 0;
    for (int place = 0; place < m->places; place++) {
        Attention a = m->place[place].attention;
        int tokens = a.place == ENCODER ? m->sizes.source : m->sizes.tokens;
        if (a.layer > 0)
            continue; /* cost_of has priced it with the first block */
        Cost c = cost_of(m->place[place].variant, a, tokens,
                         a.place == CROSS ? m->sizes.source : 0);
        *flops += c.forward * tokens / m->sizes.tokens;
        *cache += a.place == ENCODER ? 0 : c.cache;
    }
}
