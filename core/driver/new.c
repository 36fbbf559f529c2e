/* new.c - qkv new: a plugin to start from, which is the standard one. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "run/compile.h"
#include "driver/options.h"
#include "driver/commands.h"
#include "heart/fail.h"

/* variants/standard.c, of the sources (build/include leads to their core) or
   as it was installed; to be freed. */
static char *
standard_source(void)
{
    size_t size;
    Path path = within(include_directory().text, "../variants/standard.c");
    if (access(path.text, R_OK))
        path =
            within(executable_directory(), "../share/qkv/variants/standard.c");
    return read_file(path.text, "the standard variant", &size);
}

/* The standard one, under another comment at its head, and in no family: it is
   to become something else. */
static bool
write_source(FILE *to, const char *name, const char *standard)
{
    const char *from = strstr(standard, "#include");
    const char *family = strstr(from, "    .family");
    fprintf(to,
            "/* %s.c - a variant of attention; so far, the standard one.\n\n"
            "   Check it, train it:\n\n"
            "       qkv check ./%s.c\n"
            "       qkv compare -v standard,./%s.c -t reverse,induction\n\n"
            "   <qkv/variant.h> is the manual, <qkv/tape.h> and <qkv/attend.h> "
            "list\n   the operators. */\n%.*s%s",
            name, name, name, (int)(family - from), from,
            strchr(family, '\n') + 1);
    return !ferror(to);
}

int
command_new(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    char name[NAME_SIZE];
    if (strchr(o.rest[0], '/') || strchr(o.rest[0], '.'))
        usage("%s: a name, without folder or ending: NAME.c is written here",
              o.rest[0]);
    plugin_name(o.rest[0], name);
    if (*name == '-')
        usage("%s: begins like an option; choose another name", name);
    char *there = plugin_find(name);
    if (there)
        usage("%s: there is a variant of that name, %s, and the two could not "
              "be compared; choose another name",
              name, there);
    char *file = format_text("%s.c", name);
    char *standard = standard_source();
    FILE *to = fopen(file, "wx");
    if (!to && errno == EEXIST)
        fail("%s: exists already; choose another name", file);
    if (!to || !write_source(to, name, standard) || fclose(to)) {
        int error = errno;
        if (to)
            unlink(file);
        fail("%s: cannot be written: %s", file, strerror(error));
    }
    printf("%s is written. Change forward, then:\n\n"
           "  qkv check ./%s\n"
           "  qkv compare -v standard,./%s -t reverse,induction\n",
           file, file, file);
    free(standard);
    free(file);
    request_free(&o.request);
    return 0;
}
