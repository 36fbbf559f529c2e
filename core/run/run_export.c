/* run_export.c - one batch of a run, for other frameworks to compute again. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/npy.h"
#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/tape.h"
#include "run/run.h"

void
batch_write(const char *directory, Model *m, const Dataset *data)
{
    int sequences = m->config.batch, tokens = m->sizes.tokens;
    int each = m->sizes.each > 1 ? m->sizes.each : 0;
    Batch b = batch_new(m->sizes, sequences);
    Random r = dataset_stream(data, TEST);
    dataset_draw(data, TEST, &r, 0, &b);
    Tape *t = tape_new(0);
    Node *logits = model_forward(m, t, &b);
    Node *loss = m->architecture->loss(m, logits, b.targets,
                                       counted_rows(b.targets, b.rows), NULL);
    backward(loss);
    if (mkdir(directory, 0777))
        fail("%s: cannot be made: %s; give a directory that is not there",
             directory, strerror(errno));
    Draft *d = draft_begin(directory, "batch");
    const char *to = d->path.text;
    npy_write(to, "tokens.npy", 'i', b.ids, sequences, tokens, each);
    if (m->sizes.source)
        npy_write(to, "source.npy", 'i', b.source, sequences, m->sizes.source,
                  each);
    npy_write(to, "targets.npy", 'i', b.targets, sequences, tokens, 0);
    npy_write(to, "logits.npy", 'f', logits->value, sequences, tokens,
              m->sizes.classes);
    npy_write(to, "loss.npy", 'f', loss->value, 1, 1, 0);
    matrices_write(to, "gradients", m);
    draft_publish_all(d);
    tape_free(t);
    batch_free(&b);
}
