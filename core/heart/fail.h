/* fail.h - how the program reports that it cannot go on.

   Three kinds of error: the user asked wrongly (exit 2), something outside
   failed (exit 1), the programmer made a mistake (abort, for a debugger to
   catch). Every message is one line on stderr: `qkv: what: why, what to do`. */
#ifndef FAIL_H
#define FAIL_H

#include <stdlib.h>

#define PRINTF(text, first) \
    __attribute__((format(printf, text, first), nonnull(text)))

/* Each takes what printf takes. Only a note lets the program go on. */
#define note(...)  say(0, __VA_ARGS__)
#define fail(...)  (say(1, __VA_ARGS__), exit(1))
#define usage(...) (say(2, __VA_ARGS__), exit(2))
#define bug(...)   (say(ABORTED, __VA_ARGS__), abort())

/* The name that messages begin with: "qkv", unless a program sets its own. */
extern const char *program_name;

enum { ABORTED = -1 };
enum { MESSAGE = 2048 }; /* bytes of the longest one, with its 0 */
void say(int status, const char *format, ...) PRINTF(2, 3);

/* If it is set, called with a message that ends the program, instead of
   printing it; it may end the program itself. */
extern void (*on_failure)(int status, const char *message);

/* To be called around each call of a variant's code: before it with what the
   code does, " in forward", and after it with "". NULL is the variant that was
   called last. A program that sets it knows in
   whose code a crash was.
 */
struct Variant;
extern void (*enter)(const struct Variant *v, const char *doing);

/* What `out of memory` adds, such as whose limit it was; "" at first. */
extern const char *whose_memory;

/* `count` zeroed elements of `size` bytes, at the start of a cache line, so
   that no vector crosses two lines; fails if there is no memory. */
enum { LINE = 64 };
void *allocate(size_t count, size_t size);

/* The array of `count` elements of `size` bytes (allocated, or NULL) with room
   for one more, maybe moved; *room is how many it holds. */
void *grow(void *array, int count, int *room, size_t size);

/* The entries of a matrix: no more than an int can count, so that the place of
   one is an int too; exits where they are more. */
size_t matrix_entries(int rows, int cols);

#endif
