/* check.c - qkv check: the gate for a plugin.

   `qkv` checks what must hold in float and hands the rest to `qkv-double`, for
   a gradient can be held against differences only where rounding is small.
   Each check has a process of its own: a plugin that crashes fails one. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/real.h>

#include "base/fail.h"
#include "driver/cli/child.h"
#include "driver/cli/describe.h"
#include "driver/cli/options.h"
#include "driver/cli/print.h"
#include "driver/check/checks.h"
#include "driver/check/compile.h"
#include "driver/commands.h"

static const double seconds = 30, bytes = 1e9; /* that one check may take */

/* One line: name, verdict, and what was found, folded to 80 columns. */
static void
print_finding(const Options *o, const char *name, const Finding *f)
{
    static const char *const verdicts[] = {"ok", "FAILED", "-"};
    const char *text = f->what;
    if (wants_tsv(o->tsv)) {
        printf("%s\t%s\t%s\n", name, verdicts[f->verdict], text);
        return;
    }
    printf("%-10s %-7s", name, verdicts[f->verdict]);
    print_folded(stdout, 18, 19, 80, text);
}

typedef struct Trial {
    const Check *check;
    const char *plugin;
} Trial;

static void
run_check(const void *more, void *answer)
{
    const Trial *t = more;
    *(Finding *)answer = t->check->run(t->plugin);
}

/* What a crash most often is, where the plugin has an operator of its own. */
static const char hint[] =
    "; does its operator return at once where c->value is NULL, in the run "
    "that only wants the shapes?";

/* Runs those checks that this program's numbers can tell; the number that
   failed. A reason is given once; a plugin that hangs is not asked again. */
static int
run_checks(const Options *o, const char *plugin, bool own_operator, bool *hangs)
{
    int failed = 0;
    char last[sizeof((Finding *)0)->what] = "";
    for (int i = 0; i < check_count && !*hangs; i++) {
        Finding f = {.verdict = FAILED};
        if (checks[i].number != sizeof(real))
            continue;
        Trial t = {&checks[i], plugin};
        Ended e = in_child(run_check, &t, &f, sizeof f, limits(seconds, bytes));
        if (interrupted)
            exit(128 + interrupted);
        if (!e.answered)
            snprintf(f.what, sizeof f.what, "%.500s%s", e.why,
                     own_operator && e.signal == SIGSEGV ? hint : "");
        bool again = f.verdict == FAILED && !strcmp(f.what, last);
        snprintf(last, sizeof last, "%s", f.what);
        if (again)
            snprintf(f.what, sizeof f.what, "as above");
        print_finding(o, checks[i].name, &f);
        failed += f.verdict == FAILED;
        *hangs = e.late;
    }
    return failed;
}

/* Hands over to qkv-double beside this program; its exit status. */
static int
run_double(const Options *o, const char *plugin)
{
    Path program = within(executable_directory(), "qkv-double");
    char *argv[] = {program.text, "check", (char *)plugin,
                    wants_tsv(o->tsv) ? "--tsv" : NULL, NULL};
    return run_program(argv,
                       "it checks what needs doubles, and belongs beside qkv");
}

static bool
is_source(const char *word)
{
    size_t n = strlen(word);
    return n > 2 && !strcmp(word + n - 2, ".c");
}

/* Loads it as `list` would, in a child. */
static Facts
loaded(const Options *o, const char *plugin)
{
    Facts f = describe(plugin, NULL, false);
    Finding found = {.verdict = f.ok ? PASSED : FAILED};
    size_t n = strlen(plugin); /* which need not be what the user knows */
    if (!f.ok && f.status == 2)
        usage("%s", f.why);
    snprintf(found.what, sizeof found.what, "%.690s",
             f.ok                             ? f.equation
             : strncmp(f.why, plugin, n) == 0 ? f.why + n + 2
                                              : f.why);
    print_finding(o, "loads", &found);
    return f;
}

static int
check_in_float(const Options *o, const char *word)
{
    size_t n = strlen(word);
    if (strchr(word, '/') && !is_source(word) &&
        (n < 3 || strcmp(word + n - 3, ".so")))
        usage("%s: neither a .c nor a .so", word);
    char *single = NULL, *both = NULL;
    if (is_source(word)) {
        const char *slash = strrchr(word, '/');
        const char *file = slash ? slash + 1 : word;
        Path folder = compile_plugin(word);
        int stem = (int)strlen(file) - 2;
        single = format_text("%s/%.*s.so", folder.text, stem, file);
        both = format_text("%s/double/%.*s.so", folder.text, stem, file);
        plugin_given(single);
    }
    Facts f = loaded(o, single ? single : word);
    const char *plugin = single ? single : word;
    bool hangs = false;
    int failed = f.ok ? run_checks(o, plugin, f.own_operator, &hangs) : 1;
    bool bound = f.own_operator && !both && strchr(word, '/');
    if (bound) {
        Finding why = {UNTESTED, "all used, linear, adopt: not tested. It has "
                                 "an operator of its own, compiled for float: "
                                 "give its .c, and both are built"};
        print_finding(o, "gradients", &why);
        failed++;
    } else if (f.ok && !hangs)
        failed += run_double(o, both ? both : word);
    if (!o->quiet)
        note("%s: %s", word,
             bound    ? "not all of it could be tested"
             : failed ? "something is wrong"
                      : "nothing wrong was found");
    free(single);
    free(both);
    return failed > 0;
}

int
command_check(int argc, char **argv)
{
    Options o = options_read(argc, argv, CHECK);
    if (o.rest_count != 1)
        usage("check takes one plugin: its .c, its .so, or the name of a "
              "variant");
    bool hangs = false;
    plugin_given(o.rest[0]);
    notice_interrupts();
    int failed = sizeof(real) == 4 ? check_in_float(&o, o.rest[0])
                                   : run_checks(&o, o.rest[0], false, &hangs);
    options_free(&o);
    return failed > 0;
}
