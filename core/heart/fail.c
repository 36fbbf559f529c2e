/* fail.c - messages on stderr; and memory, with a message if there is none. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"

void (*on_failure)(int status, const char *message);
const char *program_name = "qkv";
const char *whose_memory = "";

/* A report_call that reports nothing. */
static void
no_report(const struct Variant *v, const char *doing)
{
    (void)v, (void)doing;
}

void (*report_call)(const struct Variant *v, const char *doing) = no_report;

/* Control characters, which somebody else's file or plugin may contain, become
   '?' (127 is DEL). The line is one write, so that the lines of parallel
   processes never mix. stdout is flushed first, in case stdout and stderr go to
   one file. */
void
say(int status, const char *format, ...)
{
    va_list args;
    char line[MESSAGE];
    va_start(args, format);
    vsnprintf(line, MESSAGE, format, args);
    va_end(args);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    if (status && on_failure) {
        on_failure(status, line);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program_name, line);
}

void *
allocate(size_t count, size_t size)
{
    void *memory;
    size_t bytes; /* only 32 bits wide in a browser */
    /* posix_memalign may return NULL for 0 bytes, so they are at least 1. */
    if (__builtin_mul_overflow(count, size, &bytes) ||
        posix_memalign(&memory, CACHE_LINE, bytes ? bytes : 1))
        fail("out of memory: could not get %zu x %zu bytes%s; make the model, "
             "the batch or the sequences smaller",
             count, size, whose_memory);
    memset(memory, 0, bytes);
    return memory;
}

void *
grow(void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = 2 * *capacity + 16; /* doubled, so that it seldom moves */
    void *larger = allocate((size_t)*capacity, size);
    if (array)
        memcpy(larger, array, (size_t)count * size);
    free(array);
    return larger;
}

size_t
matrix_entries(int rows, int cols)
{
    size_t count = (size_t)rows * (size_t)cols;
    if (count > INT_MAX)
        usage("a matrix (%d x %d) would have more than 2,147,483,647 entries: "
              "choose fewer or shorter sequences, or fewer or narrower heads",
              rows, cols);
    return count;
}
