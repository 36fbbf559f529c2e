/* compile.c - from a plugin's source to a shared object, in a draft that is
   never published. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/cli/child.h"
#include "driver/check/compile.h"

/* Where a plugin may name what only the program has. */
#ifdef __APPLE__
#define LOOKED_UP "-undefined", "dynamic_lookup",
#else
#define LOOKED_UP
#endif

Path
include_directory(void)
{
    const char *here = executable_directory();
    Path built = within(here, "include");
    return access(built.text, F_OK) ? within(here, "../include") : built;
}

/* Runs $CC, which may be several words, on the source: for doubles where
   `quiet` is -w. */
static void
compile(const char *source, const char *to, const char *quiet)
{
    enum { MOST = 32 };
    const char *compiler = getenv("CC");
    bool given = compiler && compiler[strspn(compiler, " ")];
    char *words = copy_text(given ? compiler : "cc");
    char *include = format_text("-I%s", include_directory().text);
    char *argv[MOST + 14], *rest;
    int count = 0;
    for (char *w = strtok_r(words, " ", &rest); w;
         w = strtok_r(NULL, " ", &rest)) {
        if (count == MOST)
            usage("CC: more than %d words", MOST);
        argv[count++] = w;
    }
    if (quiet)
        argv[count++] = "-DQKV_DOUBLE";
    const char *flags[] = {
        "-O2", "-Wall", "-shared", "-fPIC", LOOKED_UP include,
        "-o",  to,      source,    quiet};
    for (size_t i = 0; i < sizeof flags / sizeof *flags && flags[i]; i++)
        argv[count++] = (char *)flags[i];
    argv[count] = NULL;
    if (run_program(argv, "set CC to a C compiler"))
        fail("%s: does not compile: the compiler's messages stand above",
             source);
    free(include);
    free(words);
}

Path
compile_plugin(const char *source)
{
    const char *tmp = getenv("TMPDIR"), *slash = strrchr(source, '/');
    if (!tmp || !*tmp)
        tmp = "/tmp";
    if (access(source, R_OK))
        fail("%s: cannot be read: %s", source, strerror(errno));
    char *name = copy_text(slash ? slash + 1 : source);
    name[strlen(name) - 2] = 0; /* without .c */
    if (access(tmp, W_OK | X_OK))
        fail("%s: cannot be written: %s; set TMPDIR", tmp, strerror(errno));
    drafts_sweep(tmp);
    Path path = draft_begin(tmp, name)->path;
    new_directory(path.text, "double");
    char *single = format_text("%s/%s.so", path.text, name);
    char *both = format_text("%s/double/%s.so", path.text, name);
    compile(source, single, NULL);
    compile(source, both, "-w"); /* its warnings stand there already */
    free(single);
    free(both);
    free(name);
    return path;
}
