/* check_report.c - what is said of several runs: means, intervals, groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "figure.h"
#include "random.h"
#include "results.h"
#include "statistics.h"
#include "suites.h"

/* The share of samples whose interval holds the true mean. A percentile
   bootstrap of 20 draws covers about 93%; one of 50% would cover half. */
START_TEST(intervals_cover)
{
    enum { SAMPLES = 600, N = 20 };
    Random r = random_stream(4, "coverage");
    int covered = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double x[N];
        for (int i = 0; i < N; i++)
            x[i] = 3 + random_normal(&r);
        Mean m = bootstrap(x, N);
        ck_assert(m.low <= m.mean && m.mean <= m.high);
        covered += m.low <= 3 && 3 <= m.high;
    }
    ck_assert_msg(covered > 0.90 * SAMPLES && covered < 0.97 * SAMPLES,
                  "%d of %d", covered, SAMPLES);
}
END_TEST

START_TEST(means_of_few)
{
    Mean one = bootstrap((double[]){2.5}, 1), none = bootstrap(NULL, 0);
    Mean same = bootstrap((double[]){1, 1, 1}, 3);
    Mean hole = bootstrap((double[]){1, NAN, 1}, 3);
    ck_assert(one.mean == 2.5 && one.low == 2.5 && one.high == 2.5);
    ck_assert(same.low == 1 && same.high == 1);
    ck_assert(isnan(none.mean) && isnan(hole.mean));
    ck_assert(median((double[]){3, 1, 2}, 3) == 2);
    ck_assert(median((double[]){4, 1, 2, 3}, 4) == 2.5);
    ck_assert(isinf(median((double[]){INFINITY, 1, INFINITY}, 3)));
}
END_TEST

/* Seeds that never got there (0) count as later than all that did. */
START_TEST(unsolved_seeds_are_censored)
{
    char text[32];
    steps_text((double[]){120, 0, 100}, 3, 300, text);
    ck_assert_str_eq(text, "120");
    steps_text((double[]){0, 120, 0}, 3, 300, text);
    ck_assert_str_eq(text, ">300");
    steps_text((double[]){100, 110, 0, 0}, 4, 300, text);
    ck_assert_str_eq(text, ">300");
}
END_TEST

static Run
made(const char *settings_text)
{
    Run r = {.config = config_start()};
    config_apply(&r.config, settings_text);
    return r;
}

/* Only runs that differ in nothing but the seed share a group and a series. */
START_TEST(groups)
{
    Run runs[] = {
        made("variant=standard d-k=2 lr=0.1 seed=1"),
        made("variant=standard d-k=2 lr=0.1 seed=2"),
        made("variant=standard d-k=4 lr=0.1 seed=1"),
        made("variant=full-rank d-k=0 lr=0.1 seed=1"),
        made("variant=standard d-k=2 lr=0.1 seed=1 task=sort"),
        made("variant=standard d-k=2 lr=0.1 seed=1 weight-decay=0 task=copy"),
        made("variant=standard d-k=2 lr=0.1 seed=1 weight-decay=1 task=copy"),
        made("variant=fused d-k=2 lr=0.1 seed=1 task=text "
             "file-hash=abcdef0000000000"),
        made("variant=fused d-k=2 lr=0.1 seed=1 task=text "
             "file-hash=1234560000000000"),
    };
    const int count = sizeof runs / sizeof *runs;
    const char *const wanted[] = {
        "reverse.d-k2",         "reverse.d-k4",       "sort",
        "copy.weight-decay0",   "copy.weight-decay1", "text.file-hashabcdef",
        "text.file-hash123456",
    };
    int n;
    Group *g = groups_of(runs, count, "variant", NULL, &n);
    ck_assert_int_eq(n, 7);
    for (int i = 0; i < n; i++)
        ck_assert_str_eq(g[i].name, wanted[i]);
    /* full-rank, which has no d-k, is in both of reverse; standard leads */
    ck_assert_int_eq(g[0].count, 3);
    ck_assert_int_eq(g[1].count, 2);
    ck_assert_str_eq(g[1].series.text[0], "standard");
    ck_assert_str_eq(g[1].series.text[1], "full-rank");
    groups_free(g, n);
    g = groups_of(runs, 4, "d-k", NULL, &n);
    ck_assert_int_eq(n, 2); /* apart by variant */
    groups_free(g, n);
    config_apply(&runs[1].config, "plugin-hash=12");
    g = groups_of(runs, 2, "variant", NULL, &n);
    ck_assert_int_eq(n, 2); /* two builds of standard */
    groups_free(g, n);
    config_apply(&runs[1].config, "plugin-hash=0");
    config_apply(&runs[3].config, "plugin-hash=34");
    g = groups_of(runs, 4, "variant", "d-k", &n);
    ck_assert_int_eq(n, 1); /* along x */
    groups_free(g, n);
}
END_TEST

START_TEST(order_of_series)
{
    ck_assert(series_before("standard", "fused"));
    ck_assert(!series_before("fused", "standard"));
    ck_assert(!series_before("standard", "standard"));
    ck_assert(series_before("2", "10"));
    ck_assert(series_before("fused", "mqa"));
}
END_TEST

Suite *
report_suite(void)
{
    Suite *s = suite_create("report");
    TCase *c = tcase_create("report");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, intervals_cover);
    tcase_add_test(c, means_of_few);
    tcase_add_test(c, unsolved_seeds_are_censored);
    tcase_add_test(c, groups);
    tcase_add_test(c, order_of_series);
    suite_add_tcase(s, c);
    return s;
}
