/* convert.c - turns a trained model of one variant into one of another.

   A place of a model is one attention: that of a block, or a cross-attention.
   At each place, the new model's attention is fitted to the canonical form of
   the old model's. */
#include <string.h>

#include "algebra/capture.h"
#include "algebra/convert.h"
#include "algebra/fold.h"
#include "base/words.h"
#include "heart/tape.h"

/* Fits the attention at a place of the model `to` to the form `wanted`, and
   returns the form that it has afterwards (canonical.h). If it cannot be
   fitted, or has no form or other biases afterwards, v->why gets the reason. */
static Canonical
fit_place(Model *to, int place, const Canonical *wanted, Conversion *v)
{
    const ModelPlace *p = &to->place[place];
    Canonical now = {0};
    const char *refusal =
        fit(p->variant, &p->attention, place_weights(to, place), wanted);
    if (refusal) {
        v->why = refusal;
        return now;
    }
    now = model_form(to, place);
    if (!now.m) /* it has no form */
        v->why =
            format_text("after the fit it has no canonical form: %s", now.why);
    else if (!equal_biases(&now, wanted))
        v->why = "after the fit it has another bias by position or sink";
    return now;
}

/* Converts the attention at a place of `from` into the attention of `to`,
   exactly or to the nearest form. If the conversion fails, v->why gets the
   reason. */
static void
convert_place(const Model *from, Model *to, int place, Conversion *v)
{
    Canonical wanted = model_form(from, place);
    if (!wanted.m) { /* it has no form */
        v->why = format_text("no canonical form: %s", wanted.why);
        return;
    }
    if (to->config.embed != from->config.embed) /* `to` has one-hot tokens */
        fold_form(&wanted, from, to);
    Canonical now = fit_place(to, place, &wanted, v);
    if (!*v->why) {
        FitError error = fit_error(&now, &wanted);
        if (error.apart >= v->form.apart) /* also if 0: its ranks are noted */
            v->form = error;
    }
    canonical_free(&now);
    canonical_free(&wanted);
}

/* Copies every weight outside attention that both models have by the same name
   and in the same shape. */
static void
copy_rest(const Model *from, Model *to)
{
    for (int i = 0; i < to->count; i++)
        for (int k = 0; k < from->count; k++) {
            Weight *w = &to->weights[i];
            const Weight *old = &from->weights[k];
            bool same_shape = w->rows == old->rows && w->cols == old->cols;
            bool same_name = strcmp(w->name, old->name) == 0;
            if (!w->attention && same_shape && same_name)
                memcpy(w->value, old->value, entries_of(w) * sizeof(real));
        }
}

/* If the kinds of embedding differ, one model has one-hot tokens. It must be
   `to`, since fold_refusal refuses a `from` with such tokens. */
bool
convert_model(const Model *from, Model *to, Conversion *v)
{
    bool folded = to->config.embed != from->config.embed;
    const char *refusal = folded ? fold_refusal(from) : NULL;
    *v = (Conversion){.why = ""};
    if (refusal)
        v->why = format_text("its embedding cannot be folded: %s", refusal);
    copy_rest(from, to);
    for (int place = 0; place < to->places && !*v->why; place++)
        convert_place(from, to, place, v);
    return !*v->why;
}

Config
same_start_config(const Config *own)
{
    Config c = *own;
    Plugin p = plugin_open(own->same_start);
    enum { DEFAULT_HEADS = 4 };
    c.variant = own->same_start;
    c.same_start = interned(""); /* the other model itself starts at random */
    if (c.heads == 0)            /* the variant of `own` has no heads option */
        c.heads = DEFAULT_HEADS;
    config_resolve_for(&c, &p);
    return c;
}

bool
initialise_same_start(Model *m, Conversion *v)
{
    Config c = same_start_config(&m->config);
    Model *from = model_new(&c, m->sizes, plugin_open(c.variant).variant);
    if (convert_model(from, m, v) && v->form.apart > EXACT_UP_TO)
        v->why = format_text("an entry of M or N is off by %.2g of the largest",
                             v->form.apart);
    model_free(from);
    return !*v->why;
}

/* The share of right answers that m gives on all test data. */
static double
test_accuracy(Model *m, const Dataset *data)
{
    double unused_loss, accuracy;
    Batch b = batch_new(data->sizes, m->config.batch);
    Tape *t = tape_new(COMPUTE);
    evaluate(m, data, TEST, t, &b, &unused_loss, &accuracy);
    tape_free(t);
    batch_free(&b);
    return accuracy;
}

/* The largest difference of the logits of two models on the first test batch,
   relative to the largest logit of a, or to 1 if that is larger. INFINITY if a
   logit of b is NaN. */
static double
logits_apart(Model *a, Model *b, const Dataset *data)
{
    Batch batch = batch_new(data->sizes, a->config.batch);
    const int first_batch = 0;
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, first_batch, &batch);
    Tape *t = tape_new(COMPUTE);
    Node *of_a = model_forward(a, t, &batch);
    Node *of_b = model_forward(b, t, &batch);
    Difference off = {.largest = 1};
    for (size_t i = 0; i < size_of(of_a); i++)
        compare_entries(&off, (double)of_b->value[i], (double)of_a->value[i]);
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
