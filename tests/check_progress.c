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

/* The end of a new pseudo-terminal that is written to, -1 where none can be
   had, as in some containers. */
static int
terminal(void)
{
    master = posix_openpt(O_RDWR | O_NOCTTY);
    return master < 0 || grantpt(master) || unlockpt(master)
               ? -1
               : open(ptsname(master), O_RDWR | O_NOCTTY);
}

static void
open_terminal(void)
{
    int slave = terminal();
    ck_assert(slave >= 0 && dup2(slave, STDERR_FILENO) >= 0);
    fcntl(master, F_SETFL, O_NONBLOCK);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
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

static Job
job_of(char *name, int steps)
{
    return (Job){.config = {.steps = steps}, .name = name};
}

static void
at_row(int slot, int step, double loss)
{
    progress_row(slot, (LogRow){.step = step, .loss = loss});
}

START_TEST(hours_left)
{
    Options o = {.out = "none"};
    Job a = job_of("reverse.mqa.seed1.89abcdef", 400);
    open_terminal();
    sit_at(80, 24);
    set_clock = 1000;
    progress_start(&o, 1, 1, 100);
    progress_begin(0, &a, 100);
    static const double after[] = {3599, 3600, 7200, 7320};
    static const char *const left[] = {" 59:59", "1:00:00", "2:00:00",
                                       "2:02:00"};
    for (int i = 0; i < 4; i++) {
        set_clock = 1000 + after[i];
        at_row(0, 200, 1);
        const char *text = written();
        ck_assert_msg(strstr(text, left[i]), "%s", text);
    }
    progress_clear();
}
END_TEST

START_TEST(two_runs_of_three)
{
    Options o = {.out = "none"};
    Job a = job_of("recall.standard.lr0.01.seed1.0123abcd", 1000);
    Job b = job_of("reverse.mqa.seed12.89abcdef", 400);
    open_terminal();
    sit_at(80, 24);
    set_clock = 1000;
    progress_start(&o, 2, 3, 600);
    progress_begin(0, &a, 400);
    ck_assert_str_eq(written(),
                     "^M^[[Jrecall.standard.lr0.01.seed1                       "
                     "     [^[[32m^[[0m..........] starting\n"
                     "0 of 3 runs                                          "
                     "[^[[32m^[[0m..........]            ");
    set_clock = 1001;
    progress_begin(1, &b, 100);
    ck_assert_str_eq(written(),
                     "^[[1A^M^[[Jrecall.standard.lr0.01.seed1                  "
                     "          [^[[32m^[[0m..........] starting\n"
                     "reverse.mqa.seed12                                      "
                     "[^[[32m^[[0m..........] starting\n"
                     "0 of 3 runs                                          "
                     "[^[[32m^[[0m..........]            ");
    set_clock = 1010;
    at_row(0, 250, 1.25);
    ck_assert_str_eq(
        written(),
        "^[[2A^M^[[Jrecall.standard.lr0.01.seed1  [^[[32m##^[[0m........] "
        "250/1000 loss 1.250    25/s   0:30\n"
        "reverse.mqa.seed12                                      "
        "[^[[32m^[[0m..........] starting\n"
        "0 of 3 runs                                          "
        "[^[[32m#^[[0m.........]   0:50 left");
    set_clock = 1010.05; /* too soon to draw again */
    at_row(1, 1, 2.5);
    ck_assert_str_eq(written(), "");
    set_clock = 1025; /* ten a second */
    at_row(0, 250, 1.25);
    ck_assert_ptr_nonnull(strstr(written(), "   10/s "));
    set_clock = 1100;
    at_row(1, 2, 12.3456);
    ck_assert_str_eq(
        written(),
        "^[[2A^M^[[Jrecall.standard.lr0.01.seed1  [^[[32m##^[[0m........] "
        "250/1000 loss 1.250   2.5/s   5:00\n"
        "reverse.mqa.seed12           [^[[32m^[[0m..........] 2/400 loss "
        "12.346 50 s/step 5:28:21\n"
        "0 of 3 runs                                          "
        "[^[[32m#^[[0m.........]   8:17 left");
    progress_done(0, false);
    set_clock = 4900;
    at_row(1, 400, 0);
    ck_assert_str_eq(
        written(),
        "^[[2A^M^[[Jreverse.mqa.seed12           [^[[32m##########^[[0m] "
        "400/400 loss 0.000 10 s/step   0:00\n"
        "1 of 3 runs                                 [^[[32m########^[[0m..] 1 "
        "failed  13:00 left");
    progress_clear();
    ck_assert_str_eq(written(), "^[[1A^M^[[J");
}
END_TEST

START_TEST(narrow_low_and_grey)
{
    Options o = {.out = "none"};
    Job a = job_of("recall.standard.lr0.01.seed1.0123abcd", 1000);
    Job b = job_of("reverse.mqa.seed12.89abcdef", 0);
    open_terminal();
    setenv("NO_COLOR", "1", 1);
    sit_at(60, 24);
    set_clock = 1000;
    progress_start(&o, 2, 2, 0);
    progress_begin(0, &a, 1);
    set_clock = 1002;
    at_row(0, 500, .5);
    ck_assert_str_eq(
        written(),
        "^M^[[Jrecall.standard.lr0.01.seed1        [..........] starting\n"
        "0 of 2 runs                      [..........]            "
        "^[[1A^M^[[Jre..seed1 [#####.....] 500/1000 loss 0.500   250/s   0:02\n"
        "0 of 2 runs                      [#####.....]   0:02 left");
    sit_at(40, 24); /* the lines of 57 letters have become two each */
    set_clock = 1003;
    at_row(0, 600, .25);
    ck_assert_str_eq(written(),
                     "^[[3A^M^[[J600/1000 loss 0.250   200/s   0:02\n"
                     "0 of 2 runs  [######....]   0:02 left");
    sit_at(70, 3); /* no room for more than one run */
    set_clock = 1004;
    progress_begin(1, &b, 1);
    ck_assert_str_eq(
        written(),
        "^[[1A^M^[[Jrecall.stand..seed1 [######....] 600/1000 loss 0.250   "
        "150/s   0:02\n"
        "0 of 2 runs                                [######....]   0:02 left");
}
END_TEST

/* A single run has no line for all; quiet ones and dumb terminals none. */
START_TEST(one_run_and_none)
{
    Options o = {.out = "none"}, quiet = {.out = "none", .quiet = true};
    Job a = job_of("recall.standard.seed1.0123abcd", 8);
    open_terminal();
    sit_at(0, 0); /* unknown: 80 by 24 */
    set_clock = 1000;
    progress_start(&o, 1, 1, 8);
    progress_begin(0, &a, 8);
    set_clock = 1000.5;
    at_row(0, 8, 3);
    ck_assert_str_eq(
        written(),
        "^M^[[Jrecall.standard.seed1                                   "
        "[^[[32m^[[0m..........] starting^M^[[Jrecall.standard.seed1           "
        "   [^[[32m##########^[[0m] 8/8 loss 3.000    16/s   0:00");
    progress_start(&quiet, 1, 1, 8);
    progress_begin(0, &a, 8);
    at_row(0, 8, 3);
    progress_clear();
    ck_assert_str_eq(written(), "");
    setenv("TERM", "dumb", 1);
    progress_start(&o, 1, 1, 8);
    progress_begin(0, &a, 8);
    at_row(0, 8, 3);
    ck_assert_str_eq(written(), "");
}
END_TEST

Suite *
progress_suite(void)
{
    Suite *s = suite_create("progress");
    TCase *c = tcase_create("progress");
    int slave = terminal();
    if (slave < 0) {
        puts("progress: skipped: there is no pseudo-terminal");
        return s;
    }
    close(slave);
    close(master);
    tcase_add_test(c, hours_left);
    tcase_add_test(c, two_runs_of_three);
    tcase_add_test(c, narrow_low_and_grey);
    tcase_add_test(c, one_run_and_none);
    suite_add_tcase(s, c);
    return s;
}
