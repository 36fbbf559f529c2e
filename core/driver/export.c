/* export.c - qkv export: a batch of a run for other frameworks. */

#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "run/run.h"

int
command_export(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Run r = run_read(o.rest[0]);
    Dataset data;
    Model *m = run_model(&r, &data);
    int sequences = batch_write(o.rest[1], m, &data);
    if (!o.quiet)
        note("%s holds a batch of %d sequences, its logits, loss and "
             "gradients; the weights are %s/weights",
             o.rest[1], sequences, r.path);
    return 0;
}
