/* fuzz.c - what libFuzzer throws at five readers: matrices (npy), command lines
   (options), whole experiments (experiment), published models (checkpoint) and
   equations (equation); -DTARGET=npy chooses one.

   A canary sits on the calls by which a stranger's bytes could do harm:
   whatever executes a command, opens a plugin that is not the user's or changes
   a file outside `out` ends the program as a crash. Readers end the program
   themselves if they do not like what they read. Here exit comes back instead;
   files are closed, but no memory is freed, so a fuzzer runs a short while and
   then another one does. The linker leads those calls of ours to the functions
   below (-Wl,--wrap). */
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heart/fail.h"
#include "base/files.h"
#include "base/npy.h"
#include "run/run.h"
#include "driver/option_table.h"
#include "driver/options.h"
#include "run/child_process.h"
#include "driver/commands.h"
#include "equation/matrices.h"
#include "equation/plan.h"
#include "equation/print_plugin.h"

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

/* Trips if `path` is neither `out` nor in it: nothing else may be changed. */
static void
check_place(const char *path)
{
    char above[4096], real[4096];
    const char *slash = strrchr(path, '/');
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    if (!active || !realpath(above, real)) /* or it cannot be changed */
        return;
    size_t n = strlen(here);
    if (strncmp(real, here, n) != 0 ||
        strncmp(real[n] ? real + n : path, real[n] ? "/out" : "out", 4) != 0)
        trip("changes", path);
}

/* Calls that change what has a name, and are then made. */
#define PLACED(type, name, changes, arguments, ...) \
    type __real_##name arguments;                   \
    type __wrap_##name arguments                    \
    {                                               \
        if (changes)                                \
            check_place(path);                      \
        return __real_##name(__VA_ARGS__);          \
    }
/* clang-format off */
PLACED(FILE *, fopen, *mode != 'r', (const char *path, const char *mode), path, mode)
PLACED(int, mkdir, 1, (const char *path, mode_t mode), path, mode)
PLACED(char *, mkdtemp, 1, (char *path), path)
PLACED(int, unlink, 1, (const char *path), path)
PLACED(int, rmdir, 1, (const char *path), path)
PLACED(int, rename, 1, (const char *from, const char *path), from, path)
PLACED(int, renameat2, 1, (int at, const char *from, int to, const char *path, unsigned how), at, from, to, path, how)
/* clang-format on */

/* Calls that execute something: none is made. gnuplot, which is said not to be
   there, may be called with the program's own words and a plain name. */
int
__wrap_run_program(char *argv[])
{
    static const char draw[] =
        "cd \"$0\" && exec gnuplot -d -e \"$1\" \"$2\" 2>.said";
    bool draws = !strcmp(argv[0], "sh") && !strcmp(argv[2], draw) &&
                 !strncmp(argv[4], "term='", 6) && argv[5][0] != '-' &&
                 !strchr(argv[5], '/');
    if (!draws)
        trip("executes", argv[0]);
    return NOT_RUN;
}

