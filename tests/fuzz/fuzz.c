/* fuzz.c - what libFuzzer throws at three readers: matrices (npy), command
   lines (options) and whole experiments (experiment); -DTARGET=npy chooses one.

   A canary sits on the calls by which a stranger's bytes could do harm:
   whatever executes a command, opens a plugin that is not the user's or changes
   a file outside `out` ends the program as a crash. Readers end the program
   themselves if they do not like what they read. Here exit comes back instead;
   files are closed, but no memory is freed, so a fuzzer runs for a minute and
   then another one does. The linker leads those calls of ours to the functions
   below (-Wl,--wrap). */
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "heart/fail.h"
#include "base/files.h"
#include "base/npy.h"
#include "run/run.h"
#include "driver/cli/grammar.h"
#include "driver/cli/options.h"
#include "driver/cli/process.h"
#include "driver/commands.h"

static jmp_buf back;
static int active; /* in a target: libFuzzer makes the same calls */

/* --- the canary */
static char here[256]; /* the folder in which all of it happens */

static _Noreturn void
trip(const char *what, const char *path)
{
    active = 0;
    int file = open("canary", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dprintf(file, "%s %s\n", what, path);
    abort();
}

static void
check_place(const char *path)
{
    char above[4096], real[4096], inside[300];
    if (!active)
        return;
    snprintf(above, sizeof above, "%s", path);
    char *slash = strrchr(above, '/');
    if (slash)
        *slash = 0;
    snprintf(inside, sizeof inside, "%s/out", here);
    if (realpath(slash ? above : ".", real) && /* or it cannot be changed */
        strncmp(real, inside, strlen(inside)) != 0 &&
        (strcmp(real, here) != 0 || strcmp(path, "out") != 0))
        trip("changes", path);
}

/* Calls that change what has a name, and are then made. */
#define PLACED(type, name, arguments, ...) \
    type __real_##name arguments;          \
    type __wrap_##name arguments           \
    {                                      \
        check_place(path);                 \
        return __real_##name(__VA_ARGS__); \
    }
/* clang-format off */
PLACED(int, mkdir, (const char *path, mode_t mode), path, mode)
PLACED(char *, mkdtemp, (char *path), path)
PLACED(int, unlink, (const char *path), path)
PLACED(int, rmdir, (const char *path), path)
PLACED(int, rename, (const char *from, const char *path), from, path)
PLACED(int, renameat2, (int at, const char *from, int to, const char *path, unsigned how), at, from, to, path, how)
/* clang-format on */

/* Calls that execute something: none is made. gnuplot and pandoc, which are
   said not to be there, may be called with the program's own words and a plain
   name. */
int
__wrap_run_program(char *argv[], const char *directory, const char *hint)
{
    (void)directory, (void)hint;
    bool draws = !strcmp(argv[0], "gnuplot") && !strcmp(argv[1], "-d") &&
                 !strncmp(argv[3], "term='", 6) && argv[4][0] != '-' &&
                 !strchr(argv[4], '/');
    bool converts = !strcmp(argv[0], "pandoc") &&
                    !strcmp(argv[7], "report.md") &&
                    !strcmp(argv[8], "--sandbox");
    if (!draws && !converts)
        trip("executes", argv[0]);
    return NOT_RUN;
}

/* A line of a recipe, which only plots, and only into `out`. */
int
__wrap_execv(const char *path, char *const argv[])
{
    if (strcmp(argv[1], "plot") != 0)
        trip("executes", path);
    for (int i = 2; argv[i]; i++) {
        const char *value = strchr(argv[i], '=');
        if (!strncmp(argv[i], "--ou", 4) || !strcmp(argv[i], "-o"))
            check_place(within(value ? value + 1 : argv[i + 1], "x").text);
    }
    exit(0);
}

void *__real_dlopen(const char *path, int how);
void *
__wrap_dlopen(const char *path, int how)
{
    const char *mine = getenv("QKV_PATH");
    if (strncmp(path, mine, strlen(mine)) != 0)
        trip("opens", path);
    return __real_dlopen(path, how);
}

FILE *__real_fopen(const char *, const char *);
FILE *
__wrap_fopen(const char *path, const char *mode)
{
    if (*mode != 'r')
        check_place(path);
    return __real_fopen(path, mode);
}

/* --- what ends and begins */
_Noreturn void __real_exit(int);

_Noreturn void
__wrap_exit(int status)
{
    if (!active)
        __real_exit(status);
    longjmp(back, 1);
}

_Noreturn void
__wrap__exit(int status)
{
    __wrap_exit(status);
}

/* A process is begun: this one goes on as its parent, or as the child. */
static int as_child;

pid_t
__wrap_fork(void)
{
    return as_child ? 0 : 1;
}

pid_t
__wrap_waitpid(pid_t process, int *status, int options)
{
    (void)options;
    if (status)
        *status = 0;
    return process;
}

/* --- the targets, each in two steps: what the first leaves, the second reads
 */
static void
write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = __real_fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        trip("cannot write", path);
}

