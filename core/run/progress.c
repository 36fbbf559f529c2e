/* progress.c - how far the runs are, on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "run/progress.h"

static bool drawn; /* the line is on the terminal */

bool
progress_drawn(const Work *w)
{
    const char *terminal = getenv("TERM");
    bool dumb = !terminal || !strcmp(terminal, "dumb");
    return isatty(STDERR_FILENO) && !dumb && !w->quiet;
}

/* Cut three columns before the terminal's edge, so that the ^C which the
   terminal itself shows does not wrap. */
void
progress_draw(const Progress *p)
{
    enum { MARGIN = 3 };
    struct winsize size = {0};
    char line[512], failed[32] = "", *end = line;
    if (p->failed)
        snprintf(failed, sizeof failed, ", %d failed", p->failed);
    end += snprintf(line, sizeof line, "%d of %d runs%s", p->done, p->total,
                    failed);
    if (p->name)
        snprintf(end, 400, ", step %d of %d, loss %.3f of %s", p->last->step,
                 p->steps, p->last->loss, p->name);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col <= MARGIN)
        size.ws_col = 80;
    fprintf(stderr, "\r%.*s\033[K", size.ws_col - MARGIN, line);
    fflush(stderr);
    drawn = true;
}

void
progress_clear(void)
{
    if (drawn)
        fputs("\r\033[K", stderr);
    drawn = false;
}

void
progress_row(const Work *w, const Progress *p, const Job *job,
             volatile LogRow *last, LogRow row)
{
    (void)w;
    (void)p;
    (void)job;
    *last = row;
}
