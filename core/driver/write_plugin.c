/* write_plugin.c - qkv write-plugin NAME EQUATION: prints the C file of a
   plugin that computes an equation. plots/commands/new.sh calls it. */
#include <stdio.h>

#include "driver/commands.h"
#include "equation/plan.h"
#include "equation/print_plugin.h"
#include "heart/fail.h"

int
command_write_plugin(int argc, char **argv)
{
    if (argc != 3)
        usage("write-plugin: it takes NAME EQUATION");
    const EquationText *text = equation_read("the equation", argv[2]);
    print_plugin(stdout, argv[1], plan_make(text));
    return 0;
}
