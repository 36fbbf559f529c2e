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
enum { MESSAGE = 2048 }; /* bytes of the longest one, with its 0 */

/* If it is set, called with a message that ends the program, instead of
   printing it; it may end the program itself. */
enum { ABORTED = -1 };
extern void (*on_failure)(int status, const char *message);

/* What `out of memory` adds, such as whose limit it was; "" at first. */
extern const char *whose_memory;

/* Whose code is running: the plugin that was called last, how many calls there
   were, and what it is doing, " in forward"; "": it has returned. */
typedef struct Running {
    char plugin[256];
    volatile int calls;
    const char *volatile doing;
} Running;
extern Running *running;

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

#endif
