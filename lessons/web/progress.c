/* progress.c - what core/run/progress.c does, in a browser: there is
   no terminal to draw on, and the page draws the rows of a log as they come. */
#include <stdlib.h>

#include "base/words.h"
#include "heart/fail.h"
#include "base/files.h"
#include "run/run.h"
#include "run/progress.h"

/* Lines that will be in the file, of a run with so many steps, of so many
   runs: in library.js. */
void post_lines(const char *path, const char *lines, int steps, int runs);

void
progress_draw(const Progress *p)
{
    (void)p;
}

void
progress_clear(void)
{
}

bool
progress_drawn(const Work *w)
{
    (void)w;
    return false;
}

void
progress_row(const Work *w, const Progress *p, const Job *job,
             volatile LogRow *last, LogRow row)
{
    static bool begun; /* in this child */
    char *lines;
    FILE *to = begin_text(&lines);
    if (!begun)
        put_log_columns(to);
    fputs(begun ? "" : "\n", to);
    put_log_row(to, &row);
    end_text(to, &lines);
    post_lines(within(within(w->out, job->name).text, "log.tsv").text, lines,
               job->config.steps, p->total);
    free(lines);
    begun = true;
    *last = row;
}
