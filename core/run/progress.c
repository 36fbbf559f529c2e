/* progress.c - how far the runs are, on stderr. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "run/progress.h"
#include "heart/fail.h"

static bool drawn; /* the line is on the terminal */

bool
progress_drawn(const Work *w)
{
    const char *terminal = getenv("TERM");
    bool dumb = !terminal || !strcmp(terminal, "dumb");
    return isatty(STDERR_FILENO) && !dumb && !w->quiet;
}

static void
put_line(FILE *to, const Progress *p)
{
    enum { BAR = 10 };
    int full = (int)(BAR * fmin(p->share, 1));
    double spent = now() - p->start, left = spent / p->share - spent;
    fprintf(to, "[%.*s%.*s]", full, "##########", BAR - full, "..........");
    if (p->share > 0.02 && left < 3.6e6) /* else it is too early to tell */
        fprintf(to, "  %d:%02d:%02d left", (int)left / 3600,
                (int)left / 60 % 60, (int)left % 60);
    fprintf(to, "  %d of %d runs", p->done, p->total);
    if (p->failed)
        fprintf(to, "  %d failed", p->failed);
    if (p->name && p->last->step)
        fprintf(to, "  step %d/%d  loss %.3f", p->last->step, p->steps,
                p->last->loss);
    if (p->name)
        fprintf(to, "  %.*s", (int)(strrchr(p->name, '.') - p->name), p->name);
}

/* Cut three columns before the terminal's edge, so that the ^C which the
   terminal itself shows does not wrap. */
void
progress_draw(const Progress *p)
{
    enum { MARGIN = 3 };
    static double last;
    struct winsize size = {0};
    char *line;
    if (drawn && now() - last < 0.1)
        return;
    FILE *to = begin_text(&line);
    put_line(to, p);
    end_text(to, &line);
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col <= MARGIN)
        size.ws_col = 80;
    fprintf(stderr, "\r%.*s\033[K", size.ws_col - MARGIN, line);
    fflush(stderr);
    free(line);
    drawn = true;
    last = now();
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
