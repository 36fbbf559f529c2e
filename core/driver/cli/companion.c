/* companion.c - the programs that make something of what we wrote: gnuplot of
   data and a script, pandoc of Markdown. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "driver/cli/plugin_process.h"
#include "driver/cli/companion.h"

/* How our child ends that found no such program: neither gnuplot nor pandoc
   does, nor a loader that was refused memory. */
enum { NOT_THERE = 90 };

/* In our child. */
static _Noreturn void
become(const char *directory, const char *const argv[], pid_t parent)
{
    if (!chdir(directory) && freopen(".shown", "w", stdout) &&
        freopen(".said", "w", stderr)) {
        end_with_parent(parent);
        execvp(argv[0], (char *const *)argv);
    }
    bool none = errno == ENOENT;
    fprintf(stderr, "it cannot be started: %s\n", strerror(errno));
    fflush(stderr);
    _exit(none ? NOT_THERE : 1);
}

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
    int status;
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        fail("no process for %s: %s", argv[0], strerror(errno));
    if (child == 0)
        become(directory, argv, parent);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *why = !status               ? NULL
           : WIFSIGNALED(status) ? copy_text(strsignal(WTERMSIG(status)))
                                 : last_line(directory);
    return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_THERE;
}
