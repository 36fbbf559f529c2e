/* suites.h - how a test joins a suite; there is one for each file check_*.c. */
#ifndef SUITES_H
#define SUITES_H

#include <check.h> /* after fail.h: it has a macro of that name */
#include <signal.h>
#include <stdbool.h>

/* Gradients are checked in double, what training achieves in float. */
#ifdef QKV_DOUBLE
enum { IN_DOUBLE = 1 };
#else
enum { IN_DOUBLE = 0 };
#endif

/* A directory for the files of the tests, removed at the end. */
extern char test_directory[];

/* Calls of malloc and its like so far, counted by check_train.c. */
extern int allocations;

/* The widths of an Attention: {SHAPE(16, 4, 4, 4), .latent = 8} */
#define SHAPE(D_MODEL, HEADS, D_K, D_V) \
    .d_model = (D_MODEL), .heads = (HEADS), .d_k = (D_K), .d_v = (D_V)

/* One of the calls that a switch goes through. */
#define CASE(N, CALL) \
    case N:           \
        CALL;         \
        break

/* For tests that must end in an error: keeps its message off the screen. */
void expect_a_message(void);

/* A test joins the suite of its file, check_SUITE.c, where it is defined:

       TEST(name) { ... }
       TESTS(name, n) { ... }          n times, _i is 0 to n - 1
       EXITS(name, status, n) { ... }  must end in a message and that status
       ABORTS(name, n) { ... }         must abort
       LONG_TESTS(name, n) { ... }     may be left out: CK_EXCLUDE_TAGS=long */
typedef struct Expected {
    int times, status, signal;
    bool is_long;
} Expected;

void join_suite(const char *file, const TTest *test, Expected expected);

#define JOINS(NAME, ...)                                                  \
    static void NAME##_fn(int _i);                                        \
    __attribute__((constructor)) static void NAME##_joins(void)           \
    {                                                                     \
        static const TTest test = {#NAME, NAME##_fn, __FILE__, __LINE__}; \
        join_suite(__FILE__, &test, (Expected){__VA_ARGS__});             \
    }                                                                     \
    static void NAME##_fn(int _i __attribute__((unused)))
#define TEST(NAME)                 JOINS(NAME, 1, 0, 0, false)
#define TESTS(NAME, TIMES)         JOINS(NAME, (int)(TIMES), 0, 0, false)
#define LONG_TESTS(NAME, TIMES)    JOINS(NAME, (int)(TIMES), 0, 0, true)
#define EXITS(NAME, STATUS, TIMES) JOINS(NAME, (int)(TIMES), STATUS, 0, false)
#define ABORTS(NAME, TIMES)        JOINS(NAME, (int)(TIMES), 0, SIGABRT, false)

#endif
