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

enum { MOST_WORDS = 96, ADDED_WORDS = 32 };

/* One command: its words, and where it stands. */
typedef struct Line {
    char *words[MOST_WORDS + ADDED_WORDS];
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

/* Is it a word "--NAME" or "--NAME=..." of one of these names? */
static bool
is_option(const char *word, const char *names)
{
    if (strncmp(word, "--", 2))
        return false;
    char *name = format_text("%.*s", (int)strcspn(word + 2, "="), word + 2);
    bool is = index_in(names, name) >= 0;
    free(name);
    return is;
}

/* Puts what the user gave of an option in place of what the line says of it,
   and of the others of these names. */
static void
put_instead(Line *l, const char *names, const char *name, const char *value)
{
    bool variant = !strcmp(name, "--variant");
    int kept = 0;
    if (!value)
        return;
    for (int i = 0; i < l->count; i++) {
        const char *word = l->words[i];
        bool is = is_option(word, names) || (variant && !strcmp(word, "-v"));
        if (!is)
            l->words[kept++] = l->words[i];
        else if (!strchr(word, '='))
            i++; /* its value */
    }
    l->count = kept;
    put(l, name);
    put(l, value);
}

/* The line with what the user said beside --recipe. An equiv has one seed, and
   no verdict. */
static Line
changed(const Line *from, const Options *o, int command)
{
    Line l = *from;
    const Values *variants = options_given(o, "variant");
    const Values *seeds = options_given(o, "seed");
    bool compares = command == COMPARE;
    if (command == PLOT)
        return l;
    if (variants->count)
        put_instead(&l, "variant", "--variant", joined(variants, ","));
    if (seeds->count)
        put_instead(&l, "seed seeds", "--seed",
                    compares ? joined(seeds, ",") : seeds->text[0]);
    if (compares && o->compare.seeds > 0)
        put_instead(&l, seeds->count ? "" : "seed seeds", "--seeds",
                    format_text("%d", o->compare.seeds));
    put_instead(&l, "baseline", "--baseline", compares ? o->baseline : NULL);
    put_instead(&l, "judge", "--judge", compares ? o->judge : NULL);
    put_instead(&l, "margin", "--margin", compares ? o->margin : NULL);
    return l;
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

/* Runs a line, which the user may have changed. */
static void
run(Line *said, Line *l, const Drawing *d, int command)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unwatched();
        check_words(said, d, command);
        execv(l->words[0], l->words);
        fail("%s: cannot be run: %s", l->words[0], strerror(errno));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        fail("no process for %s: %s", l->words[0], strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail("%s:%d: the command failed: its message stands above", l->file,
             l->number);
}

/* The words that are run: those of the line stand behind where it writes to,
   and before what the user said of all commands, and what is plotted. */
static Line
whole(const Line *from, const char *program, const Options *o,
      const char *experiment)
{
    int wide = !strcmp(from->words[0], "double");
    bool plots = !strcmp(from->words[wide], "plot");
    Line l = {.file = from->file, .number = from->number};
    put(&l, program);
    put(&l, from->words[wide]);
    put(&l, "--out");
    put(&l, o->draw.out);
    for (int i = wide + 1; i < from->count; i++)
        put(&l, plots ? from->words[i] : filled_in(from->words[i]));
    put(&l, "--format");
    put(&l, o->draw.format);
    if (o->draw.quiet)
        put(&l, "--quiet");
    put(&l, plots ? experiment : format_text("--jobs=%d", o->work.jobs));
    return l;
}

/* Runs a line with what the user changed in it, and returns that. */
static Line
run_line(const Line *from, const Options *o, const char *experiment)
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
    Line now = changed(from, o, bits[which]);
    Line said = whole(from, program, o, experiment);
    Line all = whole(&now, program, o, experiment);
    run(&said, &all, &o->draw, bits[which]);
    free(program);
    return now;
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

/* A line as a recipe has it: a word with a blank in it, or none, between '. */
static void
put_words(FILE *to, const Line *l)
{
    for (int i = 0; i < l->count; i++) {
        const char *word = l->words[i];
        const char *sign = !*word || strpbrk(word, " \t") ? "'" : "";
        fprintf(to, "%s%s%s%s", i ? " " : "", sign, word, sign);
    }
}

/* Runs the lines of a recipe, or only those that plot; returns how many. What
   was run goes to `kept`, line by line, in the recipe's own words where nothing
   is changed in them. */
static int
run_lines(char *text, const char *path, const Options *o,
          const char *experiment, bool only_plots, FILE *kept)
{
    int number = 1, commands = 0;
    for (char *line = text, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        char *own = copy_text(line);
        size_t n = strlen(line);
        if (n && line[n - 1] == '\r')
            line[n - 1] = 0;
        line += strspn(line, " \t");
        size_t word = strcspn(line, " \t");
        bool plots = word == 4 && !strncmp(line, "plot", word), same = true;
        if (*line && *line != '#' && (plots || !only_plots)) {
            Line l = cut(line, path, number);
            Line now = run_line(&l, o, experiment);
            same =
                now.count == l.count &&
                !memcmp(now.words, l.words, (size_t)l.count * sizeof *l.words);
            if (!same)
                put_words(kept, &now);
            commands++;
        }
        fprintf(kept, "%s%s", same ? own : "", next ? "\n" : "");
        free(own);
    }
    return commands;
}

void
recipe_run(const Options *o)
{
    size_t size;
    char *path = find_recipe(o->compare.recipe), *copy;
    char *text = read_file(path, "recipe", &size);
    FILE *kept = begin_text(&copy);
    if (!run_lines(text, path, o, o->out, false, kept))
        usage("%s: no command in it: a recipe has lines that begin with "
              "compare, equiv or plot",
              path);
    end_text(kept, &copy);
    keep_copy(o->out, copy);
    free(copy);
    free(text);
    free(path);
}

void
recipe_plots(const Options *o, const char *experiment)
{
    size_t size;
    Path path = below(experiment, "recipe.txt");
    char *text = read_file(path.text, "recipe", &size), *copy;
    FILE *kept = begin_text(&copy);
    run_lines(text, path.text, o, experiment, true, kept);
    end_text(kept, &copy);
    free(copy);
    free(text);
}
