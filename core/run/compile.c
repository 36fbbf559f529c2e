/* compile.c - from a plugin's source to a shared object: for `check` in a draft
   that is never published, for other commands beside the source. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "run/compile.h"
#include "run/plugin_process.h"
#include "heart/fail.h"

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

/* A function that forgets to return something returns anything. */
#define WARN "-Wall -Werror=return-type"

static void
compile(const char *source, const char *out, const char *options)
{
    Path headers = include_directory();
    char *argv[] = {
        "sh",           "-c",        (char *)command, "sh", headers.text,
        (char *)source, (char *)out, (char *)options, NULL};
    if (access(source, R_OK))
        fail("%s: cannot be read: %s", source, strerror(errno));
    if (run_program(argv, NULL, "it starts the compiler"))
        fail("%s: does not compile: see the messages above; if there is no "
             "compiler, set CC to one",
             source);
}

Path
include_directory(void)
{
    const char *here = executable_directory();
    Path built = within(here, "include");
    return access(built.text, F_OK) ? within(here, "../include") : built;
}

void
compile_plugin(const char *source, const char **single, const char **both)
{
    const char *tmp = getenv("TMPDIR"), *slash = strrchr(source, '/');
    tmp = tmp && *tmp ? tmp : "/tmp";
    const char *file = slash ? slash + 1 : source;
    char *name = format_text("%.*s", (int)strlen(file) - 2, file);
    plugin_name(name, (char[NAME_SIZE]){0});
    drafts_sweep(tmp);
    Path path = draft_begin(tmp, name)->path;
    new_directory(path.text, "double");
    *single = format_text("%s/%s.so", path.text, name);
    *both = format_text("%s/double/%s.so", path.text, name);
    compile(source, *single, WARN);
    compile(source, *both, "-w -DQKV_DOUBLE"); /* warnings are shown once */
    plugin_given(*single);
    plugin_given(*both);
    free(name);
}

const char *
plugin_built(const char *word)
{
    const char *slash = strrchr(word, '/'), *dot = strrchr(word, '.');
    if (!slash || !dot || strcmp(dot, ".c"))
        return word;
    int folder = (int)(slash - word), stem = (int)(dot - slash) - 1;
    bool wide = sizeof(real) == 8;
    char *out = format_text("%.*s/%s%.*s.so", folder, word,
                            wide ? "double/" : "", stem, slash + 1);
    char *inner = format_text("%.*s/double", folder, word);
    if (wide && mkdir(inner, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s", inner, strerror(errno));
    compile(word, out, wide ? WARN " -DQKV_DOUBLE" : WARN);
    free(inner);
    return out;
}
