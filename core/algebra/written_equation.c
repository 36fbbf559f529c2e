/* written_equation.c - runs the equation that a variant's author wrote beside
   its code.

   The equation is made into a variant, which shares the matrices of the code's
   variant. Then both are run, and their outputs are compared. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "algebra/written_equation.h"
#include "base/words.h"
#include "equation/run_equation.h"
#include "heart/fail.h"

/* The matrix of this name, or NULL. */
static const Weight *
weight_called(const Weights *w, const char *name)
{
    for (int i = 0; i < w->count; i++)
        if (!strcmp(w->list[i].name, name))
            return &w->list[i];
    return NULL;
}

/* Makes the matrices of an equation share the entries of the code's matrices.
   Returns NULL, or why this is not possible. */
static const char *
share_entries(const Weights *equation, const Weights *code)
{
    for (int i = 0; i < code->count; i++) {
        const char *name = code->list[i].name;
        if (!weight_called(equation, name))
            return format_text(
                "it does not use %s, a matrix of the code: write the whole "
                "equation, as in softmax(...) y W_i^V W_i^O",
                name);
    }
    for (int i = 0; i < equation->count; i++) {
        Weight *w = &equation->list[i];
        const Weight *own = weight_called(code, w->name);
        if (!own)
            return format_text("it uses %s, which the code does not declare",
                               w->name);
        if (own->rows != w->rows || own->cols != w->cols)
            return format_text("its %s is (%d x %d), but the code's is (%d x "
                               "%d): begin the equation with the shape, as in "
                               "\"W_i^Q: d_model x d_k; \"",
                               w->name, w->rows, w->cols, own->rows, own->cols);
        w->value = own->value;
    }
    return NULL;
}

/* Returns how an equation, made into the variant `written`, differs from the
   code; NULL if both have the same outputs. */
static const char *
difference_of(const Variant *written, const Derived *code)
{
    BlockRun run = {.variant = written, .attention = code->run.attention};
    run.weights = weights_declared(written, &run.attention);
    const char *wrong = share_entries(&run.weights, &code->run.weights);
    if (wrong)
        return wrong;
    OutputsApart off = outputs_apart(code, &(Derived){.run = run});
    if (off.unmasked > OUTPUT_ROUNDING)
        return format_text("outputs differ by %.2g of the largest",
                           off.unmasked);
    if (off.causal > OUTPUT_ROUNDING)
        return format_text("outputs differ by %.2g of the largest under a "
                           "causal mask",
                           off.causal);
    return NULL;
}

/* Returns how an equation differs from the code at the shape of d or at that of
   d->there; NULL if it does at neither. At one shape a number may have the
   value of another width by chance. */
static const char *
difference_anywhere(const Variant *written, const Derived *d)
{
    const char *wrong = difference_of(written, d);
    if (wrong || !d->there)
        return wrong;
    const Attention *a = &d->there->run.attention;
    wrong = difference_of(written, d->there);
    if (!wrong)
        return NULL;
    return format_text("%s at d_model %d, heads %d, kv_heads %d, d_k %d, d_v "
                       "%d, latent %d",
                       wrong, a->d_model, a->heads, a->kv_heads, a->d_k, a->d_v,
                       a->latent);
}

/* If an equation cannot be read, the program continues at `unreadable`, and
   `reason` says why. */
static jmp_buf unreadable;
static char reason[MESSAGE];

/* Called instead of ending the program, with the status and the message with
   which it would have ended. Keeps the message and jumps to `unreadable`. */
static void
keep_reason(int status, const char *message)
{
    (void)status;
    snprintf(reason, sizeof reason,
             "%s; if the notation cannot say it, begin with \"note:\"",
             message);
    longjmp(unreadable, 1);
}

/* Returns why an equation is meant for people and cannot be compared with the
   code; NULL if it can. */
static const char *
note_of(const char *equation, const Weights *code)
{
    if (strncmp(equation, "note:", strlen("note:")) == 0)
        return "is a note";
    for (int i = 0; i < code->count; i++)
        if (name_in_equation(equation, code->list[i].name))
            return NULL;
    return code->count > 0 ? "names no matrix of the code" : NULL;
}

Written
equation_compared(const Derived *d)
{
    const Variant *v = d->run.variant;
    const char *note = note_of(v->equation, &d->run.weights);
    if (note)
        return (Written){A_NOTE, note};
    const char *const text =
        v->settings ? format_text("settings: %s; %s", v->settings, v->equation)
                    : v->equation;

    /* A faulty equation would end the program with a message. While on_failure
       is keep_reason, setjmp returns true instead, for the second time, and
       `reason` has the message. */
    void (*const before)(int status, const char *message) = on_failure;
    const char *wrong;
    on_failure = keep_reason;
    if (setjmp(unreadable))
        wrong = reason;
    else
        wrong = difference_anywhere(variant_of_text(".equation", text), d);
    on_failure = before;
    return (Written){wrong ? DISAGREES : AGREES, wrong};
}
