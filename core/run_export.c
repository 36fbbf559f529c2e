/* run_export.c - one batch of a run, for other frameworks to compute again. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "layers.h"
#include "npy.h"
#include "run.h"
#include "tape.h"

typedef struct Export {
    Path partial; /* the directory as long as it is not whole */
    const char *directory;
} Export;

static _Noreturn void
give_up(const Export *e, const char *name)
{
    int error = errno;
    discard(e->partial.text);
    fail("%s/%s: cannot be written: %s; nothing was kept", e->directory, name,
         strerror(error));
}

PRINTF(6, 7)
static void
put(const Export *e, const char *name, char kind, size_t size,
    const void *values, const char *shape, ...)
{
    char text[64];
    va_list args;
    va_start(args, shape);
    vsnprintf(text, sizeof text, shape, args);
    va_end(args);
    size_t count = 1;
    for (char *at = text; *at; at += strspn(at, ", "))
        count *= strtoul(at, &at, 10);
    Path path = within(e->partial.text, name);
    if (!npy_write_array(path.text, kind, size, values, count, text))
        give_up(e, name);
}

static void
put_tokens(const Export *e, const char *name, const int *ids, int sequences,
           int tokens, int each)
{
    if (each > 1)
        put(e, name, 'i', sizeof(int), ids, "%d, %d, %d", sequences, tokens,
            each);
    else
        put(e, name, 'i', sizeof(int), ids, "%d, %d", sequences, tokens);
}

/* 1 where the token of a row may see that of a column. */
static void
put_mask(const Export *e, const Model *m)
{
    int n = m->sizes.tokens;
    int *mask = allocate((size_t)n * (size_t)n, sizeof *mask);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mask[i * n + j] = !m->attention.causal || j <= i;
    put(e, "mask.npy", 'i', sizeof(int), mask, "%d, %d", n, n);
    free(mask);
}

static void
put_gradients(const Export *e, const Model *m)
{
    if (mkdir(within(e->partial.text, "gradients").text, 0777))
        give_up(e, "gradients");
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        char *file = weight_file(w->name);
        char *name = format_text("gradients/%s", strchr(file, '/') + 1);
        put(e, name, 'f', sizeof(real), w->gradient, "%d, %d", w->rows,
            w->cols);
        free(name);
        free(file);
    }
}

/* Makes the directory, under another name for as long as it is not whole. */
static Export
export_begin(const char *directory)
{
    Export e = {.directory = directory};
    int n = (int)strlen(directory);
    while (n > 1 && directory[n - 1] == '/')
        n--;
    if (snprintf(e.partial.text, sizeof e.partial.text, "%.*s.partial%ld", n,
                 directory, (long)getpid()) >= (int)sizeof e.partial.text - 128)
        fail("%.64s..: the path is too long", directory);
    if (!access(directory, F_OK))
        fail("%s: is there already: give a directory that is not", directory);
    if (mkdir(e.partial.text, 0777))
        fail("%s: cannot be made: %s", directory, strerror(errno));
    return e;
}

void
batch_write(const char *directory, Model *m, const Source *s)
{
    int sequences = m->config.batch, tokens = m->sizes.tokens;
    Batch b = batch_new(m->sizes, sequences);
    Random r = source_stream(s, TEST);
    source_draw(s, TEST, &r, 0, &b);
    Tape *t = tape_for(m, &b);
    Node *logits = model_forward(m, t, &b);
    Node *loss = model_loss(m, logits, b.all.targets,
                            counted_rows(b.all.targets, b.rows));
    backward(loss);
    Export e = export_begin(directory);
    put_tokens(&e, "tokens.npy", b.all.ids, sequences, tokens, m->sizes.each);
    if (m->sizes.source)
        put_tokens(&e, "source.npy", b.all.source, sequences, m->sizes.source,
                   m->sizes.each);
    put(&e, "targets.npy", 'i', sizeof(int), b.all.targets, "%d, %d", sequences,
        tokens);
    put_mask(&e, m);
    put(&e, "logits.npy", 'f', sizeof(real), logits->value, "%d, %d, %d",
        sequences, tokens, m->sizes.classes);
    put(&e, "loss.npy", 'f', sizeof(real), loss->value, "1, 1");
    put_gradients(&e, m);
    tape_free(t);
    batch_free(&b);
    if (rename(e.partial.text, directory))
        give_up(&e, "");
}
