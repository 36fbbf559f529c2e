/* suggest.c - qkv suggest WORD [NAME ...]: prints " did you mean NAME?" with
   the name that is closest to the word, or nothing if none is close. Scripts
   add it to their messages about a wrong option or file. */
#include <stdio.h>

#include "base/report.h"
#include "base/words.h"
#include "driver/commands.h"

int
command_suggest(int argc, char **argv)
{
    if (argc < 2)
        usage("suggest: it takes WORD [NAME ...]");
    Values names = {.text = argv + 2, .count = argc - 2};
    return end_well(fputs(suggestion(argv[1], &names), stdout) < 0);
}
