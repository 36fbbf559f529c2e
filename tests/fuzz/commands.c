/* commands.c MODE QKV ROOT KEEP SECONDSs | COUNTruns | CASE - random commands,
   each a process of its own, as random.sh sets them up.

   Case N of a mode is drawn from N alone, so that it can be had again: it is
   written into KEEP/MODE-N if it fails. A command may end with status 0, 1 or
   2, in time, and by no signal; says lines that begin "qkv: ", without control
   characters, and at least one where it fails; writes below `out` and where its
   words say; opens no canary, runs no shell, shows nothing of the reader's
   other files; and leaves nothing in TMPDIR. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tree.h"
#include "trial.h"

enum { WORKERS = 2, MOST_SAID = 1 << 20 };

static const char *mode, *program;
static int sanitized;
static int ended[3]; /* how many commands with status 0, 1, 2 */

void
word(Trial *t, const char *text)
{
    if (t->count < MOST_WORDS)
        t->words[t->count++] = text;
}

void
words(Trial *t, const char *text)
{
    static char copies[8][1024];
    static int next;
    char *copy = copies[next++ % 8];
    snprintf(copy, sizeof copies[0], "%s", text);
    char *rest;
    for (char *at = strtok_r(copy, " ", &rest); at;
         at = strtok_r(NULL, " ", &rest))
        word(t, at);
}

static double
clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- one command */
static _Noreturn void
become(const Trial *t)
{
    char *argv[MOST_WORDS + 2] = {(char *)program};
    struct rlimit none = {0, 0}, memory = {(rlim_t)2 << 30, (rlim_t)2 << 30};
    for (int i = 0; i < t->count; i++)
        argv[i + 1] = (char *)t->words[i];
    setsid();
    setrlimit(RLIMIT_CORE, &none);
    if (!sanitized)
        setrlimit(RLIMIT_AS, &memory);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(open("said/out", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    dup2(open("said/err", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    execv(program, argv);
    _exit(99);
}

/* Its status; -1 where it took too long, and what it began is gone then. */
static int
run(const Trial *t, int seconds)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(t);
    double end = clock_now() + seconds;
    struct timespec nap = {0, 500000};
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (clock_now() > end) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 8000000)
            nap.tv_nsec *= 2;
    }
    kill(-child, SIGKILL); /* what it left running */
    return status;
}

static char said[MOST_SAID + 1];

static size_t
read_said(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(said, 1, MOST_SAID, file) : 0;
    said[n] = 0;
    if (file)
        fclose(file);
    return n;
}

/* What is wrong with stderr, or NULL. */
static const char *
check_lines(size_t size, int failed, int in_words)
{
    static const char *const reports[] = {"AddressSanitizer", "runtime error",
                                          "UndefinedBehavior", "Assertion"};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strstr(said, reports[i]))
            return "a sanitizer's report";
    if (!strcmp(mode, "foreign") && strstr(said, "out of memory"))
        return "believes a size";
    if (failed && in_words && !size)
        return "fails without a word";
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)said[i] < ' ' && said[i] != '\n') || said[i] == 127)
            return "a control character in stderr";
    for (char *line = said; *line; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, "qkv: ", 5))
            return "a line of stderr that is no message";
        if (!strchr(line, '\n'))
            return "half a line of stderr";
    }
    return NULL;
}

static const char *
check_reports(void)
{
    size_t n = read_said("out/report.html");
    if (n && (strstr(said, "<script>alert") || strstr(said, "<img src=x")))
        return "markup in report.html";
    read_said("out/report.tex");
    for (char *line = said, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        char *input = strstr(line, "\\input{");
        if (input && input < next && strncmp(line, "\\input{tables/", 14) &&
            strncmp(line, "\\input{figures/", 15))
            return "LaTeX in report.tex";
        next += *next == '\n';
    }
    return NULL;
}

/* What is wrong with how it ended, or NULL. */
static const char *
check(const Trial *t, int status, uint64_t before, const char *const *but)
{
    static char why[64];
    if (!access("tripped", F_OK) && !t->may_open)
        return "ran a command, or opened a plugin";
    if (tree_hash(".", but) != before)
        return "wrote where it must not";
    if (status == -1)
        return t->large ? NULL : "takes too long";
    if (WIFSIGNALED(status)) {
        snprintf(why, sizeof why, "ended by %s", strsignal(WTERMSIG(status)));
        return why;
    }
    if (WEXITSTATUS(status) > 2) {
        snprintf(why, sizeof why, "status %d", WEXITSTATUS(status));
        return why;
    }
    ended[WEXITSTATUS(status)]++;
    size_t size = read_said("said/err");
    if (getenv("TELL"))
        fprintf(stderr, "%s %d: %.100s\n", t->words[0], WEXITSTATUS(status),
                said);
    const char *wrong = check_lines(size, status, t->in_words);
    if (wrong)
        return wrong;
    size = read_said("said/out");
    for (size_t i = 0; i < size; i++)
        if (said[i] == '\033' || said[i] == '\r' || said[i] == '\a')
            return "a control character in stdout";
    if (rmdir("tmp"))
        return "leaves a temporary file";
    if (!t->may_read_mine &&
        (tree_with("out", "qkvSecret") || tree_with("said", "qkvSecret") ||
         tree_with("out", "0.12343212") || tree_with("foreign", "0.12343212")))
        return "shows what is the reader's own";
    return check_reports();
}

