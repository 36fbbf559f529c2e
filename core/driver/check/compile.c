/* compile.c - from a plugin's source to a shared object, in a draft that
   is never published. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "variant/plugin.h"
#include "driver/cli/child.h"
#include "driver/check/compile.h"

/* For symbols that are only in the program. */
#ifdef __APPLE__
#define LOOKED_UP " -undefined dynamic_lookup"
#else
#define LOOKED_UP ""
#endif

/* sh: HEADERS SOURCE FLOAT DOUBLE. The shell splits $CC into words; warnings
 * are shown once. */
static const char commands[] =
    "set -e\n"
    "compile() { ${CC:-cc} -O2 -shared -fPIC" LOOKED_UP " \"$@\"; }\n"
    "compile \"-I$1\" \"$2\" -o \"$3\" -Wall\n"
    "compile \"-I$1\" \"$2\" -o \"$4\" -w -DQKV_DOUBLE\n";

Path
include_directory(void)
{
    const char *here = executable_directory();
    Path built = within(here, "include");
    return access(built.text, F_OK) ? within(here, "../include") : built;
}

Path
compile_plugin(const char *source)
{
    const char *tmp = getenv("TMPDIR"), *slash = strrchr(source, '/');
    if (!tmp || !*tmp)
        tmp = "/tmp";
    if (access(source, R_OK))
        fail("%s: cannot be read: %s", source, strerror(errno));
    if (access(tmp, W_OK | X_OK))
        fail("%s: cannot be written: %s; set TMPDIR", tmp, strerror(errno));
    const char *file = slash ? slash + 1 : source;
    char *name = format_text("%.*s", (int)strlen(file) - 2, file);
    drafts_sweep(tmp);
    Path path = draft_begin(tmp, name)->path;
    new_directory(path.text, "double");
    char *single = format_text("%s/%s.so", path.text, name);
    char *both = format_text("%s/double/%s.so", path.text, name);
    Path headers = include_directory();
    char *argv[] = {"sh",   "-c",         (char *)commands,
                    "sh",   headers.text, (char *)source,
                    single, both,         NULL};
    if (run_program(argv, "it starts the compiler"))
        fail("%s: does not compile: see the messages above; if there is no "
             "compiler, "
             "set CC to one",
             source);
    free(single);
    free(both);
    free(name);
    return path;
}
