/* plugin.h - finds, opens and checks plugins, and takes down what they
   declare. What a plugin must be, <qkv/variant.h> says. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <qkv/variant.h>

enum { NAME_SIZE = 64, PATH_SIZE = 4096 };

typedef struct Plugin {
    const Variant *variant;
    char name[NAME_SIZE]; /* the file's, without directory and .so */
    char path[PATH_SIZE];
    uint64_t hash;    /* of the file's bytes */
    int own_operator; /* 1: it brings one, for this program's numbers only */
} Plugin;

/* The name in a word that is a name or a path: "./mine.so" -> "mine". */
void plugin_name(const char *word, char name[NAME_SIZE]);

/* A plugin is code. One that is found by its name is the user's own, and so is
   a path that the user gave; a path that is merely written in a run is not
   opened. */
void plugin_given(const char *word);
bool plugin_was_given(const char *word);

/* The file of a plugin: a word with a slash is a path, another one is looked
   for in each directory of $QKV_PATH, then beside the executable, then in
   ../lib/qkv of it; in double first in the folder "double" of each, where those
   with an operator of their own lie. NULL if there is none, with all that was
   tried in *tried. Both to be freed. */
char *plugin_find(const char *word, char **tried);

/* Every plugin found in those directories: paths in order of name, the first
   directory's where two have one name. To be freed, each and the array. */
char **plugin_list(int *count);

/* Opens a plugin and checks it. This runs the plugin's code. Says what was
   tried and what to do, and exits, where it cannot be had. */
Plugin plugin_open(const char *word);

/* The FNV-1a hash of a plugin's file. */
uint64_t plugin_hash(const char *path);

/* The directory that the running executable lies in. */
const char *executable_directory(void);

/* The program's argv[0], where the system does not tell it otherwise. */
void executable_called(const char *word);

typedef struct Declared {
    char name[NAME_SIZE];
    int rows, cols;
    double mean, deviation; /* of the numbers that it starts as */
} Declared;

struct Weights {
    Declared *list;
    int count, room;
};

/* What the variant declares for attention `a`; weights_free it. */
Weights weights_declared(const Variant *v, const Attention *a);
void weights_free(Weights *w);

#endif
