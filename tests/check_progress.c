/* check_progress.c - what stands on a terminal while runs are at work, letter
   by letter. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "run/progress.h"
#include "suites.h"

static int master;

/* From here on stderr is a terminal of so many columns; of 0 it says nothing.
 */
static void
sit_at(unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
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

/* What is drawn of two plans, of three runs and of one. */
TEST(one_line)
{
    static const struct {
        unsigned short columns; /* 0: unknown, so 80 */
        int total, done;
        const char *name;
        int step, steps;
        double loss;
        const char *drawn;
    } lines[] = {
        {80, 3, 0, "recall.standard.seed1.0123abcd", 0, 1000, 0,
         "^M0 of 3 runs, step 0 of 1000, loss 0.000 of "
         "recall.standard.seed1.0123abcd^[[K"},
        {80, 3, 0, "recall.standard.lr0.01.seed1.0123abcd", 250, 1000, 1.25,
         "^M0 of 3 runs, step 250 of 1000, loss 1.250 of "
         "recall.standard.lr0.01.seed1.012^[[K"}, /* 77 columns */
        {80, 3, 1, NULL, 0, 0, 0, "^M1 of 3 runs, 1 failed^[[K"},
        {0, 1, 0, "a", 8, 8, 3,
         "^M0 of 1 runs, step 8 of 8, loss 3.000 of a^[[K"},
        {40, 1, 0, "recall.standard.seed1.0123abcd", 8, 8, 3,
         "^M0 of 1 runs, step 8 of 8, loss 3.000 ^[[K"},
    };
    open_terminal();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        LogRow row = {.step = lines[i].step, .loss = lines[i].loss};
        Progress p = {.total = lines[i].total,
                      .done = lines[i].done,
                      .failed = lines[i].done,
                      .name = lines[i].name,
                      .steps = lines[i].steps,
                      .last = &row};
        sit_at(lines[i].columns);
        progress_draw(&p);
        ck_assert_str_eq(written(), lines[i].drawn);
    }
    progress_clear();
    ck_assert_str_eq(written(), "^M^[[K");
    progress_clear(); /* nothing is there any more */
    ck_assert_str_eq(written(), "");
}

TEST(where_it_is_drawn)
{
    Work o = {.out = "none"}, quiet = {.quiet = true};
    open_terminal();
    ck_assert(progress_drawn(&o) && !progress_drawn(&quiet));
    setenv("TERM", "dumb", 1);
    ck_assert(!progress_drawn(&o));
}
