/* check_progress.c - what stands on a terminal while runs are at work, letter
   by letter, at times that the test sets. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "driver/sweep/progress.h"
#include "suites.h"

/* The linker leads now() here (-Wl,--wrap). */
double __real_now(void);
static double set_clock; /* 0: the true one */

double
__wrap_now(void)
{
    return set_clock ? set_clock : __real_now();
}

static int master;

/* From here on stderr is a terminal of so many columns and rows. */
static void
sit_at(unsigned short columns, unsigned short rows)
{
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    ck_assert_int_eq(ioctl(master, TIOCSWINSZ, &size), 0);
}

/* stderr becomes a new pseudo-terminal; where none can be had, as in some
   containers, the test passes. */
static void
open_terminal(void)
{
    master = posix_openpt(O_RDWR | O_NOCTTY);
    int slave = master < 0 || grantpt(master) || unlockpt(master)
                    ? -1
                    : open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0)
        exit(EXIT_SUCCESS);
    ck_assert(dup2(slave, STDERR_FILENO) >= 0);
    fcntl(master, F_SETFL, O_NONBLOCK);
    setenv("TERM", "xterm", 1);
}

/* What was written since: "\n" for the terminal's "\r\n", "^M" where it only
   goes back to the line's begin, "^[" for escape. */
static const char *
written(void)
{
    static char text[8192];
    char raw[4096];
    size_t used = 0;
    fflush(stderr);
    for (ssize_t n; (n = read(master, raw, sizeof raw)) > 0;)
        for (ssize_t i = 0; i < n; i++) {
            bool ends = i + 1 < n && raw[i + 1] == '\n';
            if (raw[i] == '\033' || (raw[i] == '\r' && !ends))
                text[used++] = '^';
            if (raw[i] != '\r' || !ends)
                text[used++] = raw[i] == '\033' ? '['
                               : raw[i] == '\r' ? 'M'
                                                : raw[i];
        }
    text[used] = 0;
    return text;
}

TEST(one_line)
{
    LogRow row = {0};
    Progress p = {.total = 3,
                  .start = 1000,
                  .name = "recall.standard.lr0.01.seed1.0123abcd",
                  .steps = 1000,
                  .last = &row};
    open_terminal();
    sit_at(80, 24);
    set_clock = 1001;
    progress_draw(&p);
    ck_assert_str_eq(
        written(),
        "^M[..........]  0 of 3 runs  recall.standard.lr0.01.seed1^[[K");
    set_clock = 1010;
    row = (LogRow){.step = 250, .loss = 1.25};
    p.share = 0.25;
    progress_draw(&p);
    ck_assert_str_eq(written(),
                     "^M[##........]  0:30 left  0 of 3 runs  step 250/1000  "
                     "loss 1.250  recall.stand^[[K"); /* 77 columns */
    set_clock = 1010.05; /* too soon to draw again */
    progress_draw(&p);
    ck_assert_str_eq(written(), "");
    p.done = p.failed = 1;
    p.name = NULL;
    p.share = 0.5;
    static const double after[] = {3599, 3600, 7320};
    static const char *const left[] = {"59:59", "1:00:00", "2:02:00"};
    for (int i = 0; i < 3; i++) {
        char line[80];
        set_clock = 1000 + after[i];
        progress_draw(&p);
        snprintf(line, sizeof line,
                 "^M[#####.....]  %s left  1 of 3 runs  1 failed^[[K", left[i]);
        ck_assert_str_eq(written(), line);
    }
    progress_clear();
    ck_assert_str_eq(written(), "^M^[[K");
    progress_clear(); /* nothing is there any more */
    ck_assert_str_eq(written(), "");
}

TEST(one_run_and_narrow)
{
    LogRow row = {.step = 8, .loss = 3};
    Progress p = {.total = 1,
                  .start = 1000,
                  .share = 1,
                  .name = "recall.standard.seed1.0123abcd",
                  .steps = 8,
                  .last = &row};
    open_terminal();
    sit_at(0, 0); /* unknown: 80 columns */
    set_clock = 1001;
    progress_draw(&p);
    ck_assert_str_eq(written(),
                     "^M[##########]  0:00 left  step 8/8  loss 3.000  "
                     "recall.standard.seed1^[[K");
    sit_at(40, 24);
    set_clock = 1002;
    progress_draw(&p);
    ck_assert_str_eq(written(), "^M[##########]  0:00 left  step 8/8  lo^[[K");
}

TEST(where_it_is_drawn)
{
    Work o = {.out = "none"}, quiet = {.quiet = true};
    open_terminal();
    ck_assert(progress_drawn(&o) && !progress_drawn(&quiet));
    setenv("TERM", "dumb", 1);
    ck_assert(!progress_drawn(&o));
}
