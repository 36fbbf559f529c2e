/* compile.h - from a plugin's source to a shared object. */
#ifndef COMPILE_H
#define COMPILE_H

/* For a word that names a plugin on the command line. If it is a source,
   ./mine.c, compiles it with $CC (or cc) into ./mine.so (qkv-double: into
   ./double/mine.so) and returns that path; exits if the compiler fails, whose
   messages are on stderr. Any other word is returned unchanged. */
const char *plugin_built(const char *word);

#endif
