/* main.c - trains one variant on one task, from this folder and <qkv/...>
   alone:

       heart VARIANT TASK [--seed N] [--steps N] [--out DIR] [-q]

   Prints the log, and what the trained model does on the test; --out writes its
   weights to DIR, which must not be there yet. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heart/fail.h"
#include "heart/npy.h"
#include "heart/train.h"

/* The plugin of that name beside this program, in variants/; for double in
   variants/double/, if it is there. A path is taken as it is. */
static const Variant *
open_variant(const char *word)
{
    char program[1024] = "", path[2048];
    bool own;
    if (strchr(word, '/'))
        return plugin_load(word, RTLD_LAZY, &own);
    if (readlink("/proc/self/exe", program, sizeof program - 1) > 0)
        *strrchr(program, '/') = 0;
    snprintf(path, sizeof path, "%s/variants/double/%s.so", program, word);
    if (sizeof(real) != sizeof(double) || access(path, F_OK))
        snprintf(path, sizeof path, "%s/variants/%s.so", program, word);
    return plugin_load(path, RTLD_LAZY, &own);
}

static const Task *
task_named(const char *name)
{
    for (const Task *t = heart_tasks; t < heart_tasks + HEART_TASKS; t++)
        if (!strcmp(name, t->name))
            return t;
    usage("unknown task \"%s\": there are recall, induction and sort", name);
}

static int
whole_number(const char *option, const char *text)
{
    char *end = "?";
    long n = text ? strtol(text, &end, 10) : 0;
    if (*end || end == text || n < 0 || n > 1000000000)
        usage("%s: \"%s\" is no number from 0 to 1000000000", option,
              text ? text : "");
    return (int)n;
}

static bool
print_row(void *quiet, const Result *so_far)
{
    LogRow r = so_far->rows[so_far->count - 1];
    if (!*(bool *)quiet)
        printf("%d\t%.7g\t%.7g\t%.7g\t%.7g\n", r.step, r.loss, r.accuracy,
               r.validation_loss, r.validation_accuracy);
    return true;
}

static void
write_weights(const char *directory, const Model *m)
{
    if (mkdir(directory, 0777))
        fail("%s: cannot be made: %s", directory, strerror(errno));
    for (const Weight *w = m->weights; w < m->weights + m->count; w++) {
        char path[1024];
        int n = snprintf(path, sizeof path, "%s/", directory);
        snprintf(path + n, sizeof path - (size_t)n, "%s.npy", w->name);
        for (char *c = path + n; *c; c++)
            *c = *c == '^' ? '_' : *c;
        FILE *file = fopen(path, "wb");
        if (file)
            npy_put(file, 'f', w->value, w->rows, w->cols, 0);
        if (!file || ferror(file) || fclose(file))
            fail("%s: cannot be written: %s", path, strerror(errno));
    }
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        usage("heart VARIANT TASK [--seed N] [--steps N] [--out DIR] [-q]: a "
              "variant's name or the path of its .so, and recall, induction "
              "or sort");
    const char *out = NULL;
    bool quiet = false;
    Dataset data = {.task = task_named(argv[2])};
    Config *c = &data.config;
    *c = data.task->start;
    for (char **option = argv + 3; *option; option++) {
        quiet |= !strcmp(*option, "-q");
        if (!strcmp(*option, "-q"))
            continue;
        if (!strcmp(*option, "--seed"))
            c->seed = whole_number(option[0], option[1]);
        else if (!strcmp(*option, "--steps"))
            c->steps = whole_number(option[0], option[1]);
        else if (!strcmp(*option, "--out") && option[1])
            out = option[1];
        else
            usage("%s: no option, or nothing follows it; there are --seed N, "
                  "--steps N, --out DIR and -q",
                  *option);
        option++;
    }
    const Variant *v = open_variant(argv[1]);
    c->settings = v->settings;
    config_widths(c, v->shape);
    data.sizes = data.task->sizes(c);
    Model *m = model_outline(c, data.sizes, v, &one_sequence);
    model_start(m);
    if (!quiet)
        printf("step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy\n");
    Result r = train(m, &data, print_row, &quiet);
    printf("%s on %s: test accuracy %.3f, loss %.3f, %zu parameters\n", argv[1],
           argv[2], r.test_accuracy, r.test_loss, m->parameters);
    if (out)
        write_weights(out, m);
    result_free(&r);
    model_free(m);
    return 0;
}
