/* draw.c - one figure: NAME.tsv, NAME.gp and what gnuplot makes of them. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw.h"
#include "fail.h"
#include "plugin.h"
#include "run.h"
#include "words.h"

enum { NO_GNUPLOT = 127 };

/* A file of the figure; hidden until it is whole, so that of two commands that
   draw it at once neither sees a half. To be freed. */
static char *
file_of(const char *directory, const char *name, const char *ending,
        bool hidden)
{
    char *file = format_text("%s.%s", name, ending);
    Path path = hidden ? run_partial(directory, file, (long)getpid())
                       : within(directory, file);
    free(file);
    return copy_text(path.text);
}

/* Removes what a command that was killed here has left hidden. */
static void
sweep(const char *directory)
{
    Path mine = run_partial(directory, "", 0);
    char *host = strchr(mine.text + strlen(directory), '@');
    host[strlen(host) - 1] = 0; /* "@HOST@" */
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *at = *e->d_name == '.' ? strstr(e->d_name, host) : NULL;
        int process = at ? atoi(at + strlen(host)) : 0;
        if (process > 0 && kill(process, 0) && errno == ESRCH)
            unlink(within(directory, e->d_name).text);
    }
    if (dir)
        closedir(dir);
}

static FILE *
open_part(const char *directory, const char *name, const char *ending)
{
    char *path = file_of(directory, name, ending, true);
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
    sweep(directory);
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

char *
plots_directory(void)
{
    char *built = format_text("%s/plots", executable_directory());
    if (!access(built, F_OK))
        return built;
    free(built);
    return format_text("%s/../share/qkv/plots", executable_directory());
}

/* Copies plots/NAME.gp. */
static void
append_script(FILE *to, const char *name)
{
    size_t size;
    char *plots = plots_directory();
    char *path = format_text("%s/%s.gp", plots, name);
    char *text = read_file(path, "plot script", &size);
    fprintf(to, "\n%s", text);
    free(text);
    free(path);
    free(plots);
}

/* Whose picture has two files, or a name of its own. */
static bool
is_tex(const char *format)
{
    return !strcmp(format, "tikz") || !strcmp(format, "cairolatex");
}

/* What gnuplot writes for a format; to be freed. */
static char *
drawn_file(const Figure *f, const char *format)
{
    return is_tex(format)
               ? format_text("%s/%s-%s.tex", f->directory, f->name, format)
               : file_of(f->directory, f->name, format, true);
}

/* The status of gnuplot on NAME.gp, which draws into the figure's directory.
   What it says is shown only where it fails. */
static int
run_gnuplot(const Figure *f, const char *format)
{
    char *out = drawn_file(f, format);
    char *term = is_tex(format) ? format_text("term='%s'", format)
                                : format_text("term='%s'; out='%s'", format,
                                              strrchr(out, '/') + 1);
    char *script = format_text("%s.gp", f->name), line[512];
    FILE *said = tmpfile(), *shown = tmpfile();
    int status, c;
    fflush(NULL);
    pid_t child = said && shown ? fork() : -1;
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        dup2(fileno(shown), STDOUT_FILENO);
        if (!chdir(f->directory))
            execlp("gnuplot", "gnuplot", "-d", "-e", term, script,
                   (char *)NULL);
        _exit(NO_GNUPLOT);
    }
    if (child < 0)
        fail("no process for gnuplot: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        note("gnuplot was ended: %s", strsignal(WTERMSIG(status)));
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
    free(out);
    free(term);
    free(script);
    return status;
}

static const char *const parts[] = {"tsv", "gp"};

static void
remove_parts(const Figure *f)
{
    for (int i = 0; i < 2; i++) {
        char *path = file_of(f->directory, f->name, parts[i], true);
        unlink(path);
        free(path);
    }
}

/* Gives a file that is whole its name. */
static bool
unveil(const Figure *f, const char *ending)
{
    char *from = file_of(f->directory, f->name, ending, true);
    char *to = file_of(f->directory, f->name, ending, false);
    bool done = !rename(from, to);
    free(from);
    free(to);
    return done;
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
    if ((fclose(f->data) | fclose(f->script)) || !unveil(f, parts[0]) ||
        !unveil(f, parts[1])) {
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
        bool named = shown || is_tex(formats.text[i]);
        if (there && !shown &&
            (!is_whole(file) || !(named || unveil(f, formats.text[i])))) {
            unlink(file);
            fail("%s/%s.%s: gnuplot could not write it; is the disk full?",
                 f->directory, f->name, formats.text[i]);
        }
        if (there && !o->quiet && !shown)
            note("drew %s/%s%s%s%s", f->directory, f->name, named ? "-" : ".",
                 formats.text[i], named ? ".tex" : "");
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
