/* print_plugin.h - writes the plan of an equation as the C file of a plugin.

   The file has the form of variants/standard.c. The plugin that it makes
   computes the same bits as the equation. */
#ifndef PRINT_PLUGIN_H
#define PRINT_PLUGIN_H

#include <stdio.h>

#include "equation/steps.h"

/* Writes the C source of a variant with this name to an open file. */
void print_plugin(FILE *to, const char *name, const Plan *p);

#endif
