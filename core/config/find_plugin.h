/* find_plugin.h - finds and opens plugins. What a plugin must be,
 * <qkv/variant.h> says. */
#ifndef FIND_PLUGIN_H
#define FIND_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "heart/plugin.h"

enum { PATH_SIZE = 4096 };

/* What a variant's .shape is made of. */
#define SHAPE_OPTIONS "heads kv-heads d-k d-v latent"

typedef struct Plugin {
    const Variant *variant;
    char name[NAME_SIZE]; /* the file's, without directory and .so */
    char path[PATH_SIZE];
    uint64_t hash;     /* of the file's bytes */
    bool own_operator; /* 1: it brings one, for this program's `real` only */
} Plugin;

/* Settings of variants' own: how long a name is, and how many there can be. */
#define OWN_MOST 1e300 /* the largest value of one */
enum { OWN_NAME = 32 };
typedef struct Own {
    char name[OWN_NAME]; /* "" where it cannot be one */
    double value;        /* NaN where it is no number */
} Own;

/* The next "name=value" of a list, in which words without = are stepped over;
   false at its end. */
bool own_next(const char **list, Own *own);

/* Can a setting of a variant's own be called that? */
bool is_own_name(const char *name);

/* What the variant uses: its .shape, and its .settings behind. */
const char *variant_uses(const Variant *v);

/* The name in a word that is a name or a path: "./mine.so" -> "mine". */
void plugin_name(const char *word, char name[NAME_SIZE]);

/* A plugin is code. What is found by its name is the user's own, and so is a
   path that the user gave on the command line. A path that a file has, of a run
   or whatever else, is never opened: it is taken for the name in it. */
void plugin_given(const char *word);
const char *plugin_believed(const char *word);

/* The file of the plugin of that name, in the first that has one of the
   directories of $QKV_PATH, then beside the executable, then in ../lib/qkv of
   it; in double first in the folder "double" of each, where those with an
   operator of their own are. To be freed; NULL if there is none. */
char *plugin_find(const char *name);

/* The names of all plugins in those directories, in order. To be freed. */
Values plugin_list(void);

/* Opens a plugin, of a name or a path that is believed, and checks it. This
   runs the plugin's code, and nothing else does, so it is done in a process
   that is watched (run/plugin_process.h). Says what was tried and what
   to do, and exits, where it cannot be had. */
Plugin plugin_open(const char *word);

/* The directory of the running executable. */
const char *executable_directory(void);

#endif
