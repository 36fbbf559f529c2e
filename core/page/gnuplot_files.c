/* gnuplot_files.c - one figure: its data, script and caption, and the pictures
   that gnuplot draws from them.

   The files are written into a draft (base/files.h), and appear together when
   the figure is complete. A script ends in a seal: a comment with a hash of all
   lines before it. If somebody edits the script, the hash is wrong, and the
   script is not replaced. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/find_plugin.h"
#include "page/gnuplot_files.h"
#include "page/escape.h"
#include "run/child_process.h"

/* Writes the figure's file NAME.ENDING into the draft. */
static void
write_part(const Figure *f, const char *ending, const char *text)
{
    char *file = format_text("%s.%s", f->name, ending);
    FILE *to = begin_file(f->draft->path, file);
    fputs(text, to);
    end_file(to, f->directory, file); /* a message names its final place */
}

#define SEAL "# Edited, this script is yours: qkv does not replace it. "

/* The line that seals a script: it has a hash of the first `size` bytes, and
   follows them. */
static char *
seal_of(const char *script, size_t size)
{
    return format_text(SEAL "%016" PRIx64 "\n",
                       hash_bytes(HASH_START, script, size));
}

/* Fails if the script at `path` has no valid seal: somebody edited it, and
   figure_end would replace it. */
static void
check_unedited(const char *path)
{
    if (access(path, F_OK)) /* there is no script */
        return;
    char *text = read_text(path, "script");
    char *seal = strstr(text, SEAL);
    if (!seal || strcmp(seal, seal_of(text, (size_t)(seal - text))) != 0)
        fail("%s: it was edited, so it is not replaced; rename or remove it, "
             "then repeat the command",
             path);
}

bool
size_is_known(const char *size)
{
    double points;
    return !strcmp(size, "column") ||
           !number_read(size, ANY_NUMBER, LEAST_WIDTH, MOST_WIDTH, &points);
}

Figure
figure_begin(const Drawing *o, const char *wanted, const char *title)
{
    char *name = plain_name(wanted);
    char *directory = within(o->out, "figures");
    /* If a directory cannot be made, draft_begin fails and says why. */
    mkdir(o->out, 0777);
    mkdir(directory, 0777);
    Figure f = {.o = o, .directory = directory, .name = name, .title = title};
    check_unedited(within(directory, format_text("%s.gp", name)));
    f.draft = draft_begin(directory, name);
    f.data = begin_file(f.draft->path, format_text("%s.tsv", name));
    f.script_text = allocate(1, sizeof *f.script_text);
    f.script = begin_text(f.script_text);
    fprintf(
        f.script,
        "# %s.gp - draws %s.tsv: gnuplot %s.gp\n"
        "# Change texts here, and set more if you like: xlim = '0 10', ylim "
        "= '0 1'.\n"
        "# In LaTeX texts are escaped; raw = 1 takes them as they are.\n"
        "name = '%s'\ndata = name.'.tsv'\n",
        name, name, name, name);
    figure_word(&f, "title", title);
    return f;
}

void
figure_word(const Figure *f, const char *key, const char *text)
{
    fprintf(f->script, "%s = '%s'\n", key, escaped(text, GNUPLOT));
}

void
figure_words(const Figure *f, const char *key, const Values *words)
{
    if (words->count)
        fprintf(f->script, "array %s[%d] = [", key, words->count);
    for (int i = 0; i < words->count; i++)
        fprintf(f->script, "'%s'%s", escaped(words->text[i], GNUPLOT),
                i < words->count - 1 ? ", " : "]\n");
}

/* Appends plots/NAME, which many scripts have in common. */
static void
append_script(FILE *to, const char *name)
{
    char *path = within(beside_program("plots"), name);
    fprintf(to, "\n%s", read_text(path, "plot script"));
}

/* Returns the last line of a file, apart from empty lines at its end. */
static const char *
last_line(const char *path)
{
    size_t size;
    char *text = read_file(path, "text", &size);
    while (size && text[size - 1] == '\n')
        text[--size] = 0;
    char *newline = strrchr(text, '\n'); /* before the last line */
    return newline ? newline + 1 : text;
}

/* Draws one picture into the draft; returns false if gnuplot is not installed.
   If gnuplot fails, so does this function, with the last line that gnuplot
   printed, which says what was wrong.

   A shell runs gnuplot in the draft's directory, $0, with an assignment that
   chooses the format, $1, and the script, $2; -d skips the user's own gnuplot
   settings. Texts of a user or a file are only arguments of the shell, which
   does not interpret them. The hidden file .said has what gnuplot printed to
   stderr; draft_end removes it. */
static bool
draw_picture(const Figure *f, const char *format)
{
    char *command = "cd \"$0\" && exec gnuplot -d -e \"$1\" \"$2\" 2>.said";
    char *term = format_text("term='%s'", format);
    char *script = format_text("%s.gp", f->name);
    char *argv[] = {"sh", "-c", command, f->draft->path, term, script, NULL};
    int status = run_program(argv);
    if (status != 0 && status != NOT_RUN)
        fail("%s/%s: gnuplot could not draw it (status %d): %s", f->directory,
             f->name, status, last_line(within(f->draft->path, ".said")));
    return status == 0;
}

int figures_drawn;

/* Completes the script with the figure's size, the user's line, plots/style.gp
   and plots/KIND, seals it, and writes it into the draft. Closes the file of
   the data. */
static void
end_script(Figure *f, const char *kind)
{
    if (f->o->size) { /* `gnuplot -e size=...` overrides it */
        fputs("if (!exists(\"size\")) ", f->script);
        figure_word(f, "size", f->o->size);
    }
    if (f->o->gnuplot)
        fprintf(f->script, "%s\n", f->o->gnuplot);
    append_script(f->script, "style.gp");
    append_script(f->script, kind);
    end_text(f->script, f->script_text);
    end_file(f->data, f->directory, format_text("%s.tsv", f->name));
    char *script = *f->script_text, *seal = seal_of(script, strlen(script));
    write_part(f, "gp", format_text("%s%s", script, seal));
}

void
figure_end(Figure *f, const char *kind)
{
    const Drawing *o = f->o;
    end_script(f, kind);
    Values formats = values_split(o->format);
    bool has_gnuplot = true; /* until a picture shows that it is missing */
    for (int i = 0; i < formats.count && has_gnuplot; i++)
        has_gnuplot = draw_picture(f, formats.text[i]);
    /* The caption is written last: gnuplot does not report a full disk, but
       writing the caption then fails. */
    const char *drawn = f->drawn ? format_text(". Drawn: %s", f->drawn) : "";
    write_part(f, "txt", format_text("%s%s.\n", f->title, drawn));
    draft_end(f->draft, REPLACE_OLD);
    if (!o->quiet)
        note(has_gnuplot ? "drew %s/%s: %s"
                         : "%s/%s.gp would draw %s, but gnuplot is not "
                           "installed: `make deps` installs it",
             f->directory, f->name, o->format);
    figures_drawn++;
}
