/* describe.h - what a plugin says of itself, asked in a child process.

   Opening a plugin runs its code, which may crash, hang or exit. All of a list
   are opened in one process, for as long as nothing happens there. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "base/words.h"
#include "config/find_plugin.h"
#include "config/settings.h"
#include "run/plugin_process.h"

typedef struct Facts {
    bool answered; /* if it has not, there is only its name, */
    Ended ended;   /* and how its process ended */
    char name[NAME_SIZE];
    char family[64];
    char equation[256];
    char own[USES_SIZE]; /* the settings of its own */
    double parameters;   /* in the matrices that it declares */
    char form[512];      /* what its code computes, or what is in the way */
} Facts;

/* Describes the plugins that the words name; free the list. If c is given,
   counts their parameters at that shape, where each one's forward runs once;
   `forms`: derives what they compute. */
Facts *describe(const char *const *words, int count, const Config *c,
                bool forms);

/* Is it an option that qkv has already? A plugin may declare no setting of that
   name. The driver sets it. */
extern bool (*name_taken)(const char *name);

/* Exits where the plugin declares a setting that is taken. */
void check_own(const Plugin *p);

#endif
