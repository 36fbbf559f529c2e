/* recipe.c - an experiment written down: the commands that make a figure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/figure/draw.h"
#include "driver/figure/figure.h"
#include "driver/report/recipe.h"

enum { MOST_WORDS = 96 };

/* One command: its words, and where it stands. */
typedef struct Line {
    char *words[MOST_WORDS + 16];
    int count;
    const char *file;
    int number;
} Line;

/* Exits with the names of the recipes there are. */
static _Noreturn void
no_recipe(const char *name, const char *directory)
{
    Values names = files_in(directory, ".txt");
    usage("--recipe %s: no such recipe in %s; there are: %s", name, directory,
          joined(&names, " "));
}

/* The recipe's path; to be freed. */
static char *
find_recipe(const char *name)
{
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".txt")))
        return copy_text(name);
    char *plots = plots_directory();
    char *directory = format_text("%s/recipes", plots);
    free(plots);
    char *path = format_text("%s/%s.txt", directory, name);
    if (access(path, F_OK))
        no_recipe(name, directory);
    free(directory);
    return path;
}

/* Cuts a line into words at blanks; '...' is one word, blanks and all. */
static Line
cut(char *text, const char *file, int number)
{
    Line l = {.file = file, .number = number};
    while (*(text += strspn(text, " \t"))) {
        char *end =
            *text == '\'' ? strchr(++text, '\'') : text + strcspn(text, " \t");
        if (!end)
            usage("%s:%d: a ' without its other one", file, number);
        if (l.count == MOST_WORDS)
            usage("%s:%d: more than %d words", file, number, MOST_WORDS);
        bool last = !*end;
        *end = 0;
        l.words[l.count++] = text;
        text = last ? end : end + 1;
    }
    return l;
}

static void
put(Line *l, const char *word)
{
    l->words[l->count++] = (char *)word;
}

/* A word, with the directory of the plot scripts for {plots}; it lives as long
   as the program. */
static const char *
filled_in(const char *word)
{
    const char *at = strstr(word, "{plots}");
    return at ? format_text("%.*s%s%s", (int)(at - word), word,
                            plots_directory(), at + 7)
              : word;
}

/* A recipe says what is trained and drawn, by options; where that is read and
   written, and what code runs, is not for it to say. */
static void
check_words(Line *l, const Drawing *d, int command)
{
    Options said = options_read(l->count - 1, l->words + 1, command);
    bool path = said.out != d->out || said.compare.recipe ||
                said.rest_count != (command == PLOT) ||
                (said.baseline && strchr(said.baseline, '/'));
    for (int i = 0; i < setting_count; i++)
        for (int k = 0; k < said.given[i].count; k++)
            path |= strcmp(settings[i].name, "file") &&
                    strchr(said.given[i].text[k], '/');
    if (path)
        usage("%s:%d: --out, --recipe, an experiment or a plugin's path is no "
              "part of a recipe: take it out; a plugin's name is looked for in "
              "QKV_PATH",
              l->file, l->number);
    options_free(&said);
}

static void
run(Line *l, const Drawing *d, int command)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unwatched();
        check_words(l, d, command);
        execv(l->words[0], l->words);
        fail("%s: cannot be run: %s", l->words[0], strerror(errno));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        fail("no process for %s: %s", l->words[0], strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail("%s:%d: the command failed: its message stands above", l->file,
             l->number);
}

/* Runs a line: its words stand behind where they write to, and before what the
   user said of all commands, and what is plotted. */
static void
run_line(const Line *from, const Drawing *d, int jobs, const char *experiment)
{
    static const int bits[] = {COMPARE, EQUIV, PLOT};
    int wide = !strcmp(from->words[0], "double");
    const char *name = from->words[from->count > wide ? wide : 0];
    int which = index_in("compare equiv plot", name);
    if (which < 0)
        usage("%s:%d: \"%s\" is none of compare, equiv, plot, or these with "
              "double before them",
              from->file, from->number, name);
    char *program = format_text("%s/qkv%s", executable_directory(),
                                wide || sizeof(real) == 8 ? "-double" : "");
    bool plots = bits[which] == PLOT;
    Line l = {.file = from->file, .number = from->number};
    put(&l, program);
    put(&l, name);
    put(&l, "--out");
    put(&l, d->out);
    for (int i = wide + 1; i < from->count; i++)
        put(&l, plots ? from->words[i] : filled_in(from->words[i]));
    put(&l, "--format");
    put(&l, d->format);
    if (d->quiet)
        put(&l, "--quiet");
    put(&l, plots ? experiment : format_text("--jobs=%d", jobs));
    run(&l, d, bits[which]);
    free(program);
}

/* Leaves the recipe beside the runs. */
static void
keep_copy(const char *out, const char *text)
{
    below(out, "recipe.txt"); /* which fails for a link */
    Draft *d = draft_begin(out, "recipe.txt");
    FILE *to = begin_file(d->path.text, "recipe.txt");
    fputs(text, to);
    end_file(to, d->path.text, "recipe.txt");
    draft_publish_all(d);
}

/* Runs the lines of a recipe, or only those that plot; returns how many. */
static int
run_lines(char *text, const char *path, const Drawing *d, int jobs,
          const char *experiment, bool only_plots)
{
    int number = 1, commands = 0;
    for (char *line = text, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        size_t n = strlen(line);
        if (n && line[n - 1] == '\r')
            line[n - 1] = 0;
        line += strspn(line, " \t");
        size_t word = strcspn(line, " \t");
        bool plots = word == 4 && !strncmp(line, "plot", word);
        if (!*line || *line == '#' || (only_plots && !plots))
            continue;
        Line l = cut(line, path, number);
        run_line(&l, d, jobs, experiment);
        commands++;
    }
    return commands;
}

void
recipe_run(const char *name, const Drawing *d, int jobs)
{
    size_t size;
    char *path = find_recipe(name);
    char *text = read_file(path, "recipe", &size), *copy = copy_text(text);
    if (!run_lines(text, path, d, jobs, d->out, false))
        usage("%s: no command in it: a recipe has lines that begin with "
              "compare, equiv or plot",
              path);
    keep_copy(d->out, copy);
    free(copy);
    free(text);
    free(path);
}

void
recipe_plots(const Drawing *d, const char *experiment)
{
    size_t size;
    Path path = below(experiment, "recipe.txt");
    char *text = read_file(path.text, "recipe", &size);
    run_lines(text, path.text, d, 1, experiment, true);
    free(text);
}
