/* describe.c - what a plugin says of itself, asked in a child process. */
#include <stdio.h>
#include <stdlib.h>

#include "algebra/cost.h"
#include "config/build_model.h"
#include "config/positions.h"
#include "run/describe.h"
#include "run/plugin_process.h"

/* For a plugin to load and to declare. */
static const double seconds = 10, bytes = 1e9;

/* Fills what depends on the shape. A forward that crashes does so here. */
static void
count_parameters(const Variant *v, Config c, Effort effort, Facts *f)
{
    config_resolve(&c, variant_uses(v));
    Attention a = positioned_attention(&c);
    Weights w = weights_declared(v, &a);
    for (int i = 0; i < w.count; i++)
        f->parameters += (size_t)w.list[i].rows * (size_t)w.list[i].cols;
    if (effort == TRIED)
        cost_of(v, a, &w, c.length, 0);
    free(w.list);
}

bool (*name_taken)(const char *name);

/* Exits where it declares what qkv has already. */
static void
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
    const Values *words;
    int first; /* of those that are not answered yet */
    const Config *config;
    Effort effort;
} Question;

static void
describe_one(const Question *q, const char *word, Facts *f)
{
    Plugin p = plugin_open(word);
    check_own(&p);
    if (q->config)
        count_parameters(p.variant, *q->config, q->effort, f);
    f->hash = p.hash;
    f->own_operator = p.own_operator;
    snprintf(f->name, sizeof f->name, "%s", p.name);
    snprintf(f->word, sizeof f->word, "%s", word);
    snprintf(f->path, sizeof f->path, "%s", p.path);
    snprintf(f->equation, sizeof f->equation, "%s", p.variant->equation);
    snprintf(f->family, sizeof f->family, "%s",
             p.variant->family ? p.variant->family : "other");
    snprintf(f->uses, sizeof f->uses, "%s", variant_uses(p.variant));
    snprintf(f->own, sizeof f->own, "%s",
             p.variant->settings ? p.variant->settings : "");
    f->ok = true;
}

/* In the child: whatever is wrong exits before it answers. */
static void
answer(const void *more, void *facts)
{
    const Question *q = more;
    for (int i = q->first; i < q->words->count; i++)
        describe_one(q, q->words->text[i], (Facts *)facts + i - q->first);
}

Facts *
describe_each(const Values *words, const Config *c, Effort effort)
{
    Question q = {words, 0, c, effort};
    size_t count = (size_t)words->count;
    Facts *all = allocate(count, sizeof *all);
    while (q.first < words->count) {
        Ended e = in_child(answer, &q, all + q.first,
                           (count - (size_t)q.first) * sizeof *all,
                           limits(seconds, bytes));
        while (q.first < words->count && all[q.first].ok)
            q.first++;
        if (q.first == words->count)
            break;
        Facts *f = &all[q.first];
        *f = (Facts){.status = e.status};
        snprintf(f->why, sizeof f->why, "%s", ended_words(&e));
        plugin_name(words->text[q.first++], f->name);
    }
    return all;
}

Facts
describe(const char *word, const Config *c, Effort effort)
{
    Values one = {(char *[]){(char *)word}, 1, 1};
    Facts *all = describe_each(&one, c, effort), f = *all;
    free(all);
    return f;
}
