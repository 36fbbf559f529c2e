/* progress.c - in a browser, the page draws the rows of a log as they come. */
#include <stdlib.h>

#include "base/files.h"
#include "base/tsv.h"
#include "run/jobs.h"

/* Lines that will be in the file, of a run with so many steps, of so many
   runs: in library.js. */
void post_lines(const char *path, const char *lines, int steps, int runs);

static void
post_row(const Work *w, const Job *job, int runs, LogRow row)
{
    static const char names[] =
        "step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy\n";
    static bool begun; /* in this child */
    const double x[] = {row.loss, row.accuracy, row.validation_loss,
                        row.validation_accuracy};
    char *lines;
    FILE *to = begin_text(&lines);
    fprintf(to, "%s%d", begun ? "" : names, row.step);
    for (int k = 0; k < 4; k++)
        fprintf(to, "\t%s", number_text(x[k], 7));
    end_text(to, &lines);
    post_lines(within(within(w->out, job->name), "log.tsv"), lines,
               job->config.steps, runs);
    free(lines);
    begun = true;
}

/* Before main. */
__attribute__((constructor)) static void
listen(void)
{
    row_logged = post_row;
}
