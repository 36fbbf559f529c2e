/* suites.h - the test suites, one for each file check_*.c. */
#ifndef SUITES_H
#define SUITES_H

#include <check.h> /* after fail.h: it has a macro of that name */

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

/* For tests that must end in an error: keeps its message off the screen. */
void expect_a_message(void);

Suite *matrix_suite(void);
Suite *real_suite(void);
Suite *numbers_suite(void);
Suite *tape_suite(void);
Suite *attend_suite(void);
Suite *variant_suite(void);
Suite *task_suite(void);
Suite *train_suite(void);
Suite *run_suite(void);
Suite *algebra_suite(void);
Suite *formula_suite(void);
Suite *report_suite(void);
Suite *progress_suite(void);
Suite *model_suite(void);
Suite *theorem_suite(void);
Suite *positions_suite(void);
Suite *generate_suite(void);

#endif
