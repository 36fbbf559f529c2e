/* check.c - qkv check: tests a plugin.

   `qkv` runs the checks that float can decide, and then `qkv-double` the
   others: gradients can be compared with differences only if rounding is small.
   Each check runs in its own process, so that a crash fails only one. */
#include <stdio.h>

#include <qkv/real.h>

#include "check/checks.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "page/table.h"
#include "run/plugin_process.h"

static const double most_bytes = 1e9; /* of memory, which a check may use */

/* The checks in the order in which they run. */
static const struct {
    const char *name;
    size_t real_size; /* sizeof(real) of its program: 4 is qkv, 8 qkv-double */
    Check *run;
} checks[] = {
    {"shapes", 4, check_shapes},
    {"same bits", 4, check_repeats},
    {"causality", 4, check_causality},
    {"x and y", 4, check_queries},
    {"batches", 4, check_batches},
    {"decoding", 4, check_decoding},
    {"all used", 8, check_use},
    {"gradients", 8, check_gradients},
    {"linear", 8, check_form},
    {"equation", 8, check_equation},
    {"fit", 8, check_fit},
};
enum { CHECKS = sizeof checks / sizeof *checks };

/* Prints a check's name, its verdict and what was found, in lines of at most 80
   columns. */
static void
print_line(const Options *o, const char *name, const char *verdict,
           const char *what)
{
    if (layout_of(o) == TSV) {
        printf("%s\t%s\t%s\n", name, verdict, what);
        return;
    }
    int column = printf("%-10s %-7s", name, verdict);
    print_wrapped(stdout, column, column + 1, 80, what);
}

/* What the process of a check is asked. */
typedef struct Trial {
    Check *check;
    const char *plugin;
    uint64_t hash; /* of the plugin, as the first check found it; 0: unknown */
} Trial;

/* The work of that process: its argument is a Trial, its answer a Found. */
static void
run_check(const void *argument, void *answer)
{
    const Trial *t = argument;
    Found *found = answer;
    found->hash = t->hash;
    check_everywhere(t->check, t->plugin, found);
}

/* Runs the checks of this program's precision; returns whether one failed. If
   one ended inside the plugin's code, sets *stop and runs no other, since they
   would fail for the same reason. */
static bool
run_checks(const Options *o, const char *plugin, bool *stop)
{
    bool failed = false;
    Trial t = {.plugin = plugin};
    *stop = false;
    for (int i = 0; i < CHECKS; i++) {
        Found out = {.at = ""};
        if (checks[i].real_size != sizeof(real))
            continue;
        t.check = checks[i].run;
        Ended e = in_child(run_check, &t, &out, sizeof out, most_bytes, true);
        const char *verdict = out.untested ? "-" : "ok", *what = out.what;
        if (!e.answered) {
            failed = true;
            verdict = "FAILED";
            what = format_text(*out.at ? "%s [%s]" : "%s", e.why, out.at);
        }
        print_line(o, checks[i].name, verdict, what);
        *stop = !e.answered && e.plugin;
        if (*stop)
            break;
        t.hash = out.hash;
    }
    return failed;
}

/* qkv runs its own checks and then, by calling it, those of qkv-double, which
   runs only its own. Exits if the plugin cannot be loaded. */
int
command_check(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const bool both = sizeof(real) == 4;
    char *in_double[] = {"check", o.rest[0], "--tsv"};
    int words = layout_of(&o) == TSV ? 3 : 2; /* of in_double */
    bool stop;
    const char *plugin = plugin_typed(o.rest[0]);
    if (both)
        print_line(&o, "loads", "ok", plugin_open(plugin).variant->equation);
    bool failed = run_checks(&o, plugin, &stop);
    if (both && !stop && run_in_double(words, in_double) != 0)
        failed = true;
    if (both && !o.quiet)
        note("%s: %s", o.rest[0],
             failed ? "a check failed; see its line" : "no check failed");
    return failed;
}
