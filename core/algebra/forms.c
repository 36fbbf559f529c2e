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
        const Variant *v = m->place[place].variant;
        Attention a = m->place[place].attention;
        Weights w = weights_declared(v, &a);
        int kind = m->place[place].attention.place;
        int tokens = kind == ENCODER ? m->sizes.source : m->sizes.tokens;
        Cost c = cost_of(v, a, &w, tokens, kind == CROSS ? m->sizes.source : 0);
        *flops += c.forward * tokens / m->sizes.tokens;
        *cache += kind == ENCODER ? 0 : c.cache;
        free(w.list);
    }
}
