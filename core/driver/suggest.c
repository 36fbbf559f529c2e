/* suggest.c - qkv suggest: scripts call it to tell their user which option or
   file was probably meant. It prints " did you mean NAME?", or nothing if no
   name is close to the word. */
#include <stdio.h>

#include "base/report.h"
#include "base/words.h"
#include "driver/commands.h"
#include "heart/fail.h"

int
command_suggest(int argc, char **argv)
{
    if (argc < 2)
        usage("suggest: it takes WORD [NAME ...]");
    Values names = {argv + 2, argc - 2, argc - 2};
    return end_well(fputs(suggestion(argv[1], &names), stdout) < 0);
}
