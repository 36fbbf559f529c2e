/* find_plugin.h - finds and opens plugins. <qkv/variant.h> says what a plugin
   is. */
#ifndef FIND_PLUGIN_H
#define FIND_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"
#include "base/words.h"
#include "heart/plugin.h"

/* What a variant's .shape is made of. */
#define SHAPE_OPTIONS "heads kv-heads d-k d-v latent"

typedef struct Plugin {
    const Variant *variant;
    const char *name; /* of the file, without its directory and .so */
    const char *path;
    uint64_t hash;     /* of the file's bytes */
    bool own_operator; /* it defines an operator, so it works only with the
                          `real` that it was compiled for */
} Plugin;

/* A setting that a variant declares in .settings: its name and its default. */
#define OWN_MOST 1e300 /* the largest value */
enum { OWN_NAME = 32 };
typedef struct Own {
    char name[OWN_NAME]; /* "" if a setting cannot be called that */
    double value;        /* NaN if it is not a number */
} Own;

/* Reads the next "name=value" of a list, and moves the list past it. Words
   without = are skipped. Returns false at the end of the list. */
bool own_next(const char **list, Own *own);

/* What the variant uses: its .shape, followed by its .settings. */
const char *variant_uses(const Variant *v);

/* The name of a plugin that a word names, by its name or by its path:
   "./mine.so" -> "mine". Exits (2) if it is none. */
const char *plugin_name(const char *word);

/* A plugin is code, so a path is opened only if the user typed it on the
   command line, which calls plugin_given. A path that comes from a file, as
   from a run that somebody else made, is not: plugin_believed returns only the
   name in it, and a name is looked up in the user's own directories. */
void plugin_given(const char *word);
const char *plugin_believed(const char *word);

/* The names of all plugins, sorted, in the directories of $QKV_PATH, then in
   variants/ beside the executable, then in ../lib/qkv/variants. The first one
   found counts. qkv-double first looks in the folder "double" of each, where
   plugins with an operator are that were compiled for it. */
Values plugin_list(void);

/* Opens a plugin and checks what it declares. The word is a name, or a path
   that was given. From then on the plugin's code can run, so only a process
   that is watched may call this (run/plugin_process.h). If it cannot be opened,
   exits saying what was tried and what to do. */
Plugin plugin_open(const char *word);

/* The directory of the running executable; and where data of that name is, a
   folder "plots", which is beside it or was installed with it. */
const char *executable_directory(void);
char *beside_program(const char *name);

#endif
