/* progress.c - in a browser, sends each new row of a run's log to the page,
   which draws it. */
#include <stdlib.h>

#include "base/files.h"
#include "base/tsv.h"
#include "run/jobs.h"

/* Sends lines of the log at `path` to the page (library.js). The run has
   `steps` steps, and is one of `runs` runs. */
void post_lines(const char *path, const char *lines, int steps, int runs);

/* Sends a row and, before the first row of this child, the names of the
   columns. */
static void
post_row(const Work *w, const Job *job, int runs, LogRow row)
{
    enum { COLUMNS = 4, DIGITS = 7 }; /* after the step; digits of a number */
    static const char names[] =
        "step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy\n";
    static bool has_names; /* whether the page already has them */
    const double x[COLUMNS] = {row.loss, row.accuracy, row.validation_loss,
                               row.validation_accuracy};
    char *lines;
    FILE *to = begin_text(&lines);
    fprintf(to, "%s%d", has_names ? "" : names, row.step);
    for (int k = 0; k < COLUMNS; k++)
        fprintf(to, "\t%s", number_text(x[k], DIGITS));
    end_text(to, &lines);
    post_lines(within(within(w->out, job->name), "log.tsv"), lines,
               job->config.steps, runs);
    free(lines);
    has_names = true;
}

/* Runs before main. */
__attribute__((constructor)) static void
listen(void)
{
    row_logged = post_row;
}
