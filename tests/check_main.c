/* check_main.c - runs every suite; once as float, once as double. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "run/run.h"
#include "suites.h"

char test_directory[] = "/tmp/qkv-tests-XXXXXX";

void
expect_a_message(void)
{
    if (!freopen("/dev/null", "w", stderr))
        abort();
}

int
main(void)
{
    if (!mkdtemp(test_directory))
        return EXIT_FAILURE;
    report->watched = true; /* each test is a process of its own */
    SRunner *r = srunner_create(matrix_suite());
    srunner_add_suite(r, real_suite());
    srunner_add_suite(r, numbers_suite());
    srunner_add_suite(r, tape_suite());
    srunner_add_suite(r, attend_suite());
    srunner_add_suite(r, variant_suite());
    srunner_add_suite(r, task_suite());
    srunner_add_suite(r, train_suite());
    srunner_add_suite(r, run_suite());
    srunner_add_suite(r, algebra_suite());
    srunner_add_suite(r, formula_suite());
    srunner_add_suite(r, report_suite());
    srunner_add_suite(r, progress_suite());
    srunner_add_suite(r, model_suite());
    srunner_add_suite(r, theorem_suite());
    srunner_add_suite(r, positions_suite());
    srunner_add_suite(r, generate_suite());
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    discard(test_directory);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
