/* check_main.c - runs every suite; once as float, once as double. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "run/run.h"
#include "suites.h"

char test_directory[] = "/tmp/qkv-tests-XXXXXX";

void
expect_a_message(void)
{
    if (!freopen("/dev/null", "w", stderr))
        abort();
}

static SRunner *runner;

/* The suite of check_NAME.c is NAME; a file's tests come one after the other.
 */
void
join_suite(const char *file, const TTest *test, Expected expected)
{
    static const char *last;
    static TCase *brief, *lengthy;
    static char names[64][32];
    static int suites;
    if (!last || strcmp(file, last)) {
        const char *from = strstr(file, "check_") + strlen("check_");
        char *name = names[suites++]; /* the suite keeps no copy of it */
        snprintf(name, sizeof *names, "%.*s", (int)strcspn(from, "."), from);
        Suite *suite = suite_create(name);
        suite_add_tcase(suite, brief = tcase_create("brief"));
        suite_add_tcase(suite, lengthy = tcase_create("long"));
        tcase_set_tags(lengthy, "long"); /* what an emulator may leave out */
        setenv("CK_DEFAULT_TIMEOUT", "120", 0);
        if (runner)
            srunner_add_suite(runner, suite);
        else
            runner = srunner_create(suite);
    }
    last = file;
    _tcase_add_test(expected.is_long ? lengthy : brief, test, expected.signal,
                    expected.status, 0, expected.times);
}

int
main(void)
{
    if (!mkdtemp(test_directory))
        return EXIT_FAILURE;
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    discard(test_directory);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
