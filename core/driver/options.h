/* options.h - reads a command line.

   There are two tables of options: the settings of a run (config/settings.c)
   and the commands' own options (driver/option_table.c). --help prints the same
   tables. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "driver/commands.h"
#include "driver/option_table.h"
#include "page/escape.h"

/* Reads the options of the command that argv[0] names. Exits (2) with a message
   if one is wrong, or (0) after --help. */
Options options_read(int argc, char **argv);

/* Returns the name or the path by which plugin_open finds the plugin that the
   user typed. If it is a C file, it is compiled, and the path is that of the
   .so file. Adds the variant's own settings to the table of settings; exits if
   qkv has a setting of that name. */
const char *plugin_typed(const char *word);

/* The layout that --tsv, --json, --markdown or --latex chooses; without one,
   ALIGNED on a terminal and TSV in a pipe. */
Layout layout_of(const Options *o);

/* Shows on a terminal that `done` of all layers of a model are done, and clears
   the line after the last one. With -q it shows nothing. */
void show_layers(const Options *o, int done, int all);

#endif
