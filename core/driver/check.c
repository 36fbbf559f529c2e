/* check.c - qkv check: tests a plugin.

   `qkv` runs the checks that float can decide, and then calls `qkv-double` for
   the others: gradients can be compared with finite differences only if
   rounding is small. Each check runs in its own process, so that a crash fails
   only one. */
#include <stdio.h>

#include <qkv/real.h>

#include "check/checks.h"
#include "driver/options.h"
#include "page/table.h"
#include "run/plugin_process.h"

static const double memory_limit = 1e9; /* of a check, in bytes */

/* The checks in the order in which they run. A check runs only in the program
   whose `real` has its precision: float in qkv, double in qkv-double. */
enum { IN_FLOAT = sizeof(float), IN_DOUBLE = sizeof(double) };
static const struct {
    const char *name;
    size_t precision; /* sizeof(real) in the program that runs it */
    Check *run;
} checks[] = {
    {"shapes", IN_FLOAT, check_shapes},
    {"same bits", IN_FLOAT, check_repeats},
    {"causality", IN_FLOAT, check_causality},
    {"x and y", IN_FLOAT, check_queries},
    {"batches", IN_FLOAT, check_batches},
    {"decoding", IN_FLOAT, check_decoding},
    {"all used", IN_DOUBLE, check_use},
    {"gradients", IN_DOUBLE, check_gradients},
    {"linear", IN_DOUBLE, check_form},
    {"equation", IN_DOUBLE, check_equation},
    {"fit", IN_DOUBLE, check_fit},
};
enum { CHECKS = sizeof checks / sizeof *checks };

/* Prints the line of a check: its name, its verdict and the details. On a
   terminal, long details are wrapped, and stay in their column. */
static void
print_line(const Options *o, const char *name, const char *verdict,
           const char *details)
{
    if (layout_of(o) == TSV) {
        printf("%s\t%s\t%s\n", name, verdict, details);
        return;
    }
    int printed = printf("%-10s %-7s", name, verdict);
    print_wrapped(printed, printed + 1, details);
}

/* The argument of a check's process. The first check computes a hash of the
   plugin's outputs and gradients, and "same bits" must find the same hash. */
typedef struct Trial {
    Check *check;
    const char *plugin; /* a name or a path, as plugin_open takes it */
    uint64_t hash;      /* 0 until the first check has run */
} Trial;

/* The work of a check's process: the argument is a Trial, and the answer is a
   Found (check/subject.h), what the check found. */
static void
run_check(const void *argument, void *answer)
{
    const Trial *t = argument;
    Found *found = answer;
    found->hash = t->hash;
    check_everywhere(t->check, t->plugin, found);
}

/* Runs a check in its own process, prints its line, and returns how the process
   ended. Sets t->hash for the next check. If the check failed, the process
   ended early; in_child copies `found` even then, and found.at is the shape of
   the latest call in words, or "" if there was no call. */
static Ended
run_and_print(const Options *o, const char *name, Trial *t)
{
    Found found = {.at = ""};
    Ended e = in_child(run_check, t, &found, sizeof found, memory_limit,
                       DISCARD_OUTPUT);
    if (e.answered) /* the check passed, or had nothing to test */
        print_line(o, name, found.untested ? "-" : "ok", found.what);
    else if (*found.at)
        print_line(o, name, "FAILED", format_text("%s [%s]", e.why, found.at));
    else
        print_line(o, name, "FAILED", e.why);
    t->hash = found.hash;
    return e;
}

/* The result of several checks. PLUGIN_ENDED: the process of a check ended
   inside the plugin's code, as after a crash. */
typedef enum { NONE_FAILED, SOME_FAILED, PLUGIN_ENDED } Checked;

/* Runs the checks of this program's precision. If one ends inside the plugin's
   code, skips the rest, because they would probably end in the same way. */
static Checked
run_checks(const Options *o, const char *plugin)
{
    Checked result = NONE_FAILED;
    Trial t = {.plugin = plugin};
    for (int i = 0; i < CHECKS; i++) {
        if (checks[i].precision != sizeof(real))
            continue; /* the other program runs it */
        t.check = checks[i].run;
        Ended e = run_and_print(o, checks[i].name, &t);
        if (!e.answered && e.plugin)
            return PLUGIN_ENDED;
        if (!e.answered)
            result = SOME_FAILED;
    }
    return result;
}

/* In qkv, runs the checks in float and then, unless one ended inside the
   plugin's code, qkv-double; in qkv-double, runs the checks in double. Exits if
   the plugin cannot be loaded. */
int
command_check(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const bool is_qkv = sizeof(real) == sizeof(float);
    const char *plugin = plugin_typed(o.words[0]);
    if (is_qkv)
        print_line(&o, "loads", "ok", plugin_open(plugin).variant->equation);
    Checked result = run_checks(&o, plugin);
    bool failed = result != NONE_FAILED;
    if (is_qkv && result != PLUGIN_ENDED)
        failed |= run_in_double(argc, argv) != 0;
    if (is_qkv && !o.quiet)
        note("%s: %s", o.words[0],
             failed ? "a check failed; see its line" : "no check failed");
    return failed;
}
