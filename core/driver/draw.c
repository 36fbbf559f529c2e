/* draw.c - one figure: NAME.tsv, NAME.gp and what gnuplot makes of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw.h"
#include "fail.h"
#include "plugin.h"
#include "words.h"

enum { NO_GNUPLOT = 127 };

static FILE *
open_part(const char *directory, const char *name, const char *ending)
{
    char *path = format_text("%s/%s.%s", directory, name, ending);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("%s: cannot be written: %s", path, strerror(errno));
    free(path);
    return file;
}

/* DIR/figures, and DIR if it is not there. */
static void
make_directory(const char *directory)
{
    char *above = copy_text(directory), *slash = strrchr(above, '/');
    if (slash && slash != above) {
        *slash = 0;
        mkdir(above, 0777);
    }
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", directory,
             strerror(errno));
    free(above);
}

Figure
figure_begin(const char *directory, const char *name)
{
    make_directory(directory);
    Figure f = {copy_text(directory), copy_text(name),
                open_part(directory, name, "tsv"),
                open_part(directory, name, "gp")};
    fprintf(f.script, "# %s.gp - draws %s.tsv: gnuplot %s.gp\n\n", name, name,
            name);
    figure_text(&f, "name", name);
    fprintf(f.script, "data = name.'.tsv'\n");
    return f;
}

void
figure_text(const Figure *f, const char *key, const char *text)
{
    char *literal = quoted(text, "''");
    fprintf(f->script, "%s = %s\n", key, literal);
    free(literal);
}

void
figure_words(const Figure *f, const char *key, char *const *words, int count)
{
    char *list = copy_text("");
    for (int i = 0; i < count; i++) {
        const char *mark = strchr(words[i], ' ') ? "\"" : "";
        char *longer =
            format_text("%s%s%s%s%s", list, i ? " " : "", mark, words[i], mark);
        free(list);
        list = longer;
    }
    figure_text(f, key, list);
    free(list);
}

/* Copies plots/NAME.gp, beside the program or where it is installed. */
static void
append_script(FILE *to, const char *name)
{
    size_t size;
    char *path = format_text("%s/plots/%s.gp", executable_directory(), name);
    if (access(path, F_OK)) {
        free(path);
        path = format_text("%s/../share/qkv/plots/%s.gp",
                           executable_directory(), name);
    }
    char *text = read_file(path, "plot script", &size);
    fprintf(to, "\n%s", text);
    free(text);
    free(path);
}

/* The status of gnuplot on NAME.gp, which draws into the figure's directory.
   What it says is shown only where it fails. */
static int
run_gnuplot(const Figure *f, const char *format)
{
    char *term = format_text("term='%s'", format);
    char *script = format_text("%s.gp", f->name), line[512];
    FILE *said = tmpfile(), *shown = tmpfile();
    int status, c;
    fflush(NULL);
    pid_t child = said && shown ? fork() : -1;
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        dup2(fileno(shown), STDOUT_FILENO);
        if (!chdir(f->directory))
            execlp("gnuplot", "gnuplot", "-e", term, script, (char *)NULL);
        _exit(NO_GNUPLOT);
    }
    if (child < 0)
        fail("no process for gnuplot: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    rewind(said);
    while (status && status != NO_GNUPLOT && fgets(line, sizeof line, said))
        fprintf(stderr, "%s", line);
    rewind(shown);
    while ((c = fgetc(shown)) != EOF) /* of term dumb, which feeds forms */
        if (c != '\f')
            putchar(c);
    fclose(said);
    fclose(shown);
    free(term);
    free(script);
    return status;
}

/* What gnuplot writes for a format; to be freed. */
static char *
drawn_file(const Figure *f, const char *format)
{
    bool tex = !strcmp(format, "tikz") || !strcmp(format, "cairolatex");
    return format_text("%s/%s%c%s%s", f->directory, f->name, tex ? '-' : '.',
                       format, tex ? ".tex" : "");
}

static void
remove_parts(const Figure *f)
{
    static const char *const endings[] = {"tsv", "gp"};
    for (int i = 0; i < 2; i++) {
        char *path = format_text("%s/%s.%s", f->directory, f->name, endings[i]);
        unlink(path);
        free(path);
    }
}

/* Does it end as a picture of some format does? gnuplot does not say where the
   disk became full. */
static bool
is_whole(const char *picture)
{
    static const char *const ends[] = {"</svg>", "IEND", "%%EOF", "\\endgroup",
                                       "%% gnuplot variables"};
    char last[64] = "";
    FILE *file = fopen(picture, "rb");
    if (!file)
        return false;
    if (fseek(file, -(long)sizeof last, SEEK_END))
        rewind(file); /* it is shorter */
    size_t size = fread(last, 1, sizeof last, file);
    fclose(file);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (memmem(last, size, ends[i], strlen(ends[i])))
            return true;
    return false;
}

bool
figure_end(Figure *f, const char *kind, const Options *o)
{
    Values formats = options_formats(o);
    bool there = true;
    if (o->size)
        fprintf(f->script, "if (!exists(\"size\")) size = '%s'\n", o->size);
    append_script(f->script, "style");
    append_script(f->script, kind);
    if (fclose(f->data) | fclose(f->script)) {
        int why = errno;
        remove_parts(f);
        fail("%s/%s: cannot be written: %s", f->directory, f->name,
             strerror(why));
    }
    for (int i = 0; there && i < formats.count; i++) {
        int status = run_gnuplot(f, formats.text[i]);
        there = status != NO_GNUPLOT;
        char *file = drawn_file(f, formats.text[i]);
        if (there && status) {
            unlink(file);
            fail("%s/%s.gp: gnuplot failed on it: its message stands above",
                 f->directory, f->name);
        }
        bool shown = !strcmp(formats.text[i], "dumb");
        if (there && !shown && !is_whole(file)) {
            unlink(file);
            fail("%s: gnuplot could not write it; is the disk full?", file);
        }
        if (there && !o->quiet && !shown)
            note("drew %s", file);
        free(file);
    }
    values_free(&formats);
    free(f->directory);
    free(f->name);
    return there;
}

void
figure_drop(Figure *f, const char *why)
{
    fclose(f->data);
    fclose(f->script);
    remove_parts(f);
    note("%s is not drawn: %s", f->name, why);
    free(f->directory);
    free(f->name);
}
