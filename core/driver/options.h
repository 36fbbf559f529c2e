/* options.h - reads the words of a command line.

   There are two tables of options: the settings of a run (config/settings.c)
   and the commands' own options (driver/grammar.c). --help prints the same
   tables. This header also brings a command the common tools: words, files and
   messages (base/words.h, heart/fail.h). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "driver/grammar.h"
#include "page/escape.h"

/* Reads the options of the command that argv[0] names. Exits (2) with a message
   if one is wrong, or (0) after --help. */
Options options_read(int argc, char **argv);

/* The plugin that a word of the command line names; ./mine.c is compiled.
   Declares the variant's own settings; exits if qkv has a setting of that name.
 */
const char *plugin_meant(const char *word);

/* The layout that --tsv, --json, --markdown or --latex chooses; without one,
   ALIGNED on a terminal and TSV in a pipe. */
Layout layout_of(const Options *o);

/* Shows on a terminal how many layers of a model are done, unless -q was given.
 */
void show_layers(const Options *o, int done, int all);

#endif