int
__wrap_execv(const char *path, char *const argv[])
{
    (void)argv;
    trip("executes", path);
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

/* --- what ends and begins */
_Noreturn void __real_exit(int);

_Noreturn void
__wrap_exit(int status)
{
    if (!active)
        __real_exit(status);
    longjmp(back, 1);
}

_Noreturn void __wrap__exit(int) __attribute__((alias("__wrap_exit")));

/* A process is begun: this one goes on as its parent. */
pid_t
__wrap_fork(void)
{
    return 1;
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

static void
npy(int step, const uint8_t *data, size_t size)
{
    real values[3 * 8];
    if (step == 0)
        write_file("x.npy", data, size);
    else
        npy_read("x.npy", values, 3, 8);
}

/* The words of `text`, between which `between` is. */
static char *argv[66];
static int
cut(char *text, size_t size, char between)
{
    int argc = 0;
    for (char *at = text, *next; at < text + size && argc < 64; at = next + 1) {
        next = memchr(at, between, (size_t)(text + size - at));
        next = next ? next : text + size;
        *next = 0;
        argv[argc++] = at;
    }
    argv[argc] = NULL;
    return argc;
}

/* Words with zeros between; the first byte is the command. */
static void
options(int step, const uint8_t *data, size_t size)
{
    static const char *const names[] = {
        "train", "compare", "plot", "table", "equiv",    "count",  "inspect",
        "trace", "derive",  "list", "check", "generate", "export", "open"};
    static char words[4096];
    if (step == 0 || size < 1 || size > sizeof words / 2)
        return;
    int chosen = data[0] % (int)(sizeof names / sizeof *names);
    int length = sprintf(words, "%s", names[chosen]);
    memcpy(words + length + 1, data + 1, size - 1);
    options_read(cut(words, (size_t)length + size, 0), argv);
}

/* A letter for the command, then four files with form feeds between, of a run
   of `foreign` (whose other run is whole) and of the experiment itself; an
   empty one is not there. The run's name has the digest of its settings, so
   that it is read and not only its name refused. */
static void
experiment(int step, const uint8_t *data, size_t size)
{
    static const char *const names[] = {"config.tsv", "result.tsv", "log.tsv"};
    static const char above[] = "foreign/experiment.tsv";
    static char run[64] = "foreign/run";
    static const struct {
        int (*run)(int argc, char **argv);
        const char *words; /* %s is the run */
    } commands[] = {{command_plot, "plot foreign -o out --y loss"},
                    {command_plot, "plot foreign -o out --format cairolatex"},
                    {command_plot, "plot foreign -o out"},
                    {command_table, "table foreign --verdicts --latex"},
                    {command_table, "table foreign --markdown"},
                    {command_inspect, "inspect %s"},
                    {command_inspect, "inspect %s --attention -o out"},
                    {command_equiv, "equiv %s -v full-rank"},
                    {command_export, "export %s out/batch"},
                    {command_generate, "generate %s --prompt 0"},
                    {command_trace, "trace 0 %s"}};
    if (size == 0)
        return;
    const uint8_t *end = data + size, *at = data + 1;
    for (int i = 0; step == 0 && i < 4; i++) {
        const char *path = i < 3 ? within(run, names[i]) : above;
        const uint8_t *next = memchr(at, '\f', (size_t)(end - at));
        next = next ? next : end;
        __real_unlink(path);
        if (next > at)
            write_file(path, at, (size_t)(next - at));
        at = next < end ? next + 1 : end;
    }
    if (step == 0) {
        char digest[DIGEST_SIZE], name[64];
        Run r = run_read(run);
        config_digest(&r.config, digest);
        snprintf(name, sizeof name, "foreign/run.%s", digest);
        if (!__real_rename(run, name))
            strcpy(run, name);
    } else {
        char words[128];
        int chosen = data[0] % (int)(sizeof commands / sizeof *commands);
        int length = snprintf(words, sizeof words, commands[chosen].words, run);
        commands[chosen].run(cut(words, (size_t)length, ' '), argv);
    }
}

/* A letter for the command, then a config.json, the head of a file of tensors,
   and its numbers, with form feeds between. The file says how long its head is;
   if the letter is odd, with one bit wrong. */
static void
checkpoint(int step, const uint8_t *data, size_t size)
{
    static const char *const lines[] = {
        "count --config foreign/config.json",
        "open foreign --heads --draw -o out",
        "open foreign --slim out/slim",
        "open foreign --to full-rank -o out/run",
        "open foreign --against foreign --draw -o out",
        "open foreign --kv-heads 1 --out out/few"};
    uint8_t file[8 + 6000] = {0};
    if (size < 2)
        return;
    const uint8_t *config = data + 1, *end = data + size;
    const uint8_t *head = memchr(config, '\f', (size_t)(end - config));
    head = head ? head : end;
    const uint8_t *rest = head < end ? head + 1 : end;
    const uint8_t *numbers = memchr(rest, '\f', (size_t)(end - rest));
    numbers = numbers ? numbers : end;
    size_t length = (size_t)(numbers - rest), after = (size_t)(end - numbers);
    after -= after > 0;
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)(length >> 8 * i);
    file[data[0] % 8] ^= data[0] % 2 ? 1 << data[0] / 2 % 8 : 0;
    memcpy(file + 8, rest, length);
    memcpy(file + 8 + length, end - after, after);
    if (step == 0) {
        write_file("foreign/config.json", config, (size_t)(head - config));
        write_file("foreign/model.safetensors", file, 8 + length + after);
        return;
    }
    char words[128];
    int chosen = data[0] / 16 % (int)(sizeof lines / sizeof *lines);
    int n = snprintf(words, sizeof words, "%s", lines[chosen]);
    (chosen ? command_open : command_count)(cut(words, (size_t)n, ' '), argv);
}

/* An equation: read, planned, its shapes computed and its plugin printed. */
static void
equation(int step, const uint8_t *data, size_t size)
{
    const Attention sizes = {32, 4, 8, 8, 2, 16, .layers = 1};
    char *text = format_text("%.*s", (int)size, (const char *)data);
    if (step == 0)
        return;
    Attention a = sizes;
    const Plan *p = plan_make(equation_read("fuzz.eq", text));
    a.settings = p->text->settings;
    FILE *nowhere = __real_fopen("/dev/null", "w");
    print_plugin(nowhere, "fuzz", p);
    fclose(nowhere);
    for (int i = 0; i < p->weights; i++) {
        stored_rows(p, &p->weight[i], &a);
        stored_cols(p, &p->weight[i], &a);
    }
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (chdir(getenv("QKV_FUZZ")) || !getcwd(here, sizeof here))
        trip("is not in", "QKV_FUZZ");
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int settings_at_first;
    if (!settings_at_first)
        settings_at_first = setting_count;
    for (int i = 0; i < 2; i++) {
        active = 1;
        if (!setjmp(back))
            TARGET(i, data, size);
        active = 0;
        setting_count = settings_at_first;
        close_range(12, ~0U, 0); /* what an exit left open */
    }
    discard("out");
    return 0;
}
