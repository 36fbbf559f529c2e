/* compile_plugin.h - compiles a plugin, named on the command line by its
   source, into a shared object. */
#ifndef COMPILE_PLUGIN_H
#define COMPILE_PLUGIN_H

/* `word` names a plugin on the command line. A source such as ./mine.c is
   compiled with $CC (or cc) into ./mine.so (by qkv-double into
   ./double/mine.so), and that path is returned. Any other word is returned
   unchanged. Exits if compilation fails; the compiler has then printed why. */
const char *plugin_built(const char *word);

#endif
