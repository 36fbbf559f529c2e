/* fail.c - messages on stderr, and the memory that failing guards. */
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

static Report own = {.doing = ""};
Report *report = &own;

void
unwatched(void)
{
    report = &own;
}

void
enter(const char *plugin, const char *doing)
{
    if (plugin && strcmp(plugin, report->plugin))
        snprintf(report->plugin, sizeof report->plugin, "%s", plugin);
    report->doing = doing;
    report->calls++;
}

void
leave(void)
{
    report->doing = "";
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
say(const char *format, va_list args)
{
    char line[MESSAGE];
    put_message(line, format, args);
    fflush(stdout);
    fprintf(stderr, "qkv: %s\n", line);
}

void
note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

/* A process that is watched only stores it: its parent prints it. */
static void
tell(const char *format, va_list args)
{
    if (report->watched)
        put_message(report->text, format, args);
    else
        say(format, args);
}

/* In a child, without the exit handlers that a plugin may have installed. */
static _Noreturn void
end(int status)
{
    if (!report->watched)
        exit(status);
    fflush(stdout);
    _exit(status);
}

void
fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(format, args);
    va_end(args);
    end(1);
}

void
usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(format, args);
    va_end(args);
    end(2);
}

void
bug(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(format, args);
    va_end(args);
    abort();
}

int
end_well(int status)
{
    if (fflush(stdout) || ferror(stdout))
        fail("stdout: cannot be written; is the disk full, its reader gone?");
    report->done = true;
    return status;
}

static _Noreturn void
no_memory(size_t count, size_t size)
{
    fail("out of memory: %zu x %zu bytes were refused%s; make the model, the "
         "batch or the sequences smaller",
         count, size, report->limit);
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

char *
format_text(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = allocate((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

FILE *
begin_text(char **text)
{
    static size_t size;
    FILE *stream = open_memstream(text, &size);
    if (!stream)
        no_memory(1, 1);
    return stream;
}

void
end_text(FILE *stream, char *const *text)
{
    bool lost = ferror(stream);
    if (fclose(stream) || lost || !*text)
        no_memory(1, 1);
}