typedef struct Step {
    const uint8_t *data;
    size_t size;
    int number;
} Step;

static void
npy(const Step *s)
{
    real values[4 * 3];
    if (s->number == 0)
        write_file("x.npy", s->data, s->size);
    else
        npy_read("x.npy", values, 4, 3);
}

/* Words with zeros between; the first byte is the command. */
static void
options(const Step *s)
{
    static char words[4096], *argv[66];
    int argc = 0, command = s->size > 0 ? s->data[0] % commands_count : 0;
    if (s->number == 0 || s->size < 1 || s->size > sizeof words)
        return;
    memcpy(words, s->data + 1, s->size - 1);
    words[s->size - 1] = 0;
    argv[argc++] = (char *)commands[command].name;
    for (char *at = words; at < words + s->size - 1 && argc < 64;
         at += strlen(at) + 1)
        argv[argc++] = at;
    argv[argc] = NULL;
    Options o = options_read(argc, argv, commands[command].bit);
    options_free(&o);
}

/* A letter for the command, then six files with form feeds between, of a run of
   `foreign` (whose other run is whole) and of the experiment itself; an empty
   one is not there. The run's name has the digest of its settings, so that it
   is read and not only its name refused. */
static void
experiment(const Step *s)
{
    static const char *const names[] = {"config.tsv", "result.tsv", "log.tsv"};
    static const char *const above[] = {"foreign/experiment.tsv",
                                        "foreign/recipe.txt",
                                        "foreign/figures/equivalence.tsv"};
    static char run[64] = "foreign/run";
    static const struct {
        int (*run)(int argc, char **argv);
        const char *words[8];
    } commands[] = {
        {command_plot, {"plot", "foreign", "-o", "out", "--y", "loss"}},
        {command_plot, {"plot", "foreign", "-o", "out", "--format", "tikz"}},
        {command_report, {"report", "foreign", "-o", "out"}},
        {command_report, {"report", "foreign", "-o", "out"}},
        {command_table, {"table", "foreign", "--json"}},
        {command_inspect, {"inspect", run}},
        {command_inspect, {"inspect", run, "--attention", "-o", "out"}},
        {command_inspect, {"inspect", run, "--spectrum", "-o", "out"}},
        {command_equiv, {"equiv", run, "--to", "full-rank", "-o", "out"}},
        {command_export, {"export", run, "--batch", "out/batch"}},
        {command_generate, {"generate", run, "--prompt", "0 1"}},
        {command_trace, {"trace", "0", run}}};
    const uint8_t *data = s->data + (s->size > 0);
    size_t left = s->size - (s->size > 0);
    for (int i = 0; s->number == 0 && i < 6; i++) {
        const uint8_t *end = memchr(data, '\f', left);
        size_t n = end ? (size_t)(end - data) : left;
        const char *path = i < 3 ? within(run, names[i]).text : above[i - 3];
        __real_unlink(path);
        if (n)
            write_file(path, data, n);
        data += n + (end != NULL);
        left -= n + (end != NULL);
    }
    if (s->number == 0) {
        char digest[9], name[64];
        Run r = run_read(run);
        config_digest(&r.config, digest);
        snprintf(name, sizeof name, "foreign/run.%s", digest);
        if (!__real_rename(run, name))
            strcpy(run, name);
    } else if (s->size) {
        char *argv[9] = {0};
        int argc = 0,
            chosen = s->data[0] % (sizeof commands / sizeof *commands);
        for (; commands[chosen].words[argc]; argc++)
            argv[argc] = (char *)(uintptr_t)commands[chosen].words[argc];
        as_child = chosen == 2; /* of its recipe's first line */
        commands[chosen].run(argc, argv);
    }
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (chdir(getenv("QKV_FUZZ")) || !getcwd(here, sizeof here))
        trip("is not in", "QKV_FUZZ");
    report->watched = true; /* plugins are opened here */
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int settings_at_first;
    if (!settings_at_first)
        settings_at_first = setting_count;
    for (int i = 0; i < 2; i++) {
        as_child = 0;
        active = 1;
        if (!setjmp(back))
            TARGET(&(Step){data, size, i});
        active = 0;
        setting_count = settings_at_first;
        close_range(12, ~0U, 0); /* what an exit left open */
    }
    discard("out");
    return 0;
}
