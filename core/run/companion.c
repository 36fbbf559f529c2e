/* companion.c - the program that draws what we wrote: gnuplot, in a draft. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/words.h"
#include "run/companion.h"
#include "run/plugin_process.h"
#include "heart/fail.h"

/* The last line that a program said, after what it repeats; to be freed. */
static char *
last_line(const char *directory)
{
    size_t size;
    Path path = within(directory, ".said");
    char *said = read_file(path.text, "what a program said", &size);
    while (size && isspace((unsigned char)said[size - 1]))
        said[--size] = 0;
    char *last = strrchr(said, '\n');
    last = copy_text(last ? last + 1 : said);
    free(said);
    return last;
}

bool
companion_run(const char *directory, const char *const argv[], char **why)
{
    int status = run_program((char **)argv, directory, NULL);
    *why = !status || status == NOT_RUN ? NULL
           : status > 128               ? copy_text(strsignal(status - 128))
                                        : last_line(directory);
    return status != NOT_RUN;
}
