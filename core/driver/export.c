/* export.c - qkv export: writes a batch of a run's test data, and what its
   model computes from it, for comparison with other frameworks. */
#include <libgen.h>

#include "base/npy.h"
#include "driver/options.h"
#include "heart/embedding_and_loss.h"

/* Writes the tokens and targets of a batch of m, and its logits and loss. */
static void
write_arrays(const char *to, const Model *m, const Batch *b, const Node *logits,
             const Node *loss)
{
    int sequences = b->sequences, tokens = m->sizes.tokens;
    int ids = m->sizes.each; /* how many ids a token has */
    /* With a single id, the arrays of ids are matrices (npy.h). */
    int third = ids > 1 ? ids : 0;
    npy_write(to, "tokens.npy", NPY_INTS, b->ids,
              (NpyShape){sequences, tokens, third});
    if (m->sizes.source)
        npy_write(to, "source.npy", NPY_INTS, b->source,
                  (NpyShape){sequences, m->sizes.source, third});
    npy_write(to, "targets.npy", NPY_INTS, b->targets,
              (NpyShape){.first = sequences, .second = tokens});
    npy_write(to, "logits.npy", NPY_REALS, logits->value,
              (NpyShape){sequences, tokens, m->sizes.classes});
    npy_write(to, "loss.npy", NPY_REALS, loss->value,
              (NpyShape){.first = 1, .second = 1});
}

/* Runs m on the first batch of its test data, and writes arrays: tokens,
   targets (-1 if a token has no answer), source (the second sequence, if the
   task has one), logits, loss, and gradients/ with a file for each weight. The
   directory must not exist yet; it is written as a whole or not at all. Returns
   the number of sequences in the batch. */
static int
write_batch(const char *directory, Model *m, const Dataset *data)
{
    const char *above = dirname(copy_text(directory));
    const char *name = basename(copy_text(directory));
    const int first_batch = 0;
    Batch b = batch_new(m->sizes, m->config.batch);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, first_batch, &b);
    Tape *t = tape_new(COMPUTE);
    Node *logits = model_forward(m, t, &b);
    /* NULL: right answers are not counted */
    Node *loss = m->architecture->loss(m, logits, b.targets,
                                       counted_rows(b.targets, b.rows), NULL);
    backward(loss);
    Draft *d = draft_begin(above, name);
    char *to = new_directory(d->path, name);
    write_arrays(to, m, &b, logits, loss);
    matrices_write(to, "gradients", m, m->gradients);
    if (!draft_end(d, KEEP_OLD))
        fail("%s: it already exists; choose another directory", directory);
    return b.sequences;
}

int
command_export(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Run r = run_read(o.words[0]);
    Dataset data;
    Model *m = run_model(&r, &data);
    int sequences = write_batch(o.words[1], m, &data);
    if (!o.quiet)
        note("%s holds a batch of %d sequences, its logits, loss and "
             "gradients; the weights are in %s/weights",
             o.words[1], sequences, r.path);
    return 0;
}
