/* compile_plugin.c - compiles the source of a plugin into a shared object. */
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#include <qkv/real.h>

#include "base/files.h"
#include "config/find_plugin.h"
#include "heart/fail.h"
#include "run/compile_plugin.h"
#include "run/child_process.h"

/* The linker of macOS needs an option to allow undefined symbols. A plugin has
   some: functions of the program, which are found when it is loaded. */
#ifdef __APPLE__
#define LOOKED_UP " -undefined dynamic_lookup"
#else
#define LOOKED_UP ""
#endif

static const bool in_double = sizeof(real) == sizeof(double);

/* The command for a shell. $1 is the program's folder, $2 the source, $3 the
   file to write and $4 more options. The public headers are in the folder
   `include` of $1 or, if the program is installed, beside $1. The shell splits
   $CC and $4 into words. $CFLAGS is not used: a plugin is identified by the
   bytes of its compiled file, so flags that happen to be in the environment
   would make it a different plugin. */
static const char command[] =
    "${CC:-cc} -O2 -fno-fast-math -ffp-contract=off -shared -fPIC" LOOKED_UP
    " \"-I$1/include\" \"-I$1/../include\" \"$2\" -o \"$3\" $4";

/* Compiles `source` into DIRECTORY/NAME. The compiler writes into a draft,
   because the old file may be in use and the compiler may be killed. In float,
   a missing return statement is an error, because the caller would get an
   arbitrary value. In double there are no warnings and no such error: `qkv
   check` compiles for float first, which has printed them. The "sh" after the
   command is its $0, the name of the shell in messages. */
static void
compile(const char *source, const char *directory, const char *name)
{
    Draft *draft = draft_begin(directory, name);
    char *out = within(draft->path, name);
    const char *options =
        in_double ? "-w -DQKV_DOUBLE" : "-Wall -Werror=return-type";
    const char *here = executable_directory();
    char *argv[] = {
        "sh",           "-c",        (char *)command, "sh", (char *)here,
        (char *)source, (char *)out, (char *)options, NULL};
    if (run_program(argv))
        fail("%s: does not compile: see the messages above; if no compiler was "
             "found, set CC to one",
             source);
    draft_end(draft, REPLACE_OLD);
}

const char *
plugin_built(const char *word)
{
    const char *slash = strrchr(word, '/'), *dot = strrchr(word, '.');
    bool is_source = slash && dot && !strcmp(dot, ".c");
    if (!is_source)
        return word;
    char *directory = dirname(copy_text(word));
    char *name = format_text("%.*s.so", (int)(dot - slash - 1), slash + 1);
    plugin_name(within(directory, name)); /* exits if the name is not allowed */
    if (in_double) {
        directory = within(directory, "double");
        mkdir(directory, 0777);
    }
    read_text(word, "source"); /* exits if there is no such file */
    compile(word, directory, name);
    return within(directory, name);
}
