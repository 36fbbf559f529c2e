/* help.h - prints the help of the program and of its commands. */
#ifndef HELP_H
#define HELP_H

#include "driver/option_table.h"

/* Prints the list of commands, as `qkv` and `qkv help` do. */
void print_commands(void);

/* Prints the help of a command: with all options if `all`, else with the common
   ones. */
void print_help(const Command *c, bool all);

#endif
