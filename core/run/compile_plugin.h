/* compile_plugin.h - compiles a plugin, named on the command line by its
   source, into a shared object. */
#ifndef COMPILE_PLUGIN_H
#define COMPILE_PLUGIN_H

/* `word` names a plugin on the command line. A source such as ./mine.c,
   a path with a slash, is compiled with $CC (or cc) into ./mine.so (by
   qkv-double into ./double/mine.so), and the path of that .so file is returned.
   Any other word is returned unchanged. Exits if the source is missing, has a
   name that is not allowed, or does not compile. */
const char *plugin_built(const char *word);

#endif
