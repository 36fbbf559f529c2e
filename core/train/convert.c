/* convert.c - a trained model of one variant, made into one of another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "model/fold.h"
#include "train/convert.h"

/* Place `place` of `to` becomes what that of `from` is, as nearly as can be;
   false with the reason where that cannot be asked. */
static bool
adopt_place(const Model *from, Model *to, int place, Conversion *v)
{
    Canonical c = model_form(from, place);
    if (c.m && to->config.embed != from->config.embed) {
        Canonical folded = folded_form(from, &c, to);
        canonical_free(&c);
        c = folded;
    }
    const Variant *target = place_variant(to, place);
    Weights w = weights_declared(target, &to->attention);
    real **values = model_attention(to, place);
    bool done = false;
    if (!c.m)
        snprintf(v->why, sizeof v->why, "no canonical form: %.120s", c.why);
    else if (!target->adopt)
        snprintf(v->why, sizeof v->why, "it cannot adopt a canonical form");
    else if (!adopt(target, &to->attention, &w, &c, values))
        snprintf(v->why, sizeof v->why, "%d heads do not fit into %d", c.heads,
                 to->attention.heads);
    else {
        Canonical now = model_form(to, place);
        done = now.m != NULL;
        if (!done)
            snprintf(v->why, sizeof v->why,
                     "what it adopts has no canonical form: %.120s", now.why);
        Misfit f = done ? form_misfit(&now, &c) : (Misfit){0};
        if (f.apart >= v->form.apart)
            v->form = f;
        canonical_free(&now);
    }
    canonical_free(&c);
    free(values);
    weights_free(&w);
    return done;
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

Model *
converted(const Model *from, const Plugin *p, const Config *shape,
          const char *run, Conversion *v)
{
    Config c = from->config;
    c.variant = shape->variant;
    c.from = interned(run);
    c.encoder_variant = c.cross_variant = c.init = interned("");
    config_copy(&c, shape, OF_SHAPE);
    c.heads = c.heads ? c.heads : 1;
    c.embed = shape->embed;
    config_cast(&c, p);
    *v = (Conversion){.done = false};
    const char *refusal =
        c.embed == from->config.embed ? NULL : fold_refusal(from);
    if (!from->places)
        snprintf(v->why, sizeof v->why, "task linear has no attention");
    else if (refusal)
        snprintf(v->why, sizeof v->why, "its embedding cannot be folded: %s",
                 refusal);
    if (*v->why)
        return NULL;
    v->done = true;
    Model *to = model_new(&c, from->sizes, p->variant);
    copy_rest(from, to);
    for (int place = 0; v->done && place < to->places; place++)
        v->done = adopt_place(from, to, place, v);
    if (v->done)
        return to;
    model_free(to);
    return NULL;
}

/* The config that m's same-start names. */
static Config
config_alike(const Config *own)
{
    Config c = *own;
    c.same_start = config_start().same_start;
    c.heads = c.heads ? c.heads : 4;
    c.d_k = c.d_v = c.kv_heads = c.latent = 0;
    config_shape(&c, &own->same_start.as);
    return c;
}

/* Have two models the same weights, one by one? */
static bool
same_weights(const Model *a, const Model *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = !strcmp(a->weights[i].name, b->weights[i].name) &&
               a->weights[i].rows == b->weights[i].rows &&
               a->weights[i].cols == b->weights[i].cols;
    return same;
}

bool
start_alike(Model *m, Conversion *v)
{
    Config c = config_alike(&m->config);
    Plugin p = plugin_open(c.variant), own = plugin_open(m->config.variant);
    config_cast(&c, &p);
    Model *from = model_new(&c, m->sizes, p.variant);
    Model *to = converted(from, &own, &m->config, "", v);
    bool fits = to && same_weights(m, to);
    bool alike = fits && v->form.apart <= CONVERTS_EXACTLY;
    if (to && !fits)
        snprintf(v->why, sizeof v->why,
                 "its encoder or cross-attention has a variant of its own");
    else if (alike)
        memcpy(m->values, to->values, m->parameters * sizeof *m->values);
    else if (to)
        snprintf(v->why, sizeof v->why,
                 "%.2g of the largest entry of M or N is lost", v->form.apart);
    if (to)
        model_free(to);
    model_free(from);
    return alike;
}

/* The logits of m on the first test batch; to be freed. */
static real *
logits_of(Model *m, const Dataset *data, size_t *count)
{
    Batch b = batch_new(data->sizes, m->config.batch);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, 0, &b);
    Tape *t = tape_for(m, &b);
    Node *logits = model_forward(m, t, &b);
    *count = (size_t)logits->rows * (size_t)logits->cols;
    real *copy = allocate(*count, sizeof *copy);
    memcpy(copy, logits->value, *count * sizeof *copy);
    tape_free(t);
    batch_free(&b);
    return copy;
}

void
evaluate_split(Model *m, const Dataset *data, Split split, double *loss,
               double *accuracy)
{
    Batch b = batch_new(data->sizes, m->config.batch);
    Tape *t = tape_for(m, &b);
    evaluate(m, data, split, t, &b, loss, accuracy);
    tape_free(t);
    batch_free(&b);
}

void
measure_conversion(Model *from, Model *to, const Dataset *data, Conversion *v)
{
    size_t count;
    double loss;
    real *a = logits_of(from, data, &count), *b = logits_of(to, data, &count);
    double apart = 0, largest = 1;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        apart = difference <= apart ? apart : difference; /* a NaN too */
        apart = isnan(difference) ? INFINITY : apart;
        largest = fmax(largest, fabs((double)a[i]));
    }
    v->logits = apart / largest;
    evaluate_split(from, data, TEST, &loss, &v->before);
    evaluate_split(to, data, TEST, &loss, &v->after);
    free(a);
    free(b);
}
