/* options.h - the words of a command line, taken apart.

   Options come from two tables: the settings of a run (settings.h) and those
   of the commands themselves (grammar.c). --help is printed from the same two.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "driver/grammar.h"
#include "page/escape.h"

/* Reads the options of the command that argv[0] names. Exits (2) with what is
   wrong, or (0) after --help. */
Options options_read(int argc, char **argv);

/* The plugin that a word of the command line names: ./mine.c is compiled. Makes
   settings of what it declares; exits if one of them is there already. */
const char *plugin_meant(const char *word);

/* What --tsv, --json, --markdown or --latex ask for, else ALIGNED on a terminal
   and TSV in a pipe. */
Layout layout_of(const Options *o);

/* Shows on a terminal how many layers of a model are done; -q is quiet. */
void show_layers(const Options *o, int done, int all);

#endif
