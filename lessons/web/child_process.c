/* child_process.c - what core/run/child_process.c does, in a browser, which has
   no processes: a child's work is called, and what it changed of the memory is
   undone, all but its report. The calls of JavaScript are in library.js. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "run/child_process.h"

typedef struct Begun {
    ChildWork *work;
    const void *argument;
    bool quiet;
    Report *report;
} Begun;

/* Calls run(begun); of the memory below `end` only the report's `size` bytes
   are kept. Returns the status as waitpid has it. */
int call_apart(void (*run)(const Begun *begun), const Begun *begun,
               Report *report, size_t size, const void *end);

/* The status of qkv-double with these words. */
int call_double(char *argv[]);

double
clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
machine_memory(void)
{
    return 1e9;
}

int
run_program(char *argv[])
{
    const char *slash = strrchr(argv[0], '/');
    if (slash && !strcmp(slash, "/qkv-double")) {
        fflush(NULL);
        return call_double(argv);
    }
    return NOT_RUN;
}

static void
run_child(const Begun *b)
{
    if (b->quiet && !(freopen("/dev/null", "w", stdout) &&
                      freopen("/dev/null", "w", stderr)))
        _exit(1);
    report_to(b->report);
    b->work(b->argument, report->answer);
    _exit(end_well(0));
}

void
child_begin(Child *c, ChildWork *work, const void *argument, size_t size,
            double memory, ChildOutput output)
{
    (void)memory;
    size_t whole = sizeof *c->report + size;
    *c = (Child){.process = 1, .argument = argument, .size = size};
    c->report = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->report == MAP_FAILED)
        fail("out of memory: %zu bytes were refused", whole);
    c->report->doing = "";
    fflush(NULL);
    Begun begun = {work, argument, output == DISCARD_OUTPUT, c->report};
    c->status = call_apart(run_child, &begun, c->report, whole, sbrk(0));
}

Child *
children_wait(Child *children, int count)
{
    for (int i = 0; i < count; i++)
        if (children[i].process)
            return &children[i];
    return NULL;
}
