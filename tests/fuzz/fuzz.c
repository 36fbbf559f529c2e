/* fuzz.c - what libFuzzer throws at each parser; -DTARGET=npy chooses one.

   A parser ends the program where it does not like what it reads, and leaves
   its memory to the system. Here exit comes back instead, and whatever was
   allocated or opened since is given back by the harness: the linker leads
   those calls of ours to the functions below (-Wl,--wrap). */
#include <dirent.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/npy.h"
#include "variant/plugin.h"
#include "task/corpus.h"
#include "run/run.h"
#include "driver/cli/options.h"
#include "driver/cli/grammar.h"
#include "driver/figure/square.h"
#include "driver/report/claim.h"
#include "driver/report/recipe.h"
#include "driver/commands.h"
#include "edit.h"
#include "tree.h"

static jmp_buf back;
static int active; /* in a target: libFuzzer makes the same calls */
static int aborts; /* a `bug` is what the target is to end with */

/* --- what is open or allocated, so that it can be given back */
enum { MOST = 1 << 16 };
static void *held[MOST];
static FILE *files[16];
static DIR *folders[16];
static int held_count;

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
FILE *__real_fopen(const char *, const char *);
DIR *__real_opendir(const char *);
int __real_closedir(DIR *);
int __real_fclose(FILE *);
_Noreturn void __real_abort(void);
_Noreturn void __real_exit(int);
void __real_plugin_given(const char *);
pid_t __real_fork(void);
pid_t __real_waitpid(pid_t, int *, int);
void *__real_dlsym(void *, const char *);
void *__real_dlopen(const char *, int);

static void *
hold(void *p)
{
    if (p && held_count == MOST) {
        fprintf(stderr, "fuzz: more than %d allocations\n", MOST);
        __real_abort();
    }
    if (p && active)
        held[held_count++] = p;
    return p;
}

static void
drop(void *p)
{
    for (int i = active ? held_count : 0; p && i-- > 0;)
        if (held[i] == p) {
            held[i] = held[--held_count];
            return;
        }
}

void *
__wrap_malloc(size_t size)
{
    return hold(__real_malloc(size));
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return hold(__real_calloc(count, size));
}

void *
__wrap_realloc(void *p, size_t size)
{
    drop(p);
    return hold(__real_realloc(p, size));
}

void
__wrap_free(void *p)
{
    drop(p);
    __real_free(p);
}

/* Ends the program where a file of the reader's would be written. */
static int guarded;
static char folder[64];

static void
check_place(const char *path)
{
    char above[4096], real[4096], mine[96];
    snprintf(above, sizeof above, "%s", path);
    char *slash = strrchr(above, '/');
    snprintf(slash ? slash : above, 2, slash == above ? "/" : slash ? "" : ".");
    snprintf(mine, sizeof mine, "%s/mine", folder);
    if (realpath(above, real) && !strncmp(real, mine, strlen(mine))) {
        fprintf(stderr, "fuzz: writes %s\n", path);
        __real_abort();
    }
}

FILE *
__wrap_fopen(const char *path, const char *mode)
{
    if (guarded && *mode != 'r')
        check_place(path);
    FILE *file = __real_fopen(path, mode);
    for (int i = 0; file && active && i < 16; i++)
        if (!files[i]) {
            files[i] = file;
            return file;
        }
    return file;
}

int
__wrap_fclose(FILE *file)
{
    for (int i = 0; i < 16; i++)
        if (files[i] == file)
            files[i] = NULL;
    return __real_fclose(file);
}

DIR *
__wrap_opendir(const char *path)
{
    DIR *dir = __real_opendir(path);
    for (int i = 0; dir && active && i < 16; i++)
        if (!folders[i]) {
            folders[i] = dir;
            break;
        }
    return dir;
}

int
__wrap_closedir(DIR *dir)
{
    for (int i = 0; i < 16; i++)
        if (folders[i] == dir)
            folders[i] = NULL;
    return __real_closedir(dir);
}

