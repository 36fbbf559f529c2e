/* fail.c - messages on stderr, and the memory that failing guards. */
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"

static Running own = {.doing = ""};
Running *running = &own;
void (*on_failure)(int status, const char *message);
const char *whose_memory = "";

void
enter(const char *plugin, const char *doing)
{
    if (plugin && strcmp(plugin, running->plugin))
        snprintf(running->plugin, sizeof running->plugin, "%s", plugin);
    running->doing = doing;
    running->calls++;
}

void
leave(void)
{
    running->doing = "";
}

/* One line, whatever the words of a stranger's file or plugin would do to a
   terminal. */
static void
put_message(char line[MESSAGE], const char *format, va_list args)
{
    vsnprintf(line, MESSAGE, format, args);
    for (char *c = line; *c; c++)
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
}

/* One write a message, so that those of parallel processes never mingle; what
   was printed before stands above it, where both go to one file. */
static void
say(const char *line)
{
    fflush(stdout);
    fprintf(stderr, "qkv: %s\n", line);
}

void
note(const char *format, ...)
{
    va_list args;
    char line[MESSAGE];
    va_start(args, format);
    put_message(line, format, args);
    va_end(args);
    say(line);
}

static void
tell(int status, const char *format, va_list args)
{
    char line[MESSAGE];
    put_message(line, format, args);
    if (on_failure)
        on_failure(status, line);
    else
        say(line);
}

void
fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(1, format, args);
    va_end(args);
    exit(1);
}

void
usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(2, format, args);
    va_end(args);
    exit(2);
}

void
bug(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(ABORTED, format, args);
    va_end(args);
    abort();
}

static _Noreturn void
no_memory(size_t count, size_t size)
{
    fail("out of memory: %zu x %zu bytes were refused%s; make the model, the "
         "batch or the sequences smaller",
         count, size, whose_memory);
}

void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        no_memory(count, size);
    return memory;
}

size_t
matrix_entries(int rows, int cols)
{
    size_t count = (size_t)rows * (size_t)cols;
    if (count > INT_MAX)
        usage("a matrix (%d x %d) would have more than 2,147,483,647 entries: "
              "take fewer or shorter sequences, fewer heads, or narrower ones",
              rows, cols);
    return count;
}

void *
allocate_aligned(size_t count, size_t size)
{
    bool fits = count < SIZE_MAX / 2 / size; /* a browser has 32 bits */
    size_t lines = count * size / LINE + 1;
    void *memory = fits ? aligned_alloc(LINE, lines * LINE) : NULL;
    if (!memory)
        no_memory(count, size);
    return memset(memory, 0, lines * LINE);
}

void *
grow(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    *room = 2 * *room + 16;
    void *more = realloc(array, (size_t)*room * size);
    if (!more)
        no_memory((size_t)*room, size);
    return more;
}
