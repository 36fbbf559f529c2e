/* plan.c - qkv compare --plan: a `qkv train` line for each run, for GNU
   parallel and the like. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/real.h>

#include "base/words.h"
#include "run/plan.h"

static void
put_option(const char *name, const char *value)
{
    char *word = quoted(value);
    printf(" --%s %s", name, word);
    free(word);
}

/* Has a run to be told it? Not what is its task's. A width is always told: it
   may be what the task has, and not what would follow from the others. */
static bool
is_told(const Setting *s, const Config *c, const Config *usual)
{
    bool always = s->kind & WORDED || s->role & (OF_SEED | OF_SHAPE);
    return s->help && !setting_unused(s, c) &&
           (always || !setting_equal(s, c, usual));
}

void
plan_print(const Work *w, const Grid *g)
{
    for (int i = 0; i < g->count; i++) {
        const Config *c = &g->jobs[i].config;
        Config usual = task_start(c->task);
        printf(sizeof(real) == sizeof(double) ? "qkv-double train"
                                              : "qkv train");
        for (const Setting *s = settings; s < settings + setting_count; s++) {
            char value[VALUE_SIZE];
            setting_print(s, c, value);
            if (*value && is_told(s, c, &usual))
                put_option(s->name, value);
        }
        put_option("out", w->out);
        printf("%s\n", w->no_weights ? " --no-weights" : "");
    }
}