/* --- one case */
static void
clear(void)
{
    static const char *const gone[] = {"foreign", "out",     "tmp",
                                       "said",    "tripped", "qkv-out"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        erase_tree(gone[i]);
    mkdir("tmp", 0700);
    mkdir("said", 0700);
}

static void
draw_trial(Trial *t, int number)
{
    Random r = random_stream((uint64_t)number, mode);
    Draw d = {.random = &r};
    *t = (Trial){0};
    clear();
    if (!strcmp(mode, "foreign"))
        draw_foreign(t, &d);
    else if (!strcmp(mode, "lines"))
        draw_line(t, &d);
    else
        draw_plugin(t, &d);
}

static void
print_words(FILE *to, const Trial *t)
{
    fprintf(to, "qkv");
    for (int i = 0; i < t->count; i++) {
        fprintf(to, " '");
        for (const char *c = t->words[i]; *c && c < t->words[i] + 80; c++)
            fprintf(to,
                    *c == '\''                             ? "'\\''"
                    : (unsigned char)*c < ' ' || *c == 127 ? "?"
                                                           : "%c",
                    *c);
        fprintf(to, "'");
    }
    fprintf(to, "\n");
}

/* The case as it was before the command, and what it said. */
static void
keep(int number, const char *keep_in, const char *why)
{
    char path[512], at[600];
    Trial again;
    snprintf(path, sizeof path, "%s/%s-%d", keep_in, mode, number);
    erase_tree(path);
    mkdir(path, 0777);
    snprintf(at, sizeof at, "%s/said", path);
    copy_tree("said", at);
    draw_trial(&again, number);
    snprintf(at, sizeof at, "%s/foreign", path);
    copy_tree("foreign", at);
    snprintf(at, sizeof at, "%s/command", path);
    FILE *file = fopen(at, "w");
    if (file) {
        print_words(file, &again);
        fprintf(file, "%s\n", why);
        fclose(file);
    }
}

/* NULL, or what is wrong. */
static const char *
try(Trial *t, int number)
{
    const char *but[16] = {"./out", "./tmp", "./said", "./base", "./tripped"};
    static char at[8][6400];
    draw_trial(t, number);
    for (int i = 0; i < t->may_write_count; i++) {
        snprintf(at[i], sizeof at[i], "./%s", t->may_write[i]);
        but[5 + i] = at[i];
    }
    uint64_t before = tree_hash(".", but);
    int patience = sanitized ? 60 : !strcmp(mode, "plugins") ? 30 : 10;
    const char *why = check(t, run(t, patience), before, but);
    for (int i = 0; i < t->may_write_count; i++)
        erase_tree(at[i]);
    return why;
}

/* Cases first, first + step, ... below `most` and until `end`; how many failed.
   Each way to fail is shown once a command. */
static int
work(int first, int step, long most, double end, const char *keep_in)
{
    static char kinds[256][128];
    int kind_count = 0, failed = 0, tried = 0;
    for (int n = first; n < most && clock_now() < end; n += step, tried++) {
        Trial t;
        char kind[128];
        int known = 0;
        const char *why = try(&t, n);
        if (!why)
            continue;
        failed++;
        snprintf(kind, sizeof kind, "%.20s: %s", t.words[0], why);
        for (int i = 0; i < kind_count; i++)
            known |= !strcmp(kinds[i], kind);
        if (known || kind_count == 256)
            continue;
        strcpy(kinds[kind_count++], kind);
        keep(n, keep_in, why);
        draw_trial(&t, n);
        fprintf(stderr, "%s: case %d: %s: ", mode, n, why);
        print_words(stderr, &t);
    }
    printf("%s: %d passed, %d failed; status 0: %d, 1: %d, 2: %d\n", mode,
           tried - failed, failed, ended[0], ended[1], ended[2]);
    if (tried > 200 && !ended[0]) {
        fprintf(stderr, "%s: no case did what it was asked\n", mode);
        failed++;
    }
    return failed;
}

static void
set_path(const char *name, const char *at, const char *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", at, file);
    setenv(name, path, 1);
}

/* In a folder of its own: its share of the cases, or the one that was named. */
static _Noreturn void
worker(int index, char **argv)
{
    const char *root = argv[3], *keep_in = argv[4];
    char at[512], from[512], *end;
    long number = strtol(argv[5], &end, 10);
    snprintf(at, sizeof at, "%s/worker%d", root, index);
    snprintf(from, sizeof from, "%s/mold", root);
    erase_tree(at);
    copy_tree(from, at);
    if (chdir(at))
        _exit(2);
    set_path("Q", at, "tripped");
    set_path("TMPDIR", at, "tmp");
    set_path("HOME", at, "home");
    bool runs = *end == 'r';
    if (*end)
        exit(work(index, WORKERS, runs ? number : INT_MAX,
                  clock_now() + (runs ? 1e9 : (double)number), keep_in) > 0);
    Trial t;
    const char *why = try(&t, (int)number);
    keep((int)number, keep_in, why ? why : "passes");
    draw_trial(&t, (int)number);
    printf("%s: case %ld: %s: ", mode, number, why ? why : "passes");
    print_words(stdout, &t);
    exit(why != NULL);
}

int
main(int argc, char **argv)
{
    int bad = 0, status;
    if (argc != 6)
        return 2;
    mode = argv[1];
    program = argv[2];
    sanitized = getenv("SANITIZED") != NULL;
    int workers = strchr(argv[5], 's') ? WORKERS : 1;
    for (int i = 0; i < workers; i++)
        if (fork() == 0)
            worker(i, argv);
    while (wait(&status) > 0)
        bad |= !WIFEXITED(status) || WEXITSTATUS(status);
    return bad;
}
