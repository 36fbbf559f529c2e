/* fail.h - how the program reports an error.

   There are three kinds of error: the user asked for something impossible
   (exit 2), something outside the program failed (exit 1), or the programmer
   made a mistake (abort, for a debugger to catch). Every message is one line on
   stderr: `qkv: what: why, what to do`. */
#ifndef FAIL_H
#define FAIL_H

#include <stdlib.h>

#define PRINTF(text, first) \
    __attribute__((format(printf, text, first), nonnull(text)))

/* Each prints a message, in the form of printf. After a note the program
   continues; the others end it. */
#define note(...)  say(0, __VA_ARGS__)
#define fail(...)  (say(1, __VA_ARGS__), exit(1))
#define usage(...) (say(2, __VA_ARGS__), exit(2))
#define bug(...)   (say(ABORTED, __VA_ARGS__), abort())

/* The name that messages begin with: "qkv", unless main sets another. */
extern const char *program_name;

/* Prints the message of a note (status 0), or of an error that ends the program
   with this status: 1, 2 or ABORTED. A message that is longer than MESSAGE
   bytes, with its final 0, is cut. */
enum { ABORTED = -1, MESSAGE = 2048 };
void say(int status, const char *format, ...) PRINTF(2, 3);

/* A hook. If it is set, it gets a message that ends the program, instead of
   stderr; it may also end the program itself. */
extern void (*on_failure)(int status, const char *message);

/* A hook, called around each call of a variant's code, so that a program knows
   whose code crashed or hangs. Before the call, `doing` is text for a message,
   " in forward"; after it, `doing` is RETURNED. If v is NULL, it is the variant
   whose code was called last. */
struct Variant;
#define RETURNED ""
extern void (*report_call)(const struct Variant *v, const char *doing);

/* Text in the message "out of memory" that says whose limit was reached, such
   as a run's; "" unless it is set. */
extern const char *whose_memory;

/* Returns memory for `count` elements of `size` bytes, all 0. It starts at a
   cache line, so that aligned vectors never cross a line. Fails if the system
   has too little memory. The caller frees it. */
enum { CACHE_LINE = 64 }; /* bytes */
void *allocate(size_t count, size_t size);

/* Makes sure that an array has memory for one more element than `count`, and
   returns the array, which may have moved. `array` is NULL or was allocated, an
   element has `size` bytes, and *capacity is the number of elements that fit.
 */
void *grow(void *array, int count, int *capacity, size_t size);

/* The number of entries of a matrix. Ends the program if an int cannot count
   them, so that an int can be the index of an entry. */
size_t matrix_entries(int rows, int cols);

#endif
