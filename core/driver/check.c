/* check.c - qkv check: the gate for a plugin.

   `qkv` runs the checks that float can decide and leaves the others to
   `qkv-double`: gradients can be compared with differences only if rounding is
   small. Each check runs in its own process, so that a crash fails one check.
 */
#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <qkv/real.h>

#include "check/checks.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "page/table.h"
#include "run/compile.h"
#include "run/describe.h"
#include "run/plugin_process.h"

static const double seconds = 30, bytes = 1e9; /* for one check */

/* In the order in which they run; `number` is the size of the numbers of the
   program that runs them. */
static const struct {
    const char *name;
    size_t number;
    Check *run;
} checks[] = {
    {"shapes", 4, check_shapes},       {"same bits", 4, check_repeats},
    {"causality", 4, check_causality}, {"x and y", 4, check_queries},
    {"batches", 4, check_batches},     {"decoding", 4, check_decoding},
    {"all used", 8, check_use},        {"gradients", 8, check_gradients},
    {"linear", 8, check_form},         {"fit", 8, check_fit},
};
enum { CHECKS = sizeof checks / sizeof *checks };

/* One line: name, verdict, and what was found, folded to 80 columns. */
static void
print_line(const Options *o, const char *name, const char *verdict,
           const char *what)
{
    if (layout_of(o) == TSV) {
        printf("%s\t%s\t%s\n", name, verdict, what);
        return;
    }
    printf("%-10s %-7s", name, verdict);
    print_wrapped(stdout, 18, 19, 80, what);
}

typedef struct Trial {
    Check *check;
    const char *plugin;
    uint64_t hash; /* found by the first check */
} Trial;

/* A check, and whether what the program shares with the plugin is afterwards
   as it was before the plugin was loaded. The mask is put back, since in a
   browser a check is no process of its own. */
static void
run_check(const void *more, void *answer)
{
    const Trial *t = more;
    Found *found = answer;
    locale_t locale = uselocale(NULL);
    mode_t mask = umask(0);
    found->hash = t->hash;
    Subject s = subject_open(t->plugin, found);
    t->check(&s);
    const char *what =
        strcmp(setlocale(LC_ALL, NULL), "C") || uselocale(NULL) != locale
            ? "the locale (setlocale), in which numbers are written"
        : fegetround() != FE_TONEAREST ? "the rounding mode (fesetround)"
        : umask(mask)                  ? "the umask of the files of a run"
                                       : NULL;
    if (what)
        bug("it changes %s: leave that to the program", what);
}

/* Runs this program's checks; returns whether one failed. If one crashed, or
   ended by `bug`, no other is run: they would fail for the same reason. */
static bool
run_checks(const Options *o, const char *plugin, bool *stop)
{
    bool failed = false;
    Trial t = {.plugin = plugin};
    for (int i = 0; i < CHECKS && !*stop; i++) {
        Found out = {.at = ""};
        if (checks[i].number != sizeof(real))
            continue;
        t.check = checks[i].run;
        Ended e =
            in_child(run_check, &t, &out, sizeof out, (Limits){seconds, bytes});
        raise_interrupt(interrupted);
        char *what = format_text(*out.at ? "%s [%s]" : "%s", e.why, out.at);
        print_line(o, checks[i].name,
                   !e.answered    ? "FAILED"
                   : out.untested ? "-"
                                  : "ok",
                   e.answered ? out.what : what);
        free(what);
        failed |= !e.answered;
        *stop = !e.answered && (e.signal || e.words != e.why);
        t.hash = out.hash;
    }
    return failed;
}

/* Loads the plugin as `list` would, in a child, and runs the checks of both
   programs; returns whether one failed. */
static bool
check_in_both(const Options *o, const char *single)
{
    char *in_double[] = {"check", o->rest[0], "--tsv"};
    bool stop = false;
    Facts f = describe(single, NULL, DECLARED);
    if (!f.ok && f.status == 2)
        usage("%s", f.why);
    print_line(o, "loads", f.ok ? "ok" : "FAILED", f.ok ? f.equation : f.why);
    bool failed = !f.ok || run_checks(o, single, &stop);
    if (f.ok && !stop)
        failed |= run_in_double(layout_of(o) == TSV ? 3 : 2, in_double) != 0;
    return failed;
}

int
command_check(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    bool stop = false, failed;
    notice_interrupts();
    const char *word = o.rest[0], *plugin = plugin_built(word);
    plugin_given(plugin);
    if (sizeof(real) == 4) {
        failed = check_in_both(&o, plugin);
        if (!o.quiet)
            note("%s: %s", word,
                 failed ? "something is wrong" : "nothing wrong was found");
    } else
        failed = run_checks(&o, plugin, &stop);
    request_free(&o.request);
    return failed;
}