_Noreturn void
__wrap_exit(int status)
{
    if (!active)
        __real_exit(status);
    longjmp(back, status + 1);
}

_Noreturn void
__wrap__exit(int status)
{
    __wrap_exit(status);
}

_Noreturn void
__wrap_abort(void)
{
    if (!active || !aborts)
        __real_abort();
    longjmp(back, 100);
}

/* Words and paths live as long as the program, where the harness frees: here
   they are copies. */
const char *
__wrap_interned(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : "";
}

void
__wrap_plugin_given(const char *word)
{
    (void)word;
}

/* A recipe's lines are read, and no command of it is run. */
pid_t
__wrap_fork(void)
{
    return active ? 1 : __real_fork();
}

pid_t
__wrap_waitpid(pid_t process, int *status, int options)
{
    if (!active)
        return __real_waitpid(process, status, options);
    *status = 0;
    return process;
}

/* --- the input, as a file or as strings */

static const char *
as_file(const char *name, const void *data, size_t size)
{
    static char path[4][96];
    static int next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof path[0], "%.60s/%.30s", folder, name);
    FILE *file = __real_fopen(at, "wb");
    if (!file || fwrite(data, 1, size, file) != size || __real_fclose(file)) {
        perror(at);
        __real_abort();
    }
    return at;
}

/* The next part of the input, up to a byte; *data goes on behind it. */
static size_t
next_part(const uint8_t **data, size_t *size, int until)
{
    const uint8_t *end = memchr(*data, until, *size);
    size_t n = end ? (size_t)(end - *data) : *size;
    *data += n + (end != NULL);
    *size -= n + (end != NULL);
    return n;
}

/* --- the targets */
static void
npy(const uint8_t *data, size_t size)
{
    real values[4 * 3];
    npy_read(as_file("x.npy", data, size), values, 4, 3);
}

/* config.tsv, result.tsv and log.tsv, with form feeds between. */
static void
run(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"config.tsv", "result.tsv", "log.tsv"};
    for (int i = 0; i < 3; i++) {
        const uint8_t *from = data;
        size_t n = next_part(&data, &size, '\f');
        as_file(names[i], from, n);
    }
    Run r = run_read(folder);
    char digest[9];
    config_digest(&r.config, digest);
    for (int i = 0; i < r.log.rows; i++)
        table_number(&r.log, i, table_column(&r.log, "loss") > 0, "log.tsv");
    run_number(&r, "test_loss");
    run_text(&r, "status");
    run_free(&r);
}

static void
text(const uint8_t *data, size_t size)
{
    int bytes = size > 0 && data[0] & 1;
    Corpus *t = text_open(as_file("text", data + (size > 0), size - (size > 0)),
                          bytes, 4);
    corpus_close(t);
}

static void
pairs(const uint8_t *data, size_t size)
{
    Corpus *p = pairs_open(as_file("pairs.tsv", data, size));
    corpus_levels(p, VALIDATION, &(Levels){0});
    corpus_close(p);
}

/* What equiv drew, which a report reads. */
static void
square(const uint8_t *data, size_t size)
{
    as_file("figures/equivalence.tsv", data, size);
    Square s = square_read(folder, "", false);
    square_free(&s);
}

/* Words with zeros between; the first byte is the command. */
static void
options(const uint8_t *data, size_t size)
{
    static char words[4096], *argv[66];
    int argc = 0, command = size > 0 ? data[0] % commands_count : 0;
    if (size < 1 || size > sizeof words)
        return;
    memcpy(words, data + 1, size - 1);
    words[size - 1] = 0;
    argv[argc++] = (char *)commands[command].name;
    for (char *at = words; at < words + size - 1 && argc < 64;
         at += strlen(at) + 1)
        argv[argc++] = at;
    argv[argc] = NULL;
    Options o = options_read(argc, argv, commands[command].bit);
    options_free(&o);
}

