/* fail.h - how the program reports that it cannot go on.

   Three kinds of error: the user asked wrongly (exit 2), something outside
   failed (exit 1), the programmer made a mistake (abort, for a debugger to
   catch). Every message is one line on stderr: `qkv: what: why, what to do`. */
#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PRINTF(text, first) \
    __attribute__((format(printf, text, first), nonnull(text)))

_Noreturn void fail(const char *format, ...) PRINTF(1, 2);  /* exit 1 */
_Noreturn void usage(const char *format, ...) PRINTF(1, 2); /* exit 2 */
_Noreturn void bug(const char *format, ...) PRINTF(1, 2);   /* abort */
void note(const char *format, ...) PRINTF(1, 2);            /* continues */

/* The status to end with when all is done: output that could not be written is
   a failure. */
int end_well(int status);

enum { MESSAGE = 2048 }; /* bytes of the longest one, with its 0 */

/* What a process tells its parent (driver/cli/plugin_process.h), in memory that
   they share: no message has to be parsed. */
typedef struct Report {
    bool watched;               /* then the parent prints the message */
    volatile bool done;         /* end_well */
    char text[MESSAGE];         /* the message that ended it, or "" */
    char plugin[256];           /* whose code was called last, */
    volatile int calls;         /* how many calls there were, */
    const char *volatile doing; /* " in forward"; "": it has returned */
    char limit[128];            /* of memory, in words; or "" */
    volatile double held;       /* bytes of it, if somebody counts them */
    char drafts[4096];          /* the directory with its drafts, or "" */
    _Alignas(max_align_t) char answer[];
} Report;
extern Report *report; /* this process's */

/* From here on this process prints its own messages. */
void unwatched(void);

/* Around a call of a plugin's code (NULL: the same plugin as last time). A bug
   in between is the plugin's. */
void enter(const char *plugin, const char *doing);
void leave(void);

/* `count` zeroed elements of `size` bytes; fails if there is no memory. */
void *allocate(size_t count, size_t size);

/* The entries of a matrix: no more than an int can count, so that the place of
   one is an int too; exits where they are more. */
size_t matrix_entries(int rows, int cols);

/* The same as allocate, at the start of a cache line, so that no vector crosses
 * two lines.
 */
enum { LINE = 64 };
void *allocate_aligned(size_t count, size_t size);

/* The array (of elements of `size` bytes, malloc'ed or NULL) with room for one
   more after `count`, maybe moved; *room is how many it holds. */
void *grow(void *array, int count, int *room, size_t size);

/* A string as snprintf makes it, to be freed by the caller. */
char *format_text(const char *format, ...) PRINTF(1, 2);

/* A stream whose text is in *text once it is ended, to be freed. */
FILE *begin_text(char **text);
void end_text(FILE *stream, char *const *text);

#endif
