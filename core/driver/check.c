/* check.c - qkv check: the gate for a plugin.

   `qkv` runs the checks that float can decide and leaves the others to
   `qkv-double`: gradients can be compared with differences only if rounding is
   small. Each check runs in its own process, so that a crash fails one check.
 */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "check/checks.h"
#include "run/compile.h"
#include "run/describe.h"
#include "driver/options.h"
#include "run/plugin_process.h"
#include "study/table.h"
#include "driver/commands.h"
#include "heart/fail.h"

static const double seconds = 30, bytes = 1e9; /* for one check */

/* In the order in which they run; `number` is the size of the numbers of the
   program that runs them. */
static const struct {
    const char *name;
    size_t number;
    Check *run;
} checks[] = {
    {"shapes", 4, check_shapes},
    {"finite", 4, check_finite},
    {"same bits", 4, check_repeats},
    {"causality", 4, check_causality},
    {"x and y", 4, check_queries},
    {"batches", 4, check_batches},
    {"decoding", 4, check_decoding},
    {"all used", 8, check_use},
    {"gradients", 8, check_gradients},
    {"linear", 8, check_form},
    {"fit", 8, check_fit},
};
enum { CHECKS = sizeof checks / sizeof *checks };

/* One line: name, verdict, and what was found, folded to 80 columns. */
static void
print_finding(const Options *o, const char *name, const Finding *f)
{
    static const char *const verdicts[] = {"ok", "FAILED", "-"};
    if (layout_of(o) == TSV) {
        printf("%s\t%s\t%s\n", name, verdicts[f->verdict], f->what);
        return;
    }
    printf("%-10s %-7s", name, verdicts[f->verdict]);
    print_wrapped(stdout, 18, 19, 80, f->what);
}

typedef struct Trial {
    Check *check;
    const char *plugin;
} Trial;

typedef struct Tried {
    Finding found;
    char at[AT_SIZE]; /* the shape and the tokens tried last */
} Tried;

static bool
apart(void (*work)(const void *more, void *answer), const void *more,
      void *answer, size_t size)
{
    Limits all = limits(INFINITY, INFINITY);
    return in_child(work, more, answer, size, all).answered;
}

/* A check, and whether what the program shares with the plugin is afterwards
   as it was before the plugin was loaded. What is printed waits in a pipe; in a
   browser, which has none to a standard stream, it is not seen. All is put
   back, since there a check is no process of its own. */
static void
run_check(const void *more, void *answer)
{
    const Trial *t = more;
    Tried *o = answer;
    int ends[2] = {-1, -1}, printed = 0;
    fflush(stdout);
    int out = dup(STDOUT_FILENO);
    locale_t locale = uselocale(NULL);
    mode_t mask = umask(0);
    if (pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK) ||
        dup2(ends[1], STDOUT_FILENO) < 0)
        dup2(out, STDOUT_FILENO);
    Subject s = subject_open(t->plugin, o->at);
    s.apart = apart;
    o->found = t->check(&s);
    fflush(stdout);
    clearerr(stdout); /* the pipe may be full */
    ioctl(ends[0], FIONREAD, &printed);
    dup2(out, STDOUT_FILENO);
    close(out);
    close(ends[0]);
    close(ends[1]);
    const char *what =
        strcmp(setlocale(LC_ALL, NULL), "C") || uselocale(NULL) != locale
            ? "changes the locale (setlocale), in which numbers are written"
        : fegetround() != FE_TONEAREST
            ? "changes the rounding mode (fesetround)"
        : umask(mask) ? "changes the umask of the files of a run"
        : printed     ? "prints to stdout, where the program's tables go"
                      : NULL;
    if (what)
        fail("it %s: leave that to the program", what);
}

/* The usual cause of a crash in a plugin with its own operator. */
static const char hint[] =
    "; does its operator return at once where c->value is NULL, in the run "
    "that only wants the shapes?";

/* Runs this program's checks; returns how many failed. After one that did not
   come to its end, and where a call is not the same twice, no other is run:
   they would fail for that reason. */
static int
run_checks(const Options *o, const char *plugin, bool own_operator, bool *stop)
{
    int failed = 0;
    for (int i = 0; i < CHECKS && !*stop; i++) {
        Tried out = {.at = ""};
        Trial t = {checks[i].run, plugin};
        if (checks[i].number != sizeof(real))
            continue;
        Ended e =
            in_child(run_check, &t, &out, sizeof out, limits(seconds, bytes));
        raise_interrupt(interrupted);
        Finding f = out.found;
        if (!e.answered)
            f = finding(FAILED, "%.500s%s", e.why,
                        own_operator && e.signal == SIGSEGV ? hint : "");
        if (f.verdict == FAILED && *out.at)
            f = finding(FAILED, "%.500s [%s]", copy_text(f.what), out.at);
        print_finding(o, checks[i].name, &f);
        failed += f.verdict == FAILED;
        *stop = !e.answered ||
                (f.verdict == FAILED && checks[i].run == check_repeats);
    }
    return failed;
}

/* Runs qkv-double, which is beside this program; returns its exit status. */
static int
run_double(const Options *o, const char *plugin)
{
    char *argv[] = {"check", (char *)plugin, "--tsv"};
    return run_in_double(layout_of(o) == TSV ? 3 : 2, argv,
                         "it runs the checks that need doubles");
}

/* Loads it as `list` would, in a child. */
static Facts
loaded(const Options *o, const char *plugin)
{
    Facts f = describe(plugin, NULL, DECLARED);
    size_t n = strlen(plugin); /* which the user may not have typed */
    if (!f.ok && f.status == 2)
        usage("%s", f.why);
    const char *why = strncmp(f.why, plugin, n) ? f.why : f.why + n + 2;
    Finding found =
        finding(f.ok ? PASSED : FAILED, "%.690s", f.ok ? f.equation : why);
    print_finding(o, "loads", &found);
    return f;
}

static bool
ends_in(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);
    return n > m && !strcmp(word + n - m, end);
}

static bool
check_in_float(const Options *o, const char *word, const char *single,
               const char *both)
{
    bool stop = false;
    Facts f = loaded(o, single);
    if (f.own_operator && strchr(word, '/') && single == word)
        usage("%s: its own operator is compiled for float, and gradients are "
              "checked in double: give its .c, and both are built",
              word);
    bool failed = !f.ok || run_checks(o, single, f.own_operator, &stop);
    if (f.ok && !stop)
        failed |= run_double(o, both) != 0;
    if (!o->quiet)
        note("%s: %s", word,
             stop     ? "something is wrong; what is left was not checked"
             : failed ? "something is wrong"
                      : "nothing wrong was found");
    return failed;
}

int
command_check(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    bool stop = false;
    const char *word = o.rest[0], *single = word, *both = word;
    plugin_given(word);
    notice_interrupts();
    if (ends_in(word, ".c"))
        compile_plugin(word, &single, &both);
    else if (strchr(word, '/') && !ends_in(word, ".so"))
        usage("%s: neither a .c nor a .so", word);
    bool failed = sizeof(real) == 4 ? check_in_float(&o, word, single, both)
                                    : run_checks(&o, both, false, &stop);
    request_free(&o.request);
    return failed;
}
