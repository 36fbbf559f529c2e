/* plugin.h - finds, opens and checks plugins, and notes what they declare. What
 * a plugin must be, <qkv/variant.h> says. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <qkv/variant.h>
#include "base/words.h"

enum { NAME_SIZE = 64, PATH_SIZE = 4096 };

/* What a variant's .shape is made of. */
#define SHAPE_OPTIONS "heads kv-heads d-k d-v latent"

typedef struct Plugin {
    const Variant *variant;
    char name[NAME_SIZE]; /* the file's, without directory and .so */
    char path[PATH_SIZE];
    uint64_t hash;    /* of the file's bytes */
    int own_operator; /* 1: it brings one, for this program's `real` only */
} Plugin;

/* Settings of variants' own: how long a name is, and how many there can be. */
#define OWN_MOST 1e300 /* the largest value of one */
enum { OWN_NAME = 32, MOST_OWN = 8, USES_SIZE = 512 };
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
   or whatever else, is never opened: it is taken for the name in it. Exits
   where that is not found. */
void plugin_given(const char *word);
const char *plugin_believed(const char *word);

/* The file of the plugin of that name, in the first that has one of the
   directories of $QKV_PATH, then beside the executable, then in ../lib/qkv of
   it; in double first in the folder "double" of each, where those with an
   operator of their own are. To be freed; NULL if there is none. Exits where
   anybody may write to the file or its directory. */
char *plugin_find(const char *name);

/* The names of all plugins in those directories, in order. To be freed. */
Values plugin_list(void);

/* Opens a plugin, of a name or a path that is believed, and checks it. This
   runs the plugin's code, and nothing else does, so it is done in a process
   that is watched (driver/cli/plugin_process.h). Says what was tried and what
   to do, and exits, where it cannot be had. */
Plugin plugin_open(const char *word);

/* The FNV-1a hash of a plugin's file. */
uint64_t plugin_hash(const char *path);

/* The directory of the running executable. */
const char *executable_directory(void);

typedef struct Declared {
    char name[NAME_SIZE];
    int rows, cols;
    double mean, deviation; /* of its initial entries */
} Declared;

struct Weights {
    Declared *list;
    int count, room;
};

/* What the variant declares for attention `a`; weights_free it. */
Weights weights_declared(const Variant *v, const Attention *a);
void weights_free(Weights *w);

/* Its forward; what it returns is as x is. */
Node *plugin_forward(const Variant *v, Attention *a, Node *x, Node *y,
                     Node **w);

/* Where there is no model around it: the blocks before that of a, on the same
   tokens, for what they remember. */
void plugin_forward_earlier(const Variant *v, const Attention *a, Node *x,
                            Node *y, Node **w);

/* The plugins that are open, the latest first. */
typedef struct OpenPlugin {
    const Variant *variant;
    const char *path;
    struct OpenPlugin *next;
} OpenPlugin;
extern OpenPlugin *open_plugins;

/* The path of the plugin that a variant came with; NULL if it came with none.
 */
const char *plugin_of(const Variant *v);

#endif
