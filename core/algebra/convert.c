/* convert.c - a trained model of one variant, made into one of another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/convert.h"
#include "algebra/fold.h"
#include "algebra/canonical.h"
#include "base/words.h"
#include "heart/tape.h"

/* Place `place` of `to` becomes what that of `from` is, as nearly as can be,
   with the embedding folded into it if only `from` has one; if that cannot be
   done, v->why says why. */
static void
adopt_place(const Model *from, Model *to, int place, Conversion *v)
{
    Canonical c = model_form(from, place), now = {0};
    const Variant *target = to->place[place].variant;
    Attention a = to->place[place].attention;
    if (c.m && to->config.embed != from->config.embed)
        fold_form(&c, from, to);
    if (!c.m)
        snprintf(v->why, sizeof v->why, "no canonical form: %.120s", c.why);
    else if (fit(target, &a, place_weights(to, place), &c, v->why)) {
        now = model_form(to, place);
        if (!now.m)
            snprintf(v->why, sizeof v->why,
                     "what it fits has no canonical form: %.120s", now.why);
        else if (!equal_biases(&now, &c))
            snprintf(v->why, sizeof v->why,
                     "its scores have another bias by position, or sink");
    }
    FitError f = *v->why ? v->form : fit_error(&now, &c);
    v->form = f.apart >= v->form.apart ? f : v->form;
    canonical_free(&now);
    canonical_free(&c);
}

/* What is not attention, where both have it in one shape. */
static void
copy_rest(const Model *from, Model *to)
{
    for (int i = 0; i < to->count; i++) {
        Weight *w = &to->weights[i];
        for (int k = 0; !w->attention && k < from->count; k++)
            if (!strcmp(w->name, from->weights[k].name) &&
                w->rows == from->weights[k].rows &&
                w->cols == from->weights[k].cols)
                memcpy(w->value, from->weights[k].value,
                       (size_t)w->rows * (size_t)w->cols * sizeof(real));
    }
}

bool
convert_model(const Model *from, Model *to, Conversion *v)
{
    const char *refusal =
        to->config.embed == from->config.embed ? NULL : fold_refusal(from);
    *v = (Conversion){0};
    if (refusal)
        snprintf(v->why, sizeof v->why, "its embedding cannot be folded: %s",
                 refusal);
    copy_rest(from, to);
    for (int place = 0; !*v->why && place < to->places; place++)
        adopt_place(from, to, place, v);
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
    config_cast(&c, &p);
    return c;
}

bool
start_alike(Model *m, Conversion *v)
{
    Config c = config_alike(&m->config);
    Model *from = model_new(&c, m->sizes, plugin_open(c.variant).variant);
    if (convert_model(from, m, v) && v->form.apart > CONVERTS_EXACTLY)
        snprintf(v->why, sizeof v->why,
                 "%.2g of the largest entry of M or N is lost", v->form.apart);
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

/* The largest difference of their logits on the first test batch, relative to
   the largest of a where that is above 1; a NaN is as far apart as can be. */
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
