/* generation.c - a trained run that was asked to say something. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/generation.h"
#include "heart/fail.h"

int
answer_chosen(Generation *g, const real *logits)
{
    int classes = g->data.sizes.classes;
    for (int i = 0; i < classes; i++)
        if (!isfinite(logits[i]))
            fail("%s: its logits are no finite numbers: its training diverged, "
                 "or its weights were changed",
                 g->run);
    return choose(logits, classes, g->how, &g->random);
}

static void
tell_limit(const Generation *g, int trained)
{
    if (g->options->quiet)
        return;
    if (positions_known(g->model) < LONGEST)
        note("%s: has positions for %d tokens, so each new one is chosen by "
             "the last %d to %d",
             g->run, trained, (trained + 1) / 2, trained);
    else
        note("%s: was trained on %d tokens at a time; of more it was taught "
             "nothing",
             g->run, trained);
}

Decoder *
generation_decoder(Generation *g)
{
    int known = positions_known(g->model);
    int most = g->count < known ? g->count : known;
    Sizes z = g->model->sizes;
    int *ids = allocate((size_t)g->count, sizeof *ids);
    memcpy(ids, g->ids, (size_t)g->prompt * sizeof *ids);
    free(g->ids);
    g->ids = ids;
    if (g->count > z.tokens + 1)
        tell_limit(g, z.tokens);
    if (most > z.tokens) {
        Model *longer = model_resized(g->model, most, z.source);
        model_free(g->model);
        g->model = longer;
    }
    Decoder *d = decoder_new(g->model, most, 1);
    if (g->source)
        memcpy(d->batch.source, g->source,
               (size_t)z.source * z.each * sizeof *g->source);
    return d;
}

void
go_on(Generation *g, Decoder *d, void say(const Generation *, int id))
{
    decoder_restart(d);
    for (int n = g->prompt; n < g->count && !ferror(stdout); n++) {
        const real *logits = decoder_go_on(d, g->ids, n);
        g->ids[n] = first_answer(&g->data) + answer_chosen(g, logits);
        if (say)
            say(g, g->ids[n]);
    }
}
