/* check_report.c - what is said of several runs: means, intervals, groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/random.h"
#include "math/statistics.h"
#include "driver/sweep/jobs.h"
#include "driver/results/outcome.h"
#include "driver/figure/figure.h"
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

/* The table of Student 1908, "The probable error of a mean", section IX: hours
   of sleep that one drug gave ten patients over the other. */
START_TEST(paired_differences)
{
    const double one[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
    const double two[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    Paired p = paired_t(two, one, 10);
    ck_assert_double_eq_tol(p.difference, 1.58, 1e-12);
    ck_assert_double_eq_tol(p.p, 0.00283289, 1e-8);
    ck_assert_double_eq_tol(student_p(12.7062047362, 1), 0.05, 1e-10);
    ck_assert_double_eq_tol(student_p(-4.30265272991, 2), 0.05, 1e-10);
    ck_assert_double_eq_tol(student_p(2.77644510520, 4), 0.05, 1e-10);
    ck_assert_double_eq_tol(student_p(2.26215716280, 9), 0.05, 1e-10);
    ck_assert_double_eq_tol(student_p(2.00029782106, 60), 0.05, 1e-9);
    ck_assert(student_p(0, 7) == 1 && student_p(INFINITY, 7) >= 0);
    ck_assert(isnan(paired_t(one, two, 1).p));
    /* all differences alike: that many signs by chance, both ways */
    const double ones[] = {1, 1, 1, 1, 1, 1, 1}, halves[7] = {.5, .5};
    ck_assert(paired_t(ones, ones, 3).p == 1);
    ck_assert(paired_t(ones, halves, 2).p == .5);
    ck_assert(paired_t(ones, (double[7]){0}, 7).p == 1. / 64);
    ck_assert(isnan(paired_t(ones, (double[]){1, NAN, 1}, 3).p));
    /* alike but for rounding */
    ck_assert(paired_t((double[]){.1, .1, .1}, (double[3]){0}, 3).p == .25);
    ck_assert(paired_t((double[]){.3, .2}, (double[]){.2, .1}, 2).p == .5);
}
END_TEST

START_TEST(holm_adjusts)
{
    double p[] = {.01, .04, NAN, .03, .005, .9};
    const double wanted[] = {.04, .09, NAN, .09, .025, .9};
    holm(p, 6);
    for (int i = 0; i < 6; i++)
        ck_assert(isnan(wanted[i]) ? isnan(p[i])
                                   : fabs(p[i] - wanted[i]) < 1e-12);
}
END_TEST

/* Where there is no difference one is found in 5 of 100 comparisons, and over a
   table of 6 at least once in no more than 5 of 100 tables. */
START_TEST(false_alarms)
{
    enum { TIMES = 4000, MOST = 10, TABLE = 6 };
    const int seeds[] = {5, 10};
    Random r = random_stream(9, "alarms");
    int alarms = 0, tables = 0;
    for (int k = 0; k < TIMES; k++) {
        double p[TABLE], base[MOST], x[MOST], least = 1;
        for (int i = 0; i < MOST; i++)
            base[i] = random_normal(&r);
        for (int t = 0; t < TABLE; t++) {
            for (int i = 0; i < MOST; i++)
                x[i] = random_normal(&r);
            p[t] = paired_t(x, base, seeds[_i]).p;
        }
        alarms += p[0] < 0.05;
        holm(p, TABLE);
        for (int t = 0; t < TABLE; t++)
            least = fmin(least, p[t]);
        tables += least < 0.05;
    }
    ck_assert_msg(alarms > 0.04 * TIMES && alarms < 0.06 * TIMES, "%d", alarms);
    ck_assert_msg(tables > 0.02 * TIMES && tables < 0.06 * TIMES, "%d", tables);
}
END_TEST

/* Seeds that never got there (0) count as later than all that did. */
START_TEST(unsolved_seeds_are_censored)
{
    bool beyond;
    ck_assert(median_steps((double[]){120, 0, 100}, 3, 300, &beyond) == 120);
    ck_assert(!beyond);
    ck_assert(median_steps((double[]){0, 120, 0}, 3, 300, &beyond) == 300);
    ck_assert(beyond);
    ck_assert(median_steps((double[]){100, 110, 0, 0}, 4, 300, &beyond) == 205);
    ck_assert(beyond);
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
    Experiment e = {
        .runs = runs, .count = sizeof runs / sizeof *runs, .unrecorded = true};
    const char *const wanted[] = {
        "reverse.d-k2",         "reverse.d-k4",       "sort",
        "copy.weight-decay0",   "copy.weight-decay1", "text.file-hashabcdef",
        "text.file-hash123456",
    };
    int n;
    Group *g = groups_of(&e, "variant", NULL, &n);
    ck_assert_int_eq(n, 7);
    for (int i = 0; i < n; i++)
        ck_assert_str_eq(g[i].name, wanted[i]);
    /* full-rank, which has no d-k, is in both of reverse; standard leads */
    ck_assert_int_eq(g[0].count, 3);
    ck_assert_int_eq(g[1].count, 2);
    ck_assert_str_eq(g[1].series.text[0], "standard");
    ck_assert_str_eq(g[1].series.text[1], "full-rank");
    groups_free(g, n);
    e.count = 4;
    g = groups_of(&e, "d-k", NULL, &n);
    ck_assert_int_eq(n, 2); /* apart by variant */
    groups_free(g, n);
    config_apply(&runs[1].config, "plugin-hash=12");
    e.count = 2;
    g = groups_of(&e, "variant", NULL, &n);
    ck_assert_int_eq(n, 2); /* two builds of standard */
    groups_free(g, n);
    config_apply(&runs[1].config, "plugin-hash=0");
    config_apply(&runs[3].config, "plugin-hash=34");
    e.count = 4;
    g = groups_of(&e, "variant", "d-k", &n);
    ck_assert_int_eq(n, 1); /* along x */
    groups_free(g, n);
}
END_TEST

/* Settings that were asked for keep groups apart, and what follows from them
   does not; runs that differ in another one are not averaged. */
static Experiment
recorded(Run *runs, int count, const char *setting)
{
    static Asked asked;
    asked = asked_begin("compare");
    asked_add(&asked, setting, "1,2");
    for (int i = 0; i < count; i++)
        runs[i].path = runs[i].name = "somewhere";
    return (Experiment){
        .runs = runs, .count = count, .asked = &asked, .asked_count = 1};
}

START_TEST(groups_by_the_record)
{
    Run runs[] = {made("heads=1 d-k=32 d-v=32"), made("heads=2 d-k=16 d-v=16"),
                  made("heads=2 d-k=16 d-v=16 seed=2")};
    Experiment e = recorded(runs, 3, "heads");
    int n;
    Group *g = groups_of(&e, "variant", NULL, &n);
    ck_assert_int_eq(n, 2);
    ck_assert_str_eq(g[0].name, "reverse.heads1");
    ck_assert_str_eq(g[1].name, "reverse.heads2");
    ck_assert_int_eq(g[1].count, 2);
    char *name = group_name(&g[1], "heads");
    ck_assert_str_eq(name, "reverse");
    free(name);
    groups_free(g, n);
}
END_TEST

START_TEST(unlike_runs_are_not_averaged)
{
    expect_a_message();
    Run runs[] = {made("lr=1 seed=1"), made("lr=2 seed=2")};
    Experiment e = recorded(runs, 2, "heads");
    int n;
    groups_of(&e, "variant", NULL, &n);
}
END_TEST

/* Four matrices of 32 x 32, 16 tokens' scores and sums, an MLP, by hand. */
START_TEST(effort_of_runs)
{
    Config c = {.d_model = 32,
                .heads = 4,
                .d_k = 8,
                .d_v = 8,
                .mlp = 4,
                .layers = 1,
                .length = 16,
                .batch = 3,
                .steps = 100,
                .log_every = 1};
    double one = 16 * (4 * 1024 + 4 * 16 * 16 + 2 * 4 * 1024);
    ck_assert_double_eq(step_effort(&c), 3 * one);
    ck_assert_double_eq(effort(&c), 300 * one);
    c.layers = 2;
    c.encoder = 1;
    ck_assert_double_eq(effort(&c), 900 * one);
    c.layers = 1;
    c.encoder = 0;
    c.validate = 30; /* forward only: a third */
    c.test = 60;
    ck_assert_double_eq(effort(&c), (300 + 3060. / 3) * one);
    c.log_every = 50;
    ck_assert_double_eq(effort(&c), (300 + 120. / 3) * one);
}
END_TEST

START_TEST(order_of_series)
{
    ck_assert(series_before("standard", "fused"));
    ck_assert(!series_before("fused", "standard"));
    ck_assert(!series_before("standard", "standard"));
    ck_assert(!series_before("fused", "fused"));
    ck_assert(series_before("2", "10"));
    ck_assert(series_before("fused", "mqa"));
    ck_assert(natural_order("d-k2", "d-k16") < 0);
    ck_assert(natural_order("d-k16", "d-k2") > 0);
    ck_assert(natural_order("d-k16", "d-k16") == 0);
    ck_assert(natural_order("d-k16", "d-k16b") < 0);
    ck_assert(natural_order("lr10b2", "lr10a3") > 0);
    ck_assert(natural_order("b1", "a2") > 0);
    ck_assert(natural_order("lr0.003", "lr0.01") < 0);
    ck_assert(natural_order("lr0.0015", "lr0.003") < 0);
    ck_assert(natural_order("0.15", "0.9") < 0);
    ck_assert(natural_order("1.5.seed10", "1.5.seed9") > 0);
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
    tcase_add_test(c, paired_differences);
    tcase_add_test(c, holm_adjusts);
    tcase_add_loop_test(c, false_alarms, 0, 2);
    tcase_add_test(c, unsolved_seeds_are_censored);
    tcase_add_test(c, groups);
    tcase_add_test(c, groups_by_the_record);
    tcase_add_exit_test(c, unlike_runs_are_not_averaged, 1);
    tcase_add_test(c, effort_of_runs);
    tcase_add_test(c, order_of_series);
    suite_add_tcase(s, c);
    return s;
}
