/* recipe.c - an experiment written down: the commands that make a figure. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <qkv/real.h>

#include "fail.h"
#include "files.h"
#include "plugin.h"
#include "draw.h"
#include "recipe.h"
#include "words.h"

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
    char *list = copy_text("");
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".txt"))
            continue;
        char *longer = format_text("%s %.*s", list, (int)n - 4, e->d_name);
        free(list);
        list = longer;
    }
    usage("--recipe %s: no such recipe in %s; there are:%s", name, directory,
          list);
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

/* {plots} becomes the directory of the plot scripts. Words that are replaced
   live as long as the program. */
static void
fill_in(Line *l)
{
    for (int i = 0; i < l->count; i++) {
        char *at = strstr(l->words[i], "{plots}");
        if (at)
            l->words[i] = format_text("%.*s%s%s", (int)(at - l->words[i]),
                                      l->words[i], plots_directory(), at + 7);
    }
}

/* Adds where it goes, and what the user said of all commands. */
static void
add_options(Line *l, const Options *o, const char *experiment)
{
    bool plots = !strcmp(l->words[1], "plot");
    if (plots)
        l->words[l->count++] = (char *)experiment;
    l->words[l->count++] = "--out";
    l->words[l->count++] = (char *)o->out;
    if (strcmp(l->words[1], "equiv") || o->format != default_format) {
        l->words[l->count++] = "--format";
        l->words[l->count++] = (char *)o->format;
    }
    if (!plots) {
        l->words[l->count++] = "--jobs";
        l->words[l->count++] = format_text("%.0f", o->jobs);
    }
    if (o->quiet)
        l->words[l->count++] = "--quiet";
    l->words[l->count] = NULL;
}

static void
run_line(Line l, const Options *o, const char *experiment)
{
    int status, first = !strcmp(l.words[0], "double");
    bool known = false;
    const char *const commands[] = {"compare", "equiv", "plot"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        known |= l.count > first && !strcmp(l.words[first], commands[i]);
    if (!known)
        usage("%s:%d: \"%s\" is none of compare, equiv, plot, or these with "
              "double before them",
              l.file, l.number, l.words[l.count > first ? first : 0]);
    char *program = format_text("%s/qkv%s", executable_directory(),
                                first || sizeof(real) == 8 ? "-double" : "");
    if (!first) { /* make room for the program's name */
        memmove(l.words + 1, l.words, (size_t)l.count * sizeof *l.words);
        l.count++;
    }
    l.words[0] = program;
    fill_in(&l);
    add_options(&l, o, experiment);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execv(program, l.words);
        fail("%s: cannot be run: %s", program, strerror(errno));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        fail("no process for %s: %s", program, strerror(errno));
    free(program);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail("%s:%d: the command failed: its message stands above", l.file,
             l.number);
}

/* Leaves the recipe beside the runs. */
static void
keep_copy(const Options *o, const char *text)
{
    Path path = within(o->out, "recipe.txt");
    FILE *to = fopen(path.text, "w");
    if (!to || fputs(text, to) < 0 || fclose(to))
        fail("%s: cannot be written: %s", path.text, strerror(errno));
}

/* Runs the lines of a recipe, or only those that plot; returns how many. */
static int
run_lines(char *text, const char *path, const Options *o,
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
        run_line(cut(line, path, number), o, experiment);
        commands++;
    }
    return commands;
}

void
recipe_run(const Options *o)
{
    size_t size;
    char *path = find_recipe(o->recipe);
    char *text = read_file(path, "recipe", &size), *copy = copy_text(text);
    if (!run_lines(text, path, o, o->out, false))
        usage("%s: no command in it: a recipe has lines that begin with "
              "compare, equiv or plot",
              path);
    keep_copy(o, copy);
    free(copy);
    free(text);
    free(path);
}

void
recipe_plots(const Options *o, const char *experiment)
{
    size_t size;
    Path path = below(experiment, "recipe.txt");
    char *text = read_file(path.text, "recipe", &size);
    run_lines(text, path.text, o, experiment, true);
    free(text);
}
