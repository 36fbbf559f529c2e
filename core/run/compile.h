/* compile.h - from a plugin's source to a shared object. */
#ifndef COMPILE_H
#define COMPILE_H

#include "base/files.h"

/* The folder of the public headers, for -I. */
Path include_directory(void);

/* Compiles SOURCE into NAME.so and double/NAME.so of a new folder under
   $TMPDIR, with $CC (or cc), whose messages go to stderr, and sets their paths.
   Exits if that fails. The folder is removed when the program ends. */
void compile_plugin(const char *source, const char **single, const char **both);

/* A word that names a plugin on the command line: if it is a source, ./mine.c,
   compiles it into ./mine.so (qkv-double: into ./double/mine.so) and returns
   that; else the word. */
const char *plugin_built(const char *word);

#endif