static void
recipe(const uint8_t *data, size_t size)
{
    Options o = {.out = folder, .work = {.jobs = 1}};
    o.draw = (Drawing){.out = folder, .format = default_format};
    o.given = allocate((size_t)settings_most, sizeof *o.given);
    o.compare.recipe = as_file("recipe.txt", data, size);
    recipe_run(&o);
}

static void
claim(const uint8_t *data, size_t size)
{
    claim_check(as_file("claim.txt", data, size));
}

/* A plugin's descriptor: what it says of itself, and the matrices it declares.
 */
static const uint8_t *rest;
static size_t rest_size;

static int
byte(void)
{
    return rest_size > 0 ? (rest_size--, *rest++) : 0;
}

static void
declare(Weights *w, const Attention *a)
{
    char name[128];
    while (rest_size > 0) {
        int what = byte(), index = byte(), rows = byte() - 8, cols = byte();
        const uint8_t *from = rest;
        size_t n = next_part(&rest, &rest_size, 0);
        n = n < sizeof name ? n : sizeof name - 1;
        memcpy(name, from, n);
        name[n] = 0;
        if (what & 1)
            index = w->count;
        if (what % 8 == 7)
            initialise(w, index - 1, rows, cols - 8);
        else if (what % 8 == 6)
            weight_each(w, index, rows, name, cols, a->d_model);
        else
            weight(w, index, name, rows, cols);
    }
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    (void)a, (void)y, (void)w;
    return x;
}

static Variant described;
static unsigned char number_size;

/* Plugins of the program are opened; in the folder there is the descriptor's.
 */
void *
__wrap_dlopen(const char *path, int how)
{
    if (strncmp(path, folder, strlen(folder)) != 0)
        return __real_dlopen(path, how);
    if (guarded) {
        fprintf(stderr, "fuzz: opens %s\n", path);
        __real_abort();
    }
    return &described;
}

void *
__wrap_dlsym(void *handle, const char *name)
{
    if (handle != (void *)&described)
        return __real_dlsym(handle, name);
    return !strcmp(name, "qkv_variant") ? (void *)&described
           : number_size                ? (void *)&number_size
                                        : NULL;
}

static void
descriptor(const uint8_t *data, size_t size)
{
    char equation[256], shape[256];
    rest = data;
    rest_size = size;
    aborts = 1;
    int given = byte();
    number_size = (unsigned char)(byte() % 12);
    const uint8_t *from = rest;
    size_t n = next_part(&rest, &rest_size, 0);
    snprintf(equation, sizeof equation, "%.*s", (int)n, (const char *)from);
    from = rest;
    n = next_part(&rest, &rest_size, 0);
    snprintf(shape, sizeof shape, "%.*s", (int)n, (const char *)from);
    described = (Variant){.abi = QKV_ABI + (given & 1),
                          .equation = given & 2 ? NULL : equation,
                          .shape = given & 4 ? NULL : shape,
                          .weights = given & 8 ? NULL : declare,
                          .forward = given & 16 ? NULL : forward,
                          .family = given & 32 ? equation : NULL,
                          .settings = given & 64 ? shape : NULL};
    Plugin p = plugin_open(as_file("x.so", data, size));
    Attention a = {.d_model = 8, .heads = 2, .d_k = 4, .d_v = 4};
    Weights w = weights_declared(p.variant, &a);
    weights_free(&w);
}

/* Somebody's experiment, edited as the input says, and a command that reads it,
   in this process: what would run in another one is left out. */
