/* describe.c - what a plugin says of itself, asked in a child process. */
#include <stdio.h>
#include <stdlib.h>

#include "algebra/cost.h"
#include "algebra/spell.h"
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
    const char *const *words;
    int count;
    const Config *config;
    bool forms;
} Question;

/* In the child: whatever is wrong exits before it answers, and a forward that
   crashes does so here. */
static void
describe_one(const char *word, const Question *q, Facts *f)
{
    Plugin p = plugin_open(word);
    check_own(&p);
    if (q->config) {
        Config c = *q->config;
        config_resolve(&c, variant_uses(p.variant));
        Attention a = positioned_attention(&c);
        a.layers = 1;
        f->parameters = cost_of(p.variant, a, c.length, 0).parameters;
    }
    if (q->forms) {
        char *form = variant_spelled(p.variant);
        snprintf(f->form, sizeof f->form, "%s", form);
        free(form);
    }
    snprintf(f->name, sizeof f->name, "%s", p.name);
    snprintf(f->equation, sizeof f->equation, "%s", p.variant->equation);
    snprintf(f->family, sizeof f->family, "%s",
             p.variant->family ? p.variant->family : "other");
    snprintf(f->own, sizeof f->own, "%s",
             p.variant->settings ? p.variant->settings : "");
    f->answered = true;
}

static void
answer(const void *more, void *facts)
{
    const Question *q = more;
    for (int i = 0; i < q->count; i++)
        describe_one(q->words[i], q, (Facts *)facts + i);
}

/* The first that has not answered is where the child ended. It has to answer
   for that only if it was alone there: otherwise what an earlier one left
   behind may have done it, and it is asked again, in a child that begins with
   it. */
Facts *
describe(const char *const *words, int count, const Config *c, bool forms)
{
    Facts *facts = allocate((size_t)count + 1, sizeof *facts);
    for (int i = 0, first = 0; i < count; first = i) {
        Question rest = {words + i, count - i, c, forms};
        Ended e = in_child(answer, &rest, facts + i,
                           (size_t)rest.count * sizeof *facts,
                           (Limits){seconds, bytes});
        while (i < count && facts[i].answered)
            i++;
        if (i > first || i == count)
            continue;
        facts[i].ended = e;
        plugin_name(words[i], facts[i].name);
        i++;
    }
    return facts;
}
