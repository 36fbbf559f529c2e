/* describe.h - what a plugin says of itself, asked in a child process.

   Opening a plugin runs its code. A crash, a hang or an exit there must not
   take the driver along. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "variant/plugin.h"
#include "task/config.h"

typedef struct Facts {
    bool ok;
    int status;     /* where not ok: the exit status that it calls for */
    char why[1024]; /* and the message */
    char name[NAME_SIZE];
    char word[WORD_SIZE], path[PATH_SIZE]; /* as asked for, as found */
    char equation[256], shape[64];
    uint64_t hash;
    bool own_operator; /* it has one, so it is bound to one precision */
    size_t parameters; /* in the matrices it declares, where counted */
} Facts;

/* Describes the plugin that `word` names; counts its parameters at the shape of
   c where that is not NULL, and has its forward `tried` there. */
Facts describe(const char *word, const Config *c, bool tried);

#endif
