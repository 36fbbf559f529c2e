/* describe.c - what a plugin says of itself, asked in a child process. */
#include <stdio.h>
#include <stdlib.h>

#include "variant/cost.h"
#include "model/model.h"
#include "driver/cli/child.h"
#include "driver/cli/describe.h"

/* for a plugin to load and to declare */
static const double seconds = 10, bytes = 1e9;

/* If `tried`, also runs forward, for its shapes alone: if it crashes, then
 * here. */
static size_t
count_parameters(const Variant *v, Config c, bool tried)
{
    size_t count = 0;
    config_settle(&c, v->shape);
    Attention a = attention_of(&c);
    Weights w = weights_declared(v, &a);
    for (int i = 0; i < w.count; i++)
        count += (size_t)w.list[i].rows * (size_t)w.list[i].cols;
    if (tried)
        cost_of(v, a, &w, c.length, 0);
    weights_free(&w);
    return count;
}

typedef struct Question {
    const char *word;
    const Config *config;
    bool tried;
} Question;

/* In the child: whatever is wrong exits before it answers. */
static void
answer(const void *more, void *facts)
{
    const Question *q = more;
    Facts *f = facts;
    Plugin p = plugin_open(q->word);
    f->ok = true;
    if (q->config)
        f->parameters = count_parameters(p.variant, *q->config, q->tried);
    f->hash = p.hash;
    f->own_operator = p.own_operator;
    snprintf(f->name, sizeof f->name, "%s", p.name);
    snprintf(f->word, sizeof f->word, "%s", q->word);
    snprintf(f->path, sizeof f->path, "%s", p.path);
    snprintf(f->equation, sizeof f->equation, "%s", p.variant->equation);
    snprintf(f->shape, sizeof f->shape, "%s", p.variant->shape);
}

Facts
describe(const char *word, const Config *c, bool tried)
{
    Facts f = {0};
    Question q = {word, c, tried};
    Ended e = in_child(answer, &q, &f, sizeof f, limits(seconds, bytes));
    if (!e.answered) {
        f = (Facts){.status = e.status};
        snprintf(f.why, sizeof f.why, "%s", ended_words(&e));
        plugin_name(word, f.name);
    }
    return f;
}
