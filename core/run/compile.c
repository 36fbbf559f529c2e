/* compile.c - from a plugin's source to a shared object. */
#include <string.h>

#include <qkv/real.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "heart/fail.h"
#include "run/compile.h"
#include "run/process.h"

/* For symbols that are only in the program. */
#ifdef __APPLE__
#define LOOKED_UP " -undefined dynamic_lookup"
#else
#define LOOKED_UP ""
#endif

/* sh: HERE SOURCE OUT OPTIONS. The public headers are in the folder of this
   program, or beside that. The shell splits $CC and OPTIONS into words; OUT is
   replaced in one step, for it may be in use. */
static const char command[] =
    "mkdir -p \"${3%/*}\" && ${CC:-cc} -O2 -ffp-contract=off -shared "
    "-fPIC" LOOKED_UP " \"-I$1/include\" \"-I$1/../include\" \"$2\" "
    "-o \"$3.$$\" $4 && mv -f \"$3.$$\" \"$3\"";

/* A function that forgets to return something returns anything. `check`
   compiles in double after it has compiled in float, and shows warnings once.
 */
static void
compile(const char *source, const char *out)
{
    const char *options =
        sizeof(real) == 8 ? "-w -DQKV_DOUBLE" : "-Wall -Werror=return-type";
    const char *here = executable_directory();
    char *argv[] = {
        "sh",           "-c",        (char *)command, "sh", (char *)here,
        (char *)source, (char *)out, (char *)options, NULL};
    if (run_program(argv))
        fail("%s: does not compile: see the messages above; if there is no "
             "compiler, set CC to one",
             source);
}

const char *
plugin_built(const char *word)
{
    const char *slash = strrchr(word, '/'), *dot = strrchr(word, '.');
    if (!slash || !dot || strcmp(dot, ".c"))
        return word;
    char *out = format_text("%.*s%s%.*s.so", (int)(slash - word), word,
                            sizeof(real) == 8 ? "/double" : "",
                            (int)(dot - slash), slash);
    plugin_name(out); /* exits if it is none */
    compile(word, out);
    return out;
}
