/* draft.c - qkv draft: how a script writes files, as a whole or not at all.

   The program that it names finds in $QKV_DRAFT the draft (base/files.h) of
   what is to go into the directory. If it succeeds, its files go there; if not,
   or if it is killed, they are swept away. */
#include <stdlib.h>

#include "base/files.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "run/process.h"

int
command_draft(int argc, char **argv)
{
    if (argc < 3)
        usage("draft: it takes DIR PROGRAM [WORD ...]");
    Draft *draft = draft_begin(argv[1], "draft");
    setenv("QKV_DRAFT", draft->path, 1);
    int status = run_program(argv + 2);
    if (status == 0)
        draft_end(draft, true);
    else
        discard(draft->path);
    return status;
}
