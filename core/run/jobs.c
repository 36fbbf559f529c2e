/* jobs.c - trains the runs of a grid that are not there yet, several at once,
   each in its own process.

   What a plugin breaks is its own run, and many processes use many cores. A
   worker keeps the last row of its log in the memory that it shares with the
   driver, which shows it on the terminal. It writes its run into the driver's
   draft, and the driver publishes: one wait for the disk serves all runs that
   have ended since the last one. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "algebra/convert.h"
#include "base/clock.h"
#include "config/schedule.h"
#include "heart/fail.h"
#include "heart/threads.h"
#include "run/jobs.h"
#include "run/plugin_process.h"
#include "run/progress.h"

/* All workers, and the work for them. */
typedef struct Crew {
    const Work *w;
    Grid *grid;
    int next; /* the first of its jobs that may still have to be begun */
    Child *workers;
    Job **at;     /* what each one trains */
    int most;     /* workers */
    Limits may;   /* each of them */
    Draft *draft; /* where they write */
    double due;   /* when what is complete there is to be published */
    Progress progress;
} Crew;

/* In a run's own process: opens its plugin and its data, and makes its model.
   Fails if training needs more memory than the limit. */
static Model *
prepare(Config c, Limits may, Dataset *data)
{
    Plugin p = plugin_open(c.variant);
    uint64_t plugin = c.plugin_hash, text = c.file_hash;
    config_cast(&c, &p);
    *data = dataset_open(&c);
    if (c.plugin_hash != plugin || c.file_hash != text)
        fail("its plugin or text has changed since this command began; the "
             "same command makes the runs of what is there now");
    Needs n = training_needs(data, p.variant);
    double needed = n.weights + n.batch + n.step + n.files;
    if (needed > may.bytes)
        fail("it needs %.0f MB, and may have %.0f: make the model, the batch, "
             "the sequences or the file smaller; --memory and --jobs limit it",
             needed / 1e6, may.bytes / 1e6);
    return model_new(&c, data->sizes, p.variant);
}

typedef struct Training {
    const Crew *crew;
    const Job *job;
    Observer observer;
    Solved solved;
    Finished end;
    double begun; /* when training began */
    volatile LogRow *last;
} Training;

static bool
watch_run(void *training, const Result *so_far)
{
    Training *t = training;
    solved_watch(&t->solved, so_far);
    if (!so_far->logged)
        return true;
    observe(&t->observer);
    progress_row(t->crew->w, &t->crew->progress, t->job, t->last,
                 so_far->rows[so_far->count - 1]);
    t->end.seconds = now() - t->begun;
    return !out_of_patience(so_far, t->job->config.patience);
}

/* Gives the model the weights that it begins with, if they are not random. */
static void
begin_weights(const Work *w, Model *m)
{
    Conversion v;
    if (w->from) {
        Run begun = run_read(w->from);
        run_weights(&begun, m);
    } else if (*likeness_of(m->config.same_start).as.variant &&
               !start_alike(m, &v))
        fail("it cannot start as --same-start asks: %s", v.why);
}

/* In the worker: one run, from its plugin to its directory. */
static void
work(const void *more, void *last)
{
    Training t = *(const Training *)more;
    const Work *w = t.crew->w;
    Dataset data;
    signal(SIGINT, SIG_IGN);    /* the driver ends its workers */
    close(t.crew->draft->lock); /* which is only the driver's */
    thread_count = w->threads;
    Model *m = prepare(t.job->config, t.crew->may, &data);
    begin_weights(w, m);
    t.last = last;
    t.solved.threshold = m->config.threshold;
    t.observer = observer_new(m, &data);
    t.begun = now();
    t.end.result = train(m, &data, watch_run, &t);
    t.end.solved_at = t.solved.at;
    run_write(t.crew->draft, t.job->name, m, &t.end, &t.observer, &data,
              !w->no_weights);
}

/* Gives the runs that are complete their places: once a second, since each
   time waits for the disk. */
