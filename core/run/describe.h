/* describe.h - what a plugin says of itself, asked in a child process.

   Opening a plugin runs its code, which may crash, hang or exit. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "base/words.h"
#include "config/find_plugin.h"
#include "config/settings.h"
#include "run/plugin_process.h"

typedef struct Facts {
    Ended ended; /* if it has not answered, there is only its name */
    char name[NAME_SIZE];
    char family[64];
    char equation[256];
    char own[USES_SIZE]; /* the settings of its own */
    double parameters;   /* in the matrices that it declares */
} Facts;

/* Describes the plugin that `word` names. If c is given, counts its parameters
   at that shape, where its forward runs once. */
Facts describe(const char *word, const Config *c);

/* Is it an option that qkv has already? A plugin may declare no setting of that
   name. The driver sets it. */
extern bool (*name_taken)(const char *name);

/* Exits where the plugin declares a setting that is taken. */
void check_own(const Plugin *p);

#endif
