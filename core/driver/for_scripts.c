/* for_scripts.c - the commands that only scripts call (commands.h). */
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "driver/commands.h"
#include "equation/plan.h"
#include "equation/print_plugin.h"
#include "run/child_process.h"

/* qkv draft DIR PROGRAM [WORD ...]: lets a script write all of its files or
   none. The program writes them into the directory $QKV_DRAFT, a draft
   (base/files.h). If the program succeeds, the files are moved to DIR; if it
   fails or is killed, they are removed. */
int
command_draft(int argc, char **argv)
{
    enum { DIRECTORY = 1, PROGRAM }; /* the words of the command */
    if (argc <= PROGRAM)
        usage("draft: it takes DIR PROGRAM [WORD ...]");
    Draft *draft = draft_begin(argv[DIRECTORY], "draft");
    setenv("QKV_DRAFT", draft->path, 1);
    int status = run_program(argv + PROGRAM);
    if (status == 0)
        draft_end(draft, REPLACE_OLD);
    else
        discard(draft->path);
    return status;
}

/* qkv suggest WORD [NAME ...]: prints " did you mean NAME?" with the name that
   is closest to the word, or nothing if none is close. A script adds that to
   its message about a wrong option or file. */
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

/* qkv write-plugin NAME EQUATION: prints the C file of a plugin that computes
   an equation. plots/commands/new.sh calls it. */
int
command_write_plugin(int argc, char **argv)
{
    enum { NAME = 1, EQUATION, WORDS }; /* the words of the command */
    if (argc != WORDS)
        usage("write-plugin: it takes NAME EQUATION");
    const EquationText *text = equation_read("the equation", argv[EQUATION]);
    print_plugin(stdout, argv[NAME], plan_make(text));
    return 0;
}
