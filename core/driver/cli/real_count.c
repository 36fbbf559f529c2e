/* real_count.c - how many parameters are really there, by qkv-double. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/cli/real_count.h"

extern char **environ;

/* More than that are quicker fitted than measured: what standard stores at such
   a d-model. */
enum { WIDE = 16 };

/* The words of the command. */
static Values
question(const char *const *variants, int count, const Config *c)
{
    Values words = {0};
    char *list = copy_text("");
    for (int i = 0; i < count; i++)
        replace(&list, format_text("%s%s%s", list, i ? "," : "", variants[i]));
    Path program = within(executable_directory(), "qkv-double");
    values_add(&words, copy_text(program.text));
    values_add(&words, copy_text("count"));
    values_add(&words,
               copy_text(c->d_model > WIDE ? "--real=fitted" : "--real"));
    values_add(&words, copy_text("--tsv"));
    values_add(&words, format_text("--variant=%s", list));
    free(list);
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        char value[VALUE_SIZE];
        if (!(s->role & OF_SHAPE) && strcmp(s->name, "d-model") &&
            strcmp(s->name, "positions"))
            continue;
        setting_print(s, c, value);
        if (!setting_own(s) || !isnan(c->own[s - settings - settings_built_in]))
            values_add(&words, format_text("--%s=%s", s->name, value));
    }
    return words;
}

/* What the program prints; NULL where there is no such program. */
static FILE *
answer_of(const Values *words)
{
    pid_t child;
    posix_spawn_file_actions_t to;
    char **argv = allocate((size_t)words->count + 1, sizeof *argv);
    FILE *answer = tmpfile();
    if (!answer)
        fail("no temporary file: %s", strerror(errno));
    memcpy(argv, words->text, (size_t)words->count * sizeof *argv);
    posix_spawn_file_actions_init(&to);
    posix_spawn_file_actions_adddup2(&to, fileno(answer), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&to, STDERR_FILENO, "/dev/null", O_WRONLY,
                                     0);
    bool begun = !posix_spawn(&child, argv[0], &to, NULL, argv, environ);
    while (begun && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    posix_spawn_file_actions_destroy(&to);
    free(argv);
    rewind(answer);
    if (begun)
        return answer;
    fclose(answer);
    return NULL;
}

static void
read_answer(FILE *answer, RealOnes *found, int count)
{
    char line[1024];
    bool named = fgets(line, sizeof line, answer);
    for (int i = 0; i < count && named && fgets(line, sizeof line, answer); i++)
        sscanf(line, "%*[^\t]\t%lf\t%lf", &found[i].stored, &found[i].real);
    fclose(answer);
}

void
count_real_ones(const char *const *variants, int count, const Config *c,
                RealOnes *found)
{
    static struct {
        char *key;
        RealOnes *found;
    } * known;
    static int known_count, capacity;
    size_t size = (size_t)count * sizeof *found;
    Values words = question(variants, count, c);
    char *key = joined(&words, " ");
    int i = 0;
    while (i < known_count && strcmp(known[i].key, key))
        i++;
    if (i < known_count) {
        memcpy(found, known[i].found, size);
        free(key);
        values_free(&words);
        return;
    }
    for (int k = 0; k < count; k++)
        found[k] = (RealOnes){NAN, NAN};
    FILE *answer = answer_of(&words);
    if (answer)
        read_answer(answer, found, count);
    values_free(&words);
    known = grow(known, known_count++, &capacity, sizeof *known);
    known[i].key = key;
    known[i].found = allocate((size_t)count, sizeof *found);
    memcpy(known[i].found, found, size);
}
