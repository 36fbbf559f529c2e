/* convert.c - turns a trained model of one variant into one of another. */
#include <stdio.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/convert.h"
#include "algebra/fold.h"
#include "algebra/canonical.h"
#include "base/words.h"
#include "heart/tape.h"

/* Fits the attention at a place of the model `to` to the form `wanted`, and
   returns the form that it has afterwards. If it cannot be fitted, v->why says
   why. */
static Canonical
fit_place(Model *to, int place, const Canonical *wanted, Conversion *v)
{
    const ModelPlace *p = &to->place[place];
    Canonical now = {0};
    if (!fit(p->variant, &p->attention, place_weights(to, place), wanted,
             v->why))
        return now;
    now = model_form(to, place);
    if (!now.m)
        snprintf(v->why, sizeof v->why,
                 "after the fit it has no canonical form: %.120s", now.why);
    else if (!equal_biases(&now, wanted))
        snprintf(v->why, sizeof v->why,
                 "its scores have another bias by position, or another sink");
    return now;
}

/* Converts place `place` of `from` into that of `to`, exactly or to the nearest
   form. If only `from` has an embedding, that is folded into the form. If it
   cannot be done, v->why says why. */
static void
convert_place(const Model *from, Model *to, int place, Conversion *v)
{
    Canonical wanted = model_form(from, place);
    if (!wanted.m) {
        snprintf(v->why, sizeof v->why, "no canonical form: %.120s",
                 wanted.why);
        return;
    }
    if (to->config.embed != from->config.embed)
        fold_form(&wanted, from, to);
    Canonical now = fit_place(to, place, &wanted, v);
    if (!*v->why) {
        FitError error = fit_error(&now, &wanted);
        if (error.apart >= v->form.apart)
            v->form = error;
    }
    canonical_free(&now);
    canonical_free(&wanted);
}

/* Copies every weight outside attention that both models have in one shape. */
static void
copy_rest(const Model *from, Model *to)
{
    for (int i = 0; i < to->count; i++) {
        Weight *w = &to->weights[i];
        if (w->attention)
            continue;
        for (int k = 0; k < from->count; k++)
            if (!strcmp(w->name, from->weights[k].name) &&
                w->rows == from->weights[k].rows &&
                w->cols == from->weights[k].cols)
                memcpy(w->value, from->weights[k].value,
                       entries_of(w) * sizeof(real));
    }
}

bool
convert_model(const Model *from, Model *to, Conversion *v)
{
    const char *refusal = NULL;
    if (to->config.embed != from->config.embed)
        refusal = fold_refusal(from);
    *v = (Conversion){0};
    if (refusal)
        snprintf(v->why, sizeof v->why, "its embedding cannot be folded: %s",
                 refusal);
    copy_rest(from, to);
    for (int place = 0; place < to->places && !*v->why; place++)
        convert_place(from, to, place, v);
    return !*v->why;
}

Config
config_alike(const Config *own)
{
    Config c = *own;
    Plugin p = plugin_open(own->same_start);
    c.variant = own->same_start;
    c.same_start = interned("");
    c.heads = c.heads ? c.heads : 4;
    config_resolve_for(&c, &p);
    return c;
}

bool
start_alike(Model *m, Conversion *v)
{
    Config c = config_alike(&m->config);
    Model *from = model_new(&c, m->sizes, plugin_open(c.variant).variant);
    if (convert_model(from, m, v) && v->form.apart > CONVERTS_EXACTLY)
        snprintf(v->why, sizeof v->why,
                 "an entry of M or N is off by %.2g of the largest",
                 v->form.apart);
    model_free(from);
    return !*v->why;
}

static double
test_accuracy(Model *m, const Dataset *data)
{
    double loss, accuracy;
    Batch b = batch_new(data->sizes, m->config.batch);
    Tape *t = tape_new(0);
    evaluate(m, data, TEST, t, &b, &loss, &accuracy);
    tape_free(t);
    batch_free(&b);
    return accuracy;
}

/* The largest difference of the logits of two models on the first test batch,
   relative to the largest logit of a, or to 1 if that is below 1. INFINITY if a
   logit is NaN. */
static double
logits_apart(Model *a, Model *b, const Dataset *data)
{
    Batch batch = batch_new(data->sizes, a->config.batch);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, 0, &batch);
    Tape *t = tape_new(0);
    Node *x = model_forward(a, t, &batch), *y = model_forward(b, t, &batch);
    Difference off = {.largest = 1};
    for (size_t i = 0; i < size_of(x); i++)
        compare_entries(&off, (double)y->value[i], (double)x->value[i]);
    tape_free(t);
    batch_free(&batch);
    return relative_difference(off);
}

void
measure_conversion(Model *from, Model *to, const Dataset *data, Conversion *v)
{
    v->logits = logits_apart(from, to, data);
    v->before = test_accuracy(from, data);
    v->after = test_accuracy(to, data);
}
