/* describe.c - what a plugin says of itself, asked in a child process. */
#include <stdio.h>

#include "algebra/cost.h"
#include "config/build_model.h"
#include "config/positions.h"
#include "run/describe.h"

/* For a plugin to load and to declare. */
static const double seconds = 10, bytes = 1e9;

bool (*name_taken)(const char *name);

void
check_own(const Plugin *p)
{
    Own own;
    const char *at = variant_uses(p->variant);
    while (own_next(&at, &own))
        if (name_taken && name_taken(own.name))
            fail("%s: qkv_variant.settings declares \"%s\", an option that qkv "
                 "has already: call it something else",
                 p->path, own.name);
}

typedef struct Question {
    const char *word;
    const Config *config;
} Question;

/* In the child: whatever is wrong exits before it answers, and a forward that
   crashes does so here. */
static void
answer(const void *more, void *facts)
{
    const Question *q = more;
    Facts *f = facts;
    Plugin p = plugin_open(q->word);
    check_own(&p);
    if (q->config) {
        Config c = *q->config;
        config_resolve(&c, variant_uses(p.variant));
        Attention a = positioned_attention(&c);
        Weights w = weights_declared(p.variant, &a);
        f->parameters = cost_of(p.variant, a, &w, c.length, 0).parameters;
    }
    snprintf(f->name, sizeof f->name, "%s", p.name);
    snprintf(f->equation, sizeof f->equation, "%s", p.variant->equation);
    snprintf(f->family, sizeof f->family, "%s",
             p.variant->family ? p.variant->family : "other");
    snprintf(f->own, sizeof f->own, "%s",
             p.variant->settings ? p.variant->settings : "");
}

Facts
describe(const char *word, const Config *c)
{
    Facts f = {0};
    Ended e = in_child(answer, &(Question){word, c}, &f, sizeof f,
                       (Limits){seconds, bytes});
    f.ended = e;
    if (!e.answered)
        plugin_name(word, f.name);
    return f;
}
