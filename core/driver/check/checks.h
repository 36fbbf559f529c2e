/* checks.h - what a plugin must hold, each checked in a process of its own. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stddef.h>

typedef enum { PASSED, FAILED, UNTESTED } Verdict;

typedef struct Finding {
    Verdict verdict;
    char what[700]; /* what was found, and the likely mistake */
} Finding;

typedef struct Check {
    const char *name;
    size_t number; /* sizeof(real) of the program that can tell: 8 for double */
    Finding (*run)(const char *plugin);
} Check;

/* Those of checks_double.c. */
Finding check_use(const char *plugin);
Finding check_gradients(const char *plugin);
Finding check_form(const char *plugin);
Finding check_adopt(const char *plugin);

extern const Check checks[];
extern const int check_count;

#endif
