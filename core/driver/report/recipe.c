/* recipe.c - an experiment written down: the commands that make a figure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/files.h"
#include "base/report.h"
#include "base/words.h"
#include "driver/cli/process.h"
#include "driver/figure/draw.h"
#include "driver/figure/figure.h"
#include "driver/report/claim.h"
#include "driver/report/recipe.h"
#include "heart/fail.h"
#include "config/find.h"

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
no_recipe(const char *option, const char *name, const char *directory)
{
    Values names = files_in(directory, ".txt");
    usage("--%s %s: no such %s in %s; there are: %s", option, name, option,
          directory, joined(&names, " "));
}

/* The path of the recipe, or claim; to be freed. */
static char *
find_recipe(const Options *o)
{
    const char *claim = o->compare.claim;
    const char *name = claim ? claim : o->compare.recipe;
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".txt")))
        return copy_text(name);
    char *directory = recipes_directory(claim);
    char *path = format_text("%s/%s.txt", directory, name);
    if (access(path, F_OK))
        no_recipe(claim ? "claim" : "recipe", name, directory);
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
            usage("%s:%d: an unclosed '", file, number);
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

/* Puts what the user gave for an option into the line, instead of what the line
   says for that option and for the others of these names. */
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
   no verdict; a count has no seed either. */
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
    if (seeds->count && command != COUNT_COSTS)
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
    bool path = (command != COUNT_COSTS && said.out != d->out) ||
                said.compare.recipe || said.compare.claim ||
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

/* Runs a line, which the user may have changed; what it prints goes to `to`,
   unless that is NULL. */
static void
run(Line *said, Line *l, const Drawing *d, int command, FILE *to)
{
    notice_interrupts();
    pid_t child = begin_process(l->words[0]);
    if (child == 0) {
        unwatched();
        check_words(said, d, command);
        if (to && dup2(fileno(to), STDOUT_FILENO) < 0)
            fail("%s: its output cannot be kept: %s", l->words[0],
                 strerror(errno));
        execv(l->words[0], l->words);
        fail("%s: cannot be run: %s", l->words[0], strerror(errno));
    }
    if (wait_for_program(child))
        fail("%s:%d: the command failed: its message is above", l->file,
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
    bool counts = !strcmp(from->words[wide], "count");
    Line l = {.file = from->file, .number = from->number};
    put(&l, program);
    put(&l, from->words[wide]);
    if (!counts) {
        put(&l, "--out");
        put(&l, o->draw.out);
    }
    if (plots && o->draw.size) { /* unless the line says another one */
        put(&l, "--size");
        put(&l, o->draw.size);
    }
    for (int i = wide + 1; i < from->count; i++)
        put(&l, plots ? from->words[i] : filled_in(from->words[i]));
    if (o->compare.plan)
        put(&l, "--plan");
    if (counts)
        return l;
    put(&l, "--format");
    put(&l, o->draw.format);
    if (o->draw.quiet)
        put(&l, "--quiet");
    put(&l, plots ? experiment : format_text("--jobs=%d", o->work.jobs));
    return l;
}

/* What was run of a recipe: its lines, and of a claim what they printed. */
typedef struct Kept {
    FILE *recipe;
    Printed *list;
    int count, room;
} Kept;

/* What a line prints in that layout; to be freed. */
static char *
printed(Line *said, Line *l, const Options *o, int command, const char *layout)
{
    FILE *to = tmpfile();
    if (!to)
        fail("no temporary file: %s", strerror(errno));
    put(l, layout);
    run(said, l, &o->draw, command, to);
    l->count--;
    long size = fseek(to, 0, SEEK_END) ? -1 : ftell(to);
    char *text = allocate((size_t)(size < 0 ? 0 : size) + 1, 1);
    rewind(to);
    if (size < 0 || fread(text, 1, (size_t)size, to) != (size_t)size)
        fail("a temporary file cannot be read: %s", strerror(errno));
    fclose(to);
    return text;
}

static void
keep_printed(Line *said, Line *l, const Options *o, int command, Kept *kept)
{
    Printed p = {.line = l->number};
    p.tsv = printed(said, l, o, command, "--tsv");
    p.markdown = printed(said, l, o, command, "--markdown");
    kept->list = grow(kept->list, kept->count, &kept->room, sizeof p);
    kept->list[kept->count++] = p;
}

/* Runs a line with what the user changed in it, and returns that. */
static Line
run_line(const Line *from, const Options *o, const char *experiment, Kept *kept)
{
    static const int bits[] = {COMPARE, EQUIV, PLOT, COUNT_COSTS};
    int wide = !strcmp(from->words[0], "double");
    const char *name = from->words[from->count > wide ? wide : 0];
    int which = index_in("compare equiv plot count", name);
    if (which < 0)
        usage(
            "%s:%d: \"%s\" is not one of compare, equiv, plot, count, or these "
            "with double before them",
            from->file, from->number, name);
    char *program = format_text("%s/qkv%s", executable_directory(),
                                wide || sizeof(real) == 8 ? "-double" : "");
    Line now = changed(from, o, bits[which]);
    Line said = whole(from, program, o, experiment);
    Line all = whole(&now, program, o, experiment);
    if (o->compare.plan && bits[which] != COMPARE)
        return now; /* nothing of it takes time */
    if (o->compare.claim && !o->compare.plan && bits[which] != PLOT)
        keep_printed(&said, &all, o, bits[which], kept);
    else
        run(&said, &all, &o->draw, bits[which], NULL);
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
          const char *experiment, bool only_plots, Kept *kept)
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
        if (*line && *line != '#' && !claim_line(line) &&
            (plots || !only_plots)) {
            Line l = cut(line, path, number);
            Line now = run_line(&l, o, experiment, kept);
            same =
                now.count == l.count &&
                !memcmp(now.words, l.words, (size_t)l.count * sizeof *l.words);
            if (!same)
                put_words(kept->recipe, &now);
            commands++;
        }
        fprintf(kept->recipe, "%s%s", same ? own : "", next ? "\n" : "");
        free(own);
    }
    return commands;
}

/* Leaves beside the runs what the commands of a claim printed. */
static void
keep_claim(const Options *o, Kept *kept)
{
    claim_keep(o->out, kept->list, kept->count);
    for (int i = 0; i < kept->count; i++) {
        free(kept->list[i].tsv);
        free(kept->list[i].markdown);
    }
    free(kept->list);
}

void
recipe_run(const Options *o)
{
    size_t size;
    char *path = find_recipe(o), *copy;
    if (o->compare.claim)
        claim_check(path);
    char *text = read_file(path, "recipe", &size);
    Kept kept = {.recipe = begin_text(&copy)};
    if (o->compare.claim && !o->compare.plan && mkdir(o->out, 0777) &&
        errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", o->out,
             strerror(errno));
    if (!run_lines(text, path, o, o->out, false, &kept) && !o->compare.claim)
        usage("%s: no command in it: a recipe has lines that begin with "
              "compare, equiv, count or plot",
              path);
    end_text(kept.recipe, &copy);
    if (o->compare.claim && !o->compare.plan)
        keep_claim(o, &kept);
    if (!o->compare.plan)
        keep_copy(o->out, copy);
    if (o->compare.claim && !o->compare.plan)
        claim_write(stdout, path, o->out);
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
    Kept kept = {.recipe = begin_text(&copy)};
    run_lines(text, path.text, o, experiment, true, &kept);
    end_text(kept.recipe, &copy);
    free(copy);
    free(text);
}
