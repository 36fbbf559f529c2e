/* draft.c - qkv draft DIR PROGRAM [WORD ...]: lets a script write files as a
   whole or not at all.

   It runs a program, which writes its files into the directory $QKV_DRAFT, a
   draft (base/files.h). If the program succeeds, its files are moved to DIR; if
   it fails or is killed, they are removed. */
#include <stdlib.h>

#include "base/files.h"
#include "driver/commands.h"
#include "run/child_process.h"

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
