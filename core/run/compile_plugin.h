/* compile_plugin.h - compiles the source of a plugin into a shared object. */
#ifndef COMPILE_PLUGIN_H
#define COMPILE_PLUGIN_H

/* `word` names a plugin on the command line. If it is a source, ./mine.c, it is
   compiled with $CC (or cc) into ./mine.so (by qkv-double into
   ./double/mine.so), and that path is returned. Exits if the compiler fails; it
   has then printed why. Any other word is returned unchanged. */
const char *plugin_built(const char *word);

#endif
