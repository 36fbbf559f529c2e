/* find_plugin.h - finds and opens plugins. <qkv/variant.h> explains what a
   plugin is. */
#ifndef FIND_PLUGIN_H
#define FIND_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"
#include "base/words.h"
#include "heart/config.h"
#include "heart/plugin.h"

/* The size of the longest text in a config, such as the equation of NAME.eq,
   with the 0 at its end. */
enum { WORD_SIZE = 1024 };

/* The words that a variant's .shape may contain. */
#define SHAPE_OPTIONS "heads kv-heads d-k d-v latent"

typedef struct Plugin {
    const Variant *variant;
    const char *name; /* the file's name without directory and ending */
    const char *path;
    uint64_t hash;        /* of the file's bytes or, for NAME.eq, of `equation`
                           */
    const char *equation; /* the text of the file NAME.eq; "" for a shared
                             object, NAME.so */
    bool own_operator;    /* whether the plugin defines an operator. Then it
                             works only with the `real` for which it was
                             compiled. */
} Plugin;

/* One of a variant's own settings, which it declares in .settings as a name and
   a default, "window=4". A value is between -OWN_MOST and OWN_MOST. */
#define OWN_MOST 1e300
enum { OWN_NAME_SIZE = 32 };
typedef struct OwnSetting {
    char name[OWN_NAME_SIZE]; /* "" if it is not a valid name */
    double value;             /* NaN if it is not a number */
} OwnSetting;

/* Reads the next "name=value" of a list of words, and moves *list past it.
   Skips words without "=". Returns false at the end of the list. */
bool next_own_setting(const char **list, OwnSetting *own);

/* A list of the settings that a variant uses: its .shape, followed by its
   .settings, such as "heads d-k window=4". */
const char *variant_uses(const Variant *v);

/* The name of the plugin that a word stands for. The word is a name or a path:
   "./mine.so" stands for "mine". Exits with status 2 if the result cannot name
   a plugin. */
const char *plugin_name(const char *word);

/* A plugin is code, so a path is opened only if the user typed it: the command
   line passes each word that names a plugin to plugin_trust. plugin_trusted
   returns such a word unchanged. Of any other path, which may come from a run
   that somebody else made, it returns only the plugin's name, which is then
   looked up in the user's own directories. */
void plugin_trust(const char *word);
const char *plugin_trusted(const char *word);

/* The names of all plugins, sorted. They are looked for in the directories of
   $QKV_PATH, then in variants/ beside the executable, then in
   ../lib/qkv/variants, as seen from the executable. If two plugins have the
   same name, the first is used. qkv-double first looks in the folder "double"
   of each directory, for plugins that define an operator and are compiled for
   double. */
Values plugin_list(void);

/* Opens a plugin and checks what it declares. The word is a name, or a path
   that was passed to plugin_trust. The plugin's code may run from then on, so
   call this only in a child process (run/plugin_process.h). Exits if the plugin
   cannot be opened or what it declares is not valid. */
Plugin plugin_open(const char *word);

/* The plugin of a config. If the config has an equation, makes the plugin from
   this text, without reading the file NAME.eq, which may have changed. */
Plugin plugin_of(const Config *c);

/* The directory of the running executable. */
const char *executable_directory(void);

/* The path of one of the program's directories of data, such as "plots". This
   directory is beside the executable or, if it is not there, in ../share/qkv,
   as seen from the executable. */
char *beside_program(const char *name);

#endif
