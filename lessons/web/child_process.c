/* child_process.c - replaces core/run/child_process.c in a browser, which has
   no processes. The work of a child is called as a function. Afterwards all
   memory except the child's report is restored. The functions in JavaScript are
   in library.js. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "run/child_process.h"

/* The arguments of run_child. */
typedef struct Begun {
    ChildWork *work;
    const void *argument;
    bool quiet; /* whether its output is discarded */
    Report *report;
} Begun;

/* Calls run(begun). Then restores the memory below `end`, except the `size`
   bytes of the report. Returns the status as waitpid has it. */
int call_apart(void (*run)(const Begun *begun), const Begun *begun,
               Report *report, size_t size, const void *end);

/* Runs qkv-double with these arguments, and returns its status. */
int call_double(char *argv[]);

double
clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A browser does not say how much memory there is. */
double
machine_memory(void)
{
    const double gigabyte = 1e9;
    return gigabyte;
}

/* The page has only one other program, qkv-double. */
int
run_program(char *argv[])
{
    const char *slash = strrchr(argv[0], '/');
    bool is_double = slash && !strcmp(slash, "/qkv-double");
    if (!is_double)
        return NOT_RUN;
    fflush(NULL);
    return call_double(argv);
}

/* Does the work of a child. _exit ends only this call: call_apart catches it,
   and gets the status. */
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
    const int any_process = 1; /* not 0, which means that there is no child */
    *c = (Child){.process = any_process, .argument = argument, .size = size};
    c->report = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->report == MAP_FAILED)
        fail("out of memory: %zu bytes were refused", whole);
    c->report->doing = "";
    fflush(NULL);
    Begun begun = {work, argument, output == DISCARD_OUTPUT, c->report};
    c->status = call_apart(run_child, &begun, c->report, whole, sbrk(0));
}

/* A child has ended before child_begin returns, so there is nothing to wait
   for. */
Child *
children_wait(Child *children, int count)
{
    for (int i = 0; i < count; i++)
        if (children[i].process)
            return &children[i];
    return NULL;
}
