/* fail.h - how the program reports that it cannot go on.

   There are three kinds of error: the user asked for something impossible
   (exit 2), something outside the program failed (exit 1), or the programmer
   made a mistake (abort, for a debugger to catch). Every message is one line on
   stderr: `qkv: what: why, what to do`. */
#ifndef FAIL_H
#define FAIL_H

#include <stdlib.h>

#define PRINTF(text, first) \
    __attribute__((format(printf, text, first), nonnull(text)))

/* Each prints as printf does. After a note the program continues. */
#define note(...)  say(0, __VA_ARGS__)
#define fail(...)  (say(1, __VA_ARGS__), exit(1))
#define usage(...) (say(2, __VA_ARGS__), exit(2))
#define bug(...)   (say(ABORTED, __VA_ARGS__), abort())

/* The name that messages begin with: "qkv", unless main sets another. */
extern const char *program_name;

enum { ABORTED = -1 };
enum { MESSAGE = 2048 }; /* bytes of the longest one, with its 0 */
void say(int status, const char *format, ...) PRINTF(2, 3);

/* If it is set, called with a message that ends the program, instead of
   printing it; it may end the program itself. */
extern void (*on_failure)(int status, const char *message);

/* Called around each call of a variant's code: before it with what the code
   does, " in forward", and after it with "". NULL stands for the variant that
   was called last. By setting it, a program learns in whose code it crashed. */
struct Variant;
extern void (*enter)(const struct Variant *v, const char *doing);

/* Is added to `out of memory`, to say whose limit was reached; "" at first. */
extern const char *whose_memory;

/* `count` zeroed elements of `size` bytes, at the start of a cache line, so
   that no vector crosses two lines; fails if there is no memory. */
enum { LINE = 64 };
void *allocate(size_t count, size_t size);

/* Returns the array (allocated, or NULL) of `count` elements of `size` bytes,
   moved if it had no room for one more. *room is how many it can hold. */
void *grow(void *array, int count, int *room, size_t size);

/* The number of entries of a matrix. Exits if an int cannot count them, so that
   the index of an entry is an int. */
size_t matrix_entries(int rows, int cols);

#endif
