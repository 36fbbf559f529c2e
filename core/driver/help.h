/* help.h - what --help prints, from the tables of the options. */
#ifndef HELP_H
#define HELP_H

#include "driver/grammar.h"

/* What `qkv` and `qkv help` print. */
void print_commands(void);

/* Prints what a command does and its common options, or all. */
void print_help(const Command *c, bool all);

#endif
