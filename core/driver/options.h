/* options.h - reads a command line.

   An option is a setting of runs (config/settings.c) or a command's own option
   (driver/option_table.c). --help prints the same two tables. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "driver/commands.h"
#include "driver/option_table.h"
#include "page/escape.h"

/* Reads the options of the command that argv[0] names. Exits (2) with a message
   if one is wrong, or (0) after --help. */
Options options_read(int argc, char **argv);

/* Returns the name or the path by which plugin_open finds the plugin that the
   user typed. A C file is compiled first, and the .so file's path is returned.
   Adds the settings that the variant declares to the table of settings; exits
   if qkv already has a setting of that name. */
const char *plugin_typed(const char *word);

/* The layout that --tsv, --json, --markdown or --latex chooses; without one,
   ALIGNED on a terminal and TSV in a pipe. */
Layout layout_of(const Options *o);

/* Shows the progress, "3 of 12 layers", in a line of the terminal, which the
   last layer clears. Without a terminal, or with -q, it shows nothing. */
void show_layers(const Options *o, int done, int layers);

#endif
