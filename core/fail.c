/* fail.c - messages on stderr, and the memory that failing guards. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* One write a message, so that those of parallel processes never mingle; and
   one line, whatever the words of a stranger's file or plugin would do to a
   terminal. */
static void
say(const char *format, va_list args)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, args);
    for (char *c = line; *c; c++)
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
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

void
fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    exit(1);
}

void
usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    exit(2);
}

static bool done;

int
end_well(int status)
{
    if (fflush(stdout) || ferror(stdout))
        fail("stdout: cannot be written; is the disk full, its reader gone?");
    done = true;
    return status;
}

bool
has_finished(void)
{
    return done;
}

static const char *blamed;

void
blame(const char *plugin)
{
    blamed = plugin;
}

const char *
blamed_plugin(void)
{
    return blamed;
}

void
bug(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    if (blamed)
        note("%s: %s", blamed, line);
    else
        note("%s", line);
    va_end(args);
    abort();
}

void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        fail("out of memory: %zu x %zu bytes were refused; make the model, "
             "the batch or the sequences smaller",
             count, size);
    return memory;
}

void *
allocate_aligned(size_t count, size_t size)
{
    size_t lines = count * size / LINE + 1;
    void *memory = aligned_alloc(LINE, lines * LINE);
    if (!memory)
        fail("out of memory: %zu x %zu bytes were refused; make the model, "
             "the batch or the sequences smaller",
             count, size);
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
        fail("out of memory: %d x %zu bytes were refused", *room, size);
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
