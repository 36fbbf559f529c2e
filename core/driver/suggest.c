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
    enum { WORD_TYPED = 1, FIRST_NAME }; /* the words of the command */
    if (argc <= WORD_TYPED)
        usage("suggest: it takes WORD [NAME ...]");
    Values names = {.text = argv + FIRST_NAME, .count = argc - FIRST_NAME};
    const char *answer = suggestion(argv[WORD_TYPED], &names);
    return end_well(fputs(answer, stdout) < 0);
}
