/* describe.h - what a plugin says of itself, asked in a child process.

   Opening a plugin runs its code, which may crash, hang or exit. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "config/settings.h"

typedef struct Facts {
    bool ok;
    int status;     /* if not ok: the status to exit with, */
    char why[1024]; /* and why */
    char name[NAME_SIZE];
    char word[WORD_SIZE], path[PATH_SIZE]; /* as asked for, as found */
    char family[64];
    char equation[256], uses[USES_SIZE]; /* variant_uses, */
    char own[USES_SIZE]; /* and of them the settings of its own */
    uint64_t hash;
    bool own_operator; /* then it is compiled for one precision */
    size_t parameters; /* in the matrices that it declares */
} Facts;

/* Describes the plugin that `word` names. If c is given, counts its parameters
   at that shape, where, TRIED, its forward runs once. */
typedef enum { DECLARED, TRIED } Effort;
Facts describe(const char *word, const Config *c, Effort effort);

/* The same of several, in one child, and another one after each that fails; to
   be freed. */
Facts *describe_each(const Values *words, const Config *c, Effort effort);

/* Is it an option that qkv has already? A plugin may declare no setting of that
   name. The driver sets it. */
extern bool (*name_taken)(const char *name);

#endif
