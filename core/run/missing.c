/* missing.c - trains the runs of a grid that are not there yet, and reads all.
 */
#include <stdlib.h>
#include <unistd.h>

#include "heart/fail.h"
#include "run/jobs.h"
#include "run/missing.h"
#include "run/real_count.h"

/* Reads a job's run where there is one, and not yet read. One that another
   build of its plugin made is as if it were not there, if that is asked for. */
static bool
read_job(const Work *w, Job *job)
{
    if (job->read || !run_exists(w->out, job->name))
        return job->read;
    job->run = run_of(w->out, job->name);
    job->read =
        w->keep || job->run.config.plugin_hash == job->config.plugin_hash;
    if (!job->read && !w->redo)
        fail("%s/%s: was made with another build of its plugin: --redo trains "
             "such runs again, --keep takes them as they are, another --out "
             "leaves them alone",
             w->out, job->name);
    if (!job->read)
        run_free(&job->run);
    return job->read;
}

Experiment
finished(const Work *w, Grid *g)
{
    Experiment e = {.runs = allocate((size_t)g->count, sizeof *e.runs),
                    .asked = &g->asked,
                    .manifest_count = 1};
    for (int i = 0; i < g->count; i++)
        if (read_job(w, &g->jobs[i])) {
            e.runs[e.count++] = g->jobs[i].run;
            g->jobs[i].read = false; /* the caller's now */
        }
    return e;
}

int
run_missing(const Work *w, Grid *g)
{
    bool *wanted = allocate((size_t)g->count, sizeof *wanted);
    int missing = 0, failed = 0;
    experiment_open(w->out, &g->asked);
    for (int i = 0; i < g->count; i++) {
        wanted[i] = !read_job(w, &g->jobs[i]);
        missing += wanted[i];
    }
    if (missing < g->count && !w->quiet)
        note("%d of %d runs are in %s already", g->count - missing, g->count,
             w->out);
    if (missing)
        failed = jobs_run(w, g, wanted);
    if (failed)
        note("%d of %d runs failed; the same command tries them again", failed,
             g->count);
    free(wanted);
    return failed > 0;
}

void
count_real(const Work *w, Experiment *e)
{
    bool counts = false;
    for (int i = 0; i < e->count; i++) {
        if (!(e->runs[i].real < 0))
            continue;
        if (!counts && !w->quiet && isatty(STDERR_FILENO))
            note("counting real parameters ...");
        counts = true;
        e->runs[i].real = real_of_run(&e->runs[i]);
    }
    if (counts)
        real_write(w->out, e->runs, e->count);
}
