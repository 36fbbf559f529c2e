/* compile.h - from a plugin's source to a shared object. */
#ifndef COMPILE_H
#define COMPILE_H

/* A word that names a plugin on the command line: if it is a source, ./mine.c,
   compiles it with $CC (or cc), whose messages go to stderr, into ./mine.so
   (qkv-double: into ./double/mine.so) and returns that; else the word. Exits if
   that fails. */
const char *plugin_built(const char *word);

#endif