static void
experiment(const uint8_t *data, size_t size)
{
    static const char *const lines[] = {
        "plot foreign --out out --format svg",
        "plot foreign --out out --format tikz --y loss --by seed",
        "plot foreign --format svg --x cache --y test_loss",
        "report foreign --out out",
        "table foreign --json",
        "inspect RUN",
        "inspect RUN --range",
        "inspect RUN --attention --out out",
        "inspect RUN --spectrum --out out",
        "equiv RUN --to full-rank --out out",
        "export RUN --batch out",
        "plot foreign base/two --format svg --out out",
        "report foreign base/two --out out",
        "trace 0 RUN",
        "generate RUN --prompt 0",
        NULL};
    static const char *const bases[] = {"base/two", "base/text", "base/other",
                                        NULL};
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } called[] = {{"plot", command_plot},         {"report", command_report},
                  {"inspect", command_inspect},   {"equiv", command_equiv},
                  {"export", command_export},     {"trace", command_trace},
                  {"generate", command_generate}, {"table", command_table}};
    Draw d = {.bytes = data, .left = size};
    char line[256], run[1024], *argv[16], *rest;
    int argc = 0;
    guarded = 0;
    erase_tree("foreign");
    erase_tree("out");
    copy_tree(draw_word(&d, bases), "foreign");
    snprintf(line, sizeof line, "%s", draw_word(&d, lines));
    edit("foreign", "/dev/null", &d);
    snprintf(run, sizeof run, "%s", draw_run("foreign", &d));
    for (char *at = strtok_r(line, " ", &rest); at;
         at = strtok_r(NULL, " ", &rest))
        argv[argc++] = strcmp(at, "RUN") ? at : *run ? run : (char *)"foreign";
    argv[argc] = NULL;
    guarded = 1;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++)
        if (!strcmp(argv[0], called[i].name))
            called[i].run(argc, argv);
}

/* A prompt, up to a zero, and what was done to a run that is to answer it. */
static void
generate(const uint8_t *data, size_t size)
{
    static const char *const bases[] = {"base/text", "base/text",  "base/pairs",
                                        "base/two",  "base/other", NULL};
    static char prompt[4096], run[1024];
    const uint8_t *from = data;
    size_t n = next_part(&data, &size, 0);
    snprintf(prompt, sizeof prompt, "%.*s", (int)n, (const char *)from);
    Draw d = {.bytes = data, .left = size};
    guarded = 0;
    erase_tree("foreign");
    copy_tree(draw_word(&d, bases), "foreign");
    if (draw(&d, 2))
        edit("foreign", "/dev/null", &d);
    snprintf(run, sizeof run, "%s", draw_run("foreign", &d));
    char *argv[] = {"generate",
                    *run ? run : "foreign",
                    "--prompt",
                    prompt,
                    draw(&d, 2) ? "--greedy" : "-q",
                    "--tokens",
                    "9",
                    NULL};
    bool as_many = draw(&d, 2);
    guarded = 1;
    command_generate(as_many ? 5 : 7, argv);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *given = getenv("QKV_FUZZ"); /* an empty folder, in memory */
    snprintf(folder, sizeof folder, "%.63s", given ? given : "/tmp");
    char figures[96];
    snprintf(figures, sizeof figures, "%s/figures", folder);
    mkdir(figures, 0700);
    __real_plugin_given(as_file("x.so", "", 0)); /* the descriptor's */
    (void)!chdir(folder);
    report->watched = true; /* plugins are opened here */
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int settings_built_in;
    if (!settings_built_in)
        settings_built_in = setting_count;
    active = 1;
    if (!setjmp(back))
        TARGET(data, size);
    active = guarded = 0;
    setting_count = settings_built_in; /* the others' names are freed below */
    open_plugins = NULL;
    for (int i = 0; i < 16; i++) {
        if (files[i])
            __real_fclose(files[i]);
        if (folders[i])
            __real_closedir(folders[i]);
    }
    memset(files, 0, sizeof files);
    memset(folders, 0, sizeof folders);
    close_range(12, ~0U, 0); /* what an exit left open */
    while (held_count > 0)
        __real_free(held[--held_count]);
    return 0;
}
