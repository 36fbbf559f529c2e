/* print_plugin.h - the plan of an equation, written as the C file of a plugin.

   The file reads as variants/standard.c does, and computes what the equation
   does, with the same bits. */
#ifndef PRINT_PLUGIN_H
#define PRINT_PLUGIN_H

#include <stdio.h>

#include "equation/steps.h"

/* Writes NAME.c. */
void print_plugin(FILE *to, const char *name, const Plan *p);

#endif
