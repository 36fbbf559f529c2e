/* find_plugin.h - finds and opens plugins. <qkv/variant.h> says what a plugin
   is. */
#ifndef FIND_PLUGIN_H
#define FIND_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"
#include "base/words.h"
#include "heart/config.h"
#include "heart/plugin.h"

/* A text in a config, such as the equation of NAME.eq, has fewer bytes than
   this. */
enum { WORD_SIZE = 1024 };

/* The words that a variant's .shape may contain. */
#define SHAPE_OPTIONS "heads kv-heads d-k d-v latent"

typedef struct Plugin {
    const Variant *variant;
    const char *name; /* the file's name without directory and ending */
    const char *path;
    uint64_t hash;        /* a hash of the file's bytes or, if it is NAME.eq, of
                             `equation` */
    const char *equation; /* if it is NAME.eq: Variant.equation; otherwise "" */
    bool own_operator;    /* it defines an operator, so it works only with the
                             `real` that it was compiled for */
} Plugin;

/* One of a variant's own settings: the name and the default that it declares in
   .settings, "window=4". A value is between -OWN_MOST and OWN_MOST. */
#define OWN_MOST 1e300
enum { OWN_NAME_SIZE = 32 };
typedef struct OwnSetting {
    char name[OWN_NAME_SIZE]; /* "" if it is not a valid name */
    double value;             /* NaN if it is not a number */
} OwnSetting;

/* Reads the next "name=value" of a list of words, and moves *list past it.
   Skips words without "=". Returns false at the end of the list. */
bool next_own_setting(const char **list, OwnSetting *own);

/* What a variant uses: its .shape, followed by its .settings, such as "heads
   d-k window=4". */
const char *variant_uses(const Variant *v);

/* The name of the plugin that a word means. The word is a name or a path:
   "./mine.so" -> "mine". Exits (2) if it cannot be either. */
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
   ../lib/qkv/variants; if two have the same name, the first is used. qkv-double
   first looks in the folder "double" of each directory, which holds the plugins
   that define an operator, compiled for double. */
Values plugin_list(void);

/* Opens a plugin and checks what it declares. The word is a name, or a path
   that was passed to plugin_trust. The plugin's code may run from then on, so
   call this only in a child process (run/plugin_process.h). Exits if the plugin
   cannot be opened. */
Plugin plugin_open(const char *word);

/* The plugin of a config. If the config has an equation, makes the plugin from
   it without reading its file, which may have changed. */
Plugin plugin_of(const Config *c);

/* The directory of the running executable. */
const char *executable_directory(void);

/* The path of the program's data of this name, such as "plots": beside the
   executable, or in ../share/qkv if that has none. */
char *beside_program(const char *name);

#endif
