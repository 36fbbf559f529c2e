/* merge.c - qkv merge: the runs of several experiments into one. */
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "run/run.h"
#include "driver/cli/options.h"
#include "driver/commands.h"
#include "driver/compare.h"

/* Both are what they are called, and two. */
static void
check_places(const char *from, const char *out)
{
    if (access(below(from, "experiment.tsv").text, F_OK))
        fail("%s: no experiment: it has no experiment.tsv; name a directory "
             "that `qkv compare` made as its --out",
             from);
    if (!strcmp(from, out))
        usage("%s: merged into itself: give --out another name", from);
}

/* Returns how many runs of the experiment could not be taken. */
static int
take(const char *from, const Options *o)
{
    int count, copied = 0, there = 0, differ = 0;
    Run *runs = experiment_runs(from, &count);
    for (int i = 0; i < count; i++) {
        Copied c = run_copy(&runs[i], o->out);
        copied += c == COPIED;
        there += c == THERE;
        differ += c == DIFFERS;
        if (c == DIFFERS)
            note("%s: another result than the run of that name in %s, which "
                 "stays; remove the wrong one of the two",
                 runs[i].path, o->out);
    }
    if (!o->quiet)
        note("%s: %d runs taken, %d were in %s already", from, copied, there,
             o->out);
    free_runs(runs, count);
    return differ;
}

int
command_merge(int argc, char **argv)
{
    Options o = options_read(argc, argv, MERGE);
    int differ = 0;
    if (!o.rest_count)
        usage("merge takes the experiments whose runs --out DIR is to have");
    for (int i = 0; i < o.rest_count; i++)
        check_places(o.rest[i], o.out);
    experiment_open(o.out, NULL);
    for (int i = 0; i < o.rest_count; i++)
        differ += take(o.rest[i], &o);
    options_free(&o);
    return differ > 0;
}
