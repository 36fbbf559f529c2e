/* missing.c - trains the runs of a grid that are not there yet, and reads all.
 */
#include <stdlib.h>
#include <unistd.h>

#include "heart/fail.h"
#include "run/jobs.h"
#include "run/missing.h"
#include "run/real_count.h"

/* Reads a job's run where there is one, and not yet read. */
static bool
read_job(const Work *w, Job *job)
{
    if (!job->read && run_exists(w->out, job->name)) {
        job->run = run_of(w->out, job->name, &job->config);
        job->read = true;
    }
    return job->read;
}

/* Refuses runs that another build of a plugin made, unless told what to do
   with them; marks those to be trained. */
static int
find_work(const Work *w, Grid *g, bool *wanted)
{
    int count = 0, stale = 0;
    const char *example = NULL;
    for (int i = 0; i < g->count; i++) {
        Job *job = &g->jobs[i];
        wanted[i] = !read_job(w, job);
        if (!wanted[i] && !w->keep &&
            job->run.config.plugin_hash != job->config.plugin_hash) {
            stale++;
            example = job->name;
            wanted[i] = true;
            run_free(&job->run);
            job->read = false;
        }
        count += wanted[i];
    }
    if (stale && !w->redo)
        fail("%s: %d runs, %s among them, were made with another build of "
             "their plugin: --redo trains them again, --keep takes them as "
             "they are, another --out leaves them alone",
             w->out, stale, example);
    return count;
}

/* The finished runs of the grid, in its order. */
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

/* Trains what is missing; returns the exit status, 1 where a run failed. */
int
run_missing(const Work *w, Grid *g)
{
    bool *wanted = allocate((size_t)g->count, sizeof *wanted);
    experiment_open(w->out, &g->asked);
    int missing = find_work(w, g, wanted);
    if (missing < g->count && !w->quiet)
        note("%d of %d runs are in %s already", g->count - missing, g->count,
             w->out);
    int failed = missing ? jobs_run(w, g, wanted) : 0;
    drafts_sweep(w->out);
    if (failed)
        note("%d of %d runs failed; the same command tries them again", failed,
             g->count);
    free(wanted);
    return failed > 0;
}

void
count_real(const Work *w, Experiment *e)
{
    const Run **counted = allocate((size_t)e->count, sizeof *counted);
    int count = 0;
    for (int i = 0; i < e->count; i++) {
        Run *r = &e->runs[i];
        bool asks = r->real < 0;
        if (asks && !count && !w->quiet && isatty(STDERR_FILENO))
            note("counting real parameters ...");
        if (asks)
            r->real = real_of_run(r);
        if (asks && !(r->real < 0))
            counted[count++] = r;
    }
    if (count)
        real_write(w->out, counted, count);
    free(counted);
}
