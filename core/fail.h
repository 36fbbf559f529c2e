/* fail.h - how the program says that it cannot go on.

   Three kinds: the user asked wrongly (exit 2), something outside failed
   (exit 1), the programmer erred (abort, for a debugger to catch). Every
   message is one line, `qkv: what: why, what to do`, on stderr. */
#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>
#include <stddef.h>

#define PRINTF(text, first) \
    __attribute__((format(printf, text, first), nonnull(text)))

_Noreturn void fail(const char *format, ...) PRINTF(1, 2);  /* exit 1 */
_Noreturn void usage(const char *format, ...) PRINTF(1, 2); /* exit 2 */
_Noreturn void bug(const char *format, ...) PRINTF(1, 2);   /* abort */
void blame(const char *plugin);  /* whose call it is that a bug is found in */
const char *blamed_plugin(void); /* or NULL */
void note(const char *format, ...) PRINTF(1, 2); /* goes on */

/* The status to end with when all is done: a result that did not reach its
   reader is a failure. And was it asked for, or does somebody else end the
   program? */
int end_well(int status);
bool has_finished(void);

/* `count` zeroed elements of `size` bytes; fails when memory is out. */
void *allocate(size_t count, size_t size);

/* The same, where a line of the cache begins, so that no vector lies across
   two. */
enum { LINE = 64 };
void *allocate_aligned(size_t count, size_t size);

/* The array (of elements of `size` bytes, malloc'ed or NULL) with room for one
   more after `count`, maybe moved; *room is how many it holds. */
void *grow(void *array, int count, int *room, size_t size);

/* A string as snprintf makes it, to be freed by the caller. */
char *format_text(const char *format, ...) PRINTF(1, 2);

#endif
