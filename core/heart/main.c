/* main.c - the command `heart`, which trains one variant on one task. It needs
   only this folder, core/operators and <qkv/...>:

       heart VARIANT TASK [--seed N] [--steps N] [--out DIR] [-q]

   It prints the log, unless -q is given, and then the trained model's accuracy
   and loss on the test split. --out writes its weights to DIR, which must not
   exist. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heart/fail.h"
#include "heart/train.h"

/* Ends the program, because this word of the command line is wrong. */
static _Noreturn void
misunderstood(const char *word)
{
    usage("%s: not understood; write heart VARIANT TASK [--seed N] [--steps N] "
          "[--out DIR] [-q], with the name of a variant, or the path of its "
          ".so, and recall, induction or sort",
          word);
}

static const Task *
task_named(const char *name)
{
    for (const Task *t = heart_tasks; t < heart_tasks + HEART_TASKS; t++)
        if (!strcmp(name, t->name))
            return t;
    misunderstood(name);
}

/* The value of an option: a number of at most 9 digits, which fits an int. If
   anything follows it, `more` gets a character, and sscanf returns 2. */
static int
number_of(const char *text)
{
    int number;
    char more;
    if (sscanf(text, "%9d%c", &number, &more) != 1 || number < 0)
        misunderstood(text);
    return number;
}

/* A Watch (train.h): prints each row of the log when it is complete. */
static bool
print_row(void *none, const Result *so_far)
{
    (void)none;
    if (so_far->logged) {
        const LogRow *r = &so_far->rows[so_far->count - 1];
        printf("%d\t%.7g\t%.7g\t%.7g\t%.7g\n", r->step, r->loss, r->accuracy,
               r->validation_loss, r->validation_accuracy);
    }
    return true;
}

/* Writes each matrix to a file in the current directory, in NumPy's format: a
   magic word; the version, bytes 1 and 0; the length of a text, low byte first;
   that text, padded with spaces and a newline; and the entries, row by row.
   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
static void
write_weights(const Model *m)
{
    enum { TEXT = 118 }; /* bytes, so that the entries begin at byte 128 */
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, TEXT, 0};
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    for (const Weight *w = m->weights; w < m->weights + m->count; w++) {
        char name[sizeof w->name + sizeof ".npy"], text[TEXT];
        snprintf(name, sizeof name, "%s.npy", w->name);
        for (char *c = name; *c; c++)
            *c = file_letter(*c);
        snprintf(text, sizeof text,
                 "{'descr': '%cf%zu', 'fortran_order': False, 'shape': "
                 "(%d, %d), }",
                 order, sizeof(real), w->rows, w->cols);
        size_t bytes = matrix_entries(w->rows, w->cols) * sizeof(real);
        FILE *file = fopen(name, "wb");
        if (!file || !fwrite(start, sizeof start, 1, file) ||
            fprintf(file, "%-*s\n", TEXT - 1, text) < 0 ||
            !fwrite(w->value, bytes, 1, file) || fclose(file))
            fail("%s: could not write it (%s): free some space, or choose "
                 "another directory",
                 name, strerror(errno));
    }
}

/* Reads the options. `word` points to the first of them in argv, which ends
   with NULL. */
static void
read_options(char **word, Config *c, const char **out, bool *quiet)
{
    for (; *word; word++) {
        const char *option = *word;
        if (!strcmp(option, "-q")) {
            *quiet = true;
            continue;
        }
        const char *value = *++word;
        if (!value)
            misunderstood(option);
        if (!strcmp(option, "--seed"))
            c->seed = number_of(value);
        else if (!strcmp(option, "--steps"))
            c->steps = number_of(value);
        else if (!strcmp(option, "--out"))
            *out = value;
        else
            misunderstood(option);
    }
}

int
main(int argc, char **argv)
{
    program_name = "heart";
    enum { OPTIONS = 3 }; /* the index of the first one in argv */
    if (argc < OPTIONS)   /* VARIANT or TASK is missing after the last word */
        misunderstood(argv[argc - 1]);
    const char *variant = argv[1], *task = argv[2];
    /* dlopen looks for a name without a slash in variants/, beside `heart`,
       because the Makefile links `heart` with that path. */
    char file[PATH_MAX];
    snprintf(file, sizeof file, strchr(variant, '/') ? "%s" : "%s.so", variant);
    const Variant *v = plugin_load(file, RTLD_LAZY);
    Dataset data = {.task = task_named(task)};
    data.config = data.task->start;
    Config *c = &data.config;
    const char *out = NULL;
    bool quiet = false;
    read_options(argv + OPTIONS, c, &out, &quiet);
    c->settings = v->settings; /* the defaults */
    if (index_in(v->shape, "heads") < 0)
        c->heads = 0; /* attention_of makes it 1 */
    data.sizes = data.task->sizes(c);
    Model *m = model_outline(c, data.sizes, v, &one_sequence);
    model_start(m);
    if (out && (mkdir(out, 0777) || chdir(out)))
        fail("%s: could not create it (%s): choose another directory", out,
             strerror(errno));
    if (!quiet)
        printf("step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy\n");
    Result r = train(m, &data, quiet ? NULL : print_row, NULL);
    printf("%s on %s: test accuracy %.3f, loss %.3f, %zu parameters\n", variant,
           task, r.test_accuracy, r.test_loss, m->parameters);
    if (out)
        write_weights(m);
    free(r.rows);
    model_free(m);
    return 0;
}
