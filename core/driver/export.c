/* export.c - qkv export: writes a batch of a run for other frameworks, which
   can then be compared with qkv. */
#include <libgen.h>

#include "base/npy.h"
#include "driver/options.h"
#include "heart/embedding_and_loss.h"
#include "heart/tape.h"

/* Runs m on the first batch of its test data, and writes arrays: tokens,
   targets
   (-1 if a token has no answer), source (the second sequence, if the task has
   one), logits, loss, and gradients/ with a file for each weight. The directory
   must not exist; it is written whole or not at all. Returns the number of
   sequences in the batch. */
static int
write_batch(const char *directory, Model *m, const Dataset *data)
{
    const char *above = dirname(copy_text(directory));
    const char *name = basename(copy_text(directory));
    int tokens = m->sizes.tokens, ids = m->sizes.each; /* ids of each token */
    int axes = ids > 1 ? 3 : 2; /* axes of token arrays: one more if a token has
                                   several ids */
    Batch b = batch_new(m->sizes, m->config.batch);
    Random r = dataset_stream(data, TEST);
    /* the size of a batch, or fewer if the test data are fewer */
    int sequences = dataset_draw(data, TEST, &r, 0, &b);
    Tape *t = tape_new(0);
    Node *logits = model_forward(m, t, &b);
    Node *loss = m->architecture->loss(m, logits, b.targets,
                                       counted_rows(b.targets, b.rows), NULL);
    backward(loss);
    Draft *d = draft_begin(above, name);
    char *to = new_directory(d->path, name);
    npy_write(to, "tokens.npy", 'i', b.ids, axes,
              (int[]){sequences, tokens, ids});
    if (m->sizes.source)
        npy_write(to, "source.npy", 'i', b.source, axes,
                  (int[]){sequences, m->sizes.source, ids});
    npy_write(to, "targets.npy", 'i', b.targets, 2, (int[]){sequences, tokens});
    npy_write(to, "logits.npy", 'f', logits->value, 3,
              (int[]){sequences, tokens, m->sizes.classes});
    npy_write(to, "loss.npy", 'f', loss->value, 2, (int[]){1, 1});
    matrices_write(to, "gradients", m, m->gradients);
    if (!draft_end(d, false)) /* false: do not replace a directory */
        fail("%s: it already exists; choose another directory", directory);
    return sequences;
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
