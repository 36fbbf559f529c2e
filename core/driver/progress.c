/* progress.c - how far the runs are, on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "plugin.h"
#include "progress.h"
#include "run.h"
#include "timing.h"

static struct {
    int total;
    bool quiet, terminal, shown;
    double start, last;
} state;

void
progress_start(int total, bool quiet)
{
    state.total = total;
    state.quiet = quiet;
    state.terminal = isatty(STDERR_FILENO);
    state.start = now();
    state.last = 0;
    if (state.terminal && !quiet) {
        fprintf(stderr, "  0/%d  starting", total);
        state.shown = true;
    }
}

void
progress_clear(void)
{
    if (state.shown)
        fprintf(stderr, "\r\033[K");
    state.shown = false;
}

/* "0:41 left" of the time that the finished share of the work took. */
static void
time_left(double share, char text[32])
{
    double seconds = (now() - state.start) * (1 - share) / share;
    if (share < 0.02 || seconds > 360000)
        strcpy(text, "");
    else
        snprintf(text, 32, "%d:%02d left", (int)seconds / 60,
                 (int)seconds % 60);
}

void
progress_row(int done, const Job *job, LogRow row)
{
    char left[32], name[NAME_SIZE], line[160];
    const Config *c = &job->config;
    if (!state.terminal || state.quiet || now() - state.last < 0.1)
        return;
    state.last = now();
    double share =
        (done + (state.total == 1 ? (double)row.step / c->steps : 0.)) /
        state.total;
    time_left(share, left);
    plugin_name(c->variant, name);
    snprintf(line, sizeof line, "%3d/%d  %.12s %.20s seed %d  %d/%d  loss %.3f",
             done, state.total, c->task, name, c->seed, row.step, c->steps,
             row.loss);
    fprintf(stderr, "\r\033[K%.68s  %s", line, left);
    state.shown = true;
}

void
progress_done(int done, const Options *o, const Job *job)
{
    if (state.quiet || state.terminal)
        return;
    char *path = format_text("%s/%s", o->out, job->name);
    Run r = run_read(path);
    fprintf(stderr, "%d/%d %s: test accuracy %.3f, loss %.3f\n", done,
            state.total, job->name, run_number(&r, "test_accuracy"),
            run_number(&r, "test_loss"));
    run_free(&r);
    free(path);
}