static void
publish(Crew *crew)
{
    const Work *w = crew->w;
    crew->draft->on_disk = false;
    for (Job *j = crew->grid->jobs; j < crew->grid->jobs + crew->grid->count;
         j++) {
        if (!j->trained)
            continue;
        j->trained = false;
        run_publish(crew->draft, j->name, w->redo);
        crew->progress.done++;
        if (!w->quiet && !progress_drawn(w))
            fprintf(stderr, "%d/%d %s\n", crew->progress.done,
                    crew->progress.total, j->name);
    }
    crew->due = now() + 1;
}

/* Gives idle workers the next jobs; returns how many are busy. */
static int
hand_out(Crew *crew)
{
    const Grid *g = crew->grid;
    int busy = 0;
    for (int i = 0; i < crew->most; i++) {
        Child *w = &crew->workers[i];
        while (crew->next < g->count && g->jobs[crew->next].read)
            crew->next++;
        if (!w->process && crew->next < g->count) {
            crew->at[i] = &g->jobs[crew->next++];
            child_begin(w, work, &(Training){.crew = crew, .job = crew->at[i]},
                        sizeof(LogRow), crew->may, true);
        }
        busy += w->process != 0;
    }
    return busy;
}

/* A worker has ended; if it failed, says why. */
static void
finish(Crew *crew, Child *w)
{
    Job *job = crew->at[w - crew->workers];
    Ended e = child_end(w, NULL);
    job->trained = e.answered;
    if (e.answered || interrupted) /* which may have ended it */
        return;
    discard(within(crew->draft->path.text, job->name).text);
    crew->progress.done++;
    crew->progress.failed++;
    progress_clear();
    note("%s: %s", job->name, e.why);
}

/* Shows how far all runs are, and the first busy worker's. */
static void
look(Crew *crew)
{
    Progress *p = &crew->progress;
    p->name = NULL;
    for (int i = 0; i < crew->most && !p->name; i++)
        if (crew->workers[i].process) {
            p->last = (const void *)crew->workers[i].report->answer;
            p->name = crew->at[i]->name;
            p->steps = crew->at[i]->config.steps;
        }
    progress_draw(p);
}

/* Trains the jobs that are not read; returns how many failed. */
static int
train_all(const Work *w, Grid *g, int total)
{
    Crew crew = {.w = w, .grid = g, .progress.total = total};
    crew.most = w->jobs < total ? w->jobs : total;
    crew.may =
        (Limits){w->timeout ? w->timeout : INFINITY,
                 w->memory ? w->memory * 1e6 : memory_free() / crew.most};
    crew.workers = allocate((size_t)crew.most, sizeof *crew.workers);
    crew.at = allocate((size_t)crew.most, sizeof *crew.at);
    crew.draft = draft_begin(w->out, "runs");
    notice_interrupts();
    while (hand_out(&crew)) {
        if (now() >= crew.due)
            publish(&crew);
        if (progress_drawn(w))
            look(&crew);
        Child *ended = children_wait(crew.workers, crew.most);
        if (ended)
            finish(&crew, ended);
        for (int i = 0; interrupted && i < crew.most; i++)
            if (crew.workers[i].process) {
                kill(crew.workers[i].process, SIGKILL);
                crew.next = g->count;
            }
    }
    publish(&crew);
    draft_end(crew.draft);
    end_notice();
    progress_clear();
    if (interrupted) {
        note("stopped with %d of %d runs done; the same command goes on from "
             "there",
             crew.progress.done, total);
        raise_interrupt(interrupted);
    }
    free(crew.workers);
    free(crew.at);
    return crew.progress.failed;
}

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
    Experiment e = {.runs = allocate((size_t)g->count, sizeof *e.runs)};
    values_add(&e.asked, copy_text(g->asked));
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
    int missing = 0, failed = 0;
    experiment_open(w->out, g->asked);
    for (int i = 0; i < g->count; i++)
        missing += !read_job(w, &g->jobs[i]);
    if (missing < g->count && !w->quiet)
        note("%d of %d runs are in %s already", g->count - missing, g->count,
             w->out);
    if (missing)
        failed = train_all(w, g, missing);
    if (failed)
        note("%d of %d runs failed; the same command tries them again", failed,
             g->count);
    return failed > 0;
}
