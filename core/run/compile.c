/* compile.c - from a plugin's source to a shared object. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/files.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "heart/fail.h"
#include "run/compile.h"
#include "run/plugin_process.h"

/* For symbols that are only in the program. */
#ifdef __APPLE__
#define LOOKED_UP " -undefined dynamic_lookup"
#else
#define LOOKED_UP ""
#endif

/* sh: HEADERS SOURCE OUT OPTIONS. The shell splits $CC and OPTIONS into words;
   OUT is replaced in one step, for it may be in use. */
static const char command[] =
    "${CC:-cc} -O2 -ffp-contract=off -shared -fPIC" LOOKED_UP
    " \"-I$1\" \"$2\" -o \"$3.$$\" $4 && mv -f \"$3.$$\" \"$3\"";

/* The folder of the public headers, for -I. */
static Path
include_directory(void)
{
    const char *here = executable_directory();
    Path built = within(here, "include");
    return access(built.text, F_OK) ? within(here, "../include") : built;
}

/* A function that forgets to return something returns anything. `check`
   compiles in double after it has compiled in float, and shows warnings once.
 */
static const char *
options(void)
{
    return sizeof(real) == 8 ? "-w -DQKV_DOUBLE" : "-Wall -Werror=return-type";
}

static void
compile(const char *source, const char *out)
{
    Path headers = include_directory();
    char *argv[] = {
        "sh",           "-c",        (char *)command,   "sh", headers.text,
        (char *)source, (char *)out, (char *)options(), NULL};
    if (access(source, R_OK))
        fail("%s: cannot be read: %s", source, strerror(errno));
    if (run_program(argv, NULL, "it starts the compiler"))
        fail("%s: does not compile: see the messages above; if there is no "
             "compiler, set CC to one",
             source);
}

const char *
plugin_built(const char *word)
{
    const char *slash = strrchr(word, '/'), *dot = strrchr(word, '.');
    bool wide = sizeof(real) == 8;
    if (!slash || !dot || strcmp(dot, ".c"))
        return word;
    char *folder = format_text("%.*s", (int)(slash - word), word);
    if (wide)
        replace(&folder, format_text("%s/double", folder));
    if (wide && mkdir(folder, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s", folder, strerror(errno));
    char *out =
        format_text("%s/%.*s.so", folder, (int)(dot - slash - 1), slash + 1);
    plugin_name(out, (char[NAME_SIZE]){0}); /* exits if it is none */
    compile(word, out);
    free(folder);
    return out;
}
