/* describe.c - what a plugin says of itself, asked in a child process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "describe.h"
#include "fail.h"
#include "model.h"

enum { SECONDS = 10 }; /* that a plugin may take to load and declare */

static size_t
count_parameters(const Variant *v, Config c)
{
    size_t count = 0;
    config_settle(&c, v->shape);
    Attention a = attention_of(&c);
    Weights w = weights_declared(v, &a);
    for (int i = 0; i < w.count; i++)
        count += (size_t)w.list[i].rows * (size_t)w.list[i].cols;
    weights_free(&w);
    return count;
}

/* In the child: fills f and sends it; anything wrong exits before that. */
static _Noreturn void
answer(const char *word, const Config *c, int to)
{
    Facts f = {.ok = true};
    alarm(SECONDS);
    Plugin p = plugin_open(word);
    if (c)
        f.parameters = count_parameters(p.variant, *c);
    f.hash = p.hash;
    snprintf(f.name, sizeof f.name, "%s", p.name);
    snprintf(f.word, sizeof f.word, "%s", word);
    snprintf(f.path, sizeof f.path, "%s", p.path);
    snprintf(f.equation, sizeof f.equation, "%s", p.variant->equation);
    snprintf(f.shape, sizeof f.shape, "%s", p.variant->shape);
    _exit(write(to, &f, sizeof f) != sizeof f);
}

/* The last line of what the child wrote on stderr, without "qkv: ". */
static void
take_reason(FILE *said, Facts *f)
{
    char line[sizeof f->why];
    while (fgets(line, sizeof line, said)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(f->why, sizeof f->why, "%s",
                 strncmp(line, "qkv: ", 5) ? line : line + 5);
    }
}

Facts
describe(const char *word, const Config *c)
{
    Facts f = {0};
    int facts[2], status;
    FILE *said = tmpfile();
    if (!said || pipe(facts))
        fail("no pipe to ask %s by: %s", word, strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        fail("no process to ask %s in: %s", word, strerror(errno));
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        dup2(fileno(said), STDOUT_FILENO);
        close(facts[0]);
        answer(word, c, facts[1]);
    }
    close(facts[1]);
    size_t got = 0;
    for (ssize_t n; got < sizeof f; got += (size_t)n)
        if ((n = read(facts[0], (char *)&f + got, sizeof f - got)) <= 0)
            break;
    close(facts[0]);
    waitpid(child, &status, 0);
    if (got != sizeof f)
        f = (Facts){0};
    rewind(said);
    if (!f.ok)
        take_reason(said, &f);
    fclose(said);
    if (f.ok)
        return f;
    f.status = WIFEXITED(status) && WEXITSTATUS(status) == 2 ? 2 : 1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(f.why, sizeof f.why,
                 "%.200s: did not load and declare within %d seconds", word,
                 SECONDS);
    else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT)
        snprintf(f.why, sizeof f.why, "%.200s: crashed while it was loaded: %s",
                 word, strsignal(WTERMSIG(status)));
    else if (WIFSIGNALED(status) && *f.why) {
        char *said_why = format_text("%.200s: %s", word, f.why);
        snprintf(f.why, sizeof f.why, "%s", said_why);
        free(said_why);
    } else if (!*f.why)
        snprintf(f.why, sizeof f.why,
                 "%.200s: ended the process that loaded "
                 "it (status %d)",
                 word, f.status);
    return f;
}
