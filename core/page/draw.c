/* draw.c - one figure: its data, script and caption, and the pictures that
   gnuplot draws from them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/find_plugin.h"
#include "page/draw.h"
#include "page/escape.h"
#include "run/process.h"

/* Writes the figure's file NAME.ENDING into the draft. */
static void
write_part(const Figure *f, const char *ending, const char *text)
{
    char *file = format_text("%s.%s", f->name, ending);
    FILE *to = begin_file(f->draft->path, file);
    fputs(text, to);
    end_file(to, f->directory, file);
}

/* The last line of a script has a hash of all that is before it. It shows
   whether somebody edited the script. */
#define SEAL "# Edited, this script is yours: qkv does not replace it. "

static char *
seal_of(const char *script, size_t size)
{
    return format_text(SEAL "%016" PRIx64 "\n",
                       hash_bytes(HASH_START, script, size));
}

/* Fails if the file is a script that somebody edited. It must not be replaced,
   nor run: it may be a stranger's, and gnuplot executes commands. */
static void
check_unedited(const char *path)
{
    if (access(path, F_OK))
        return;
    char *text = read_file(path, "script", NULL);
    char *seal = strstr(text, SEAL);
    if (!seal || strcmp(seal, seal_of(text, (size_t)(seal - text))))
        fail("%s: it was edited, so it is not replaced; rename it to keep it, "
             "or remove it, and give the command again",
             path);
}

bool
size_is_known(const char *size)
{
    char *end;
    double points = strtod(size, &end);
    return !strcmp(size, "column") ||
           (end > size && !*end && points >= 20 && points <= 5000);
}

static char *script_text, *data_text; /* of the figure that was begun last */

Figure
figure_begin(const Drawing *o, const char *wanted, const char *runs,
             const char *what)
{
    char *name = plain_name(wanted);
    char *directory = within(o->out, "figures");
    mkdir(o->out, 0777); /* if that fails, draft_begin does, and says why */
    mkdir(directory, 0777);
    char *script = format_text("%s.gp", name);
    check_unedited(within(directory, script));
    Figure f = {.o = o, .directory = directory, .name = name};
    f.draft = draft_begin(directory, name);
    f.data = begin_text(&data_text);
    f.script = begin_text(&script_text);
    f.title = format_text("%s%s%s", runs, *runs ? ": " : "", what);
    fprintf(
        f.script,
        "# %s.gp - draws %s.tsv: gnuplot %s.gp\n"
        "# Change texts here, and set more if you like: xlim = '0 10', ylim "
        "= '0 1'.\n"
        "# In LaTeX texts are escaped; raw = 1 takes them as they are.\n"
        "name = '%s'\ndata = name.'.tsv'\n",
        name, name, name, name);
    figure_word(&f, "title", f.title);
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

/* Appends a script of plots/. */
static void
append_script(FILE *to, const char *name)
{
    char *path = within(beside_program("plots"), name);
    fprintf(to, "\n%s", read_file(path, "plot script", NULL));
}

/* Draws one picture into the draft; returns false if there is no gnuplot.
   Nothing that a user or a file supplied reaches the shell: the script's name
   is a plain_name. */
static bool
draw_picture(const Figure *f, const char *format)
{
    const char *draft = f->draft->path;
    char term[32], script[160];
    size_t size;
    snprintf(term, sizeof term, "term='%s'", format);
    snprintf(script, sizeof script, "%s.gp", f->name);
    char *draw = "cd \"$0\" && exec gnuplot -d -e \"$1\" \"$2\" 2>.said";
    char *argv[] = {"sh", "-c", draw, (char *)draft, term, script, NULL};
    int status = run_program(argv);
    if (status == NOT_RUN)
        return false;
    if (status) {
        char *text = read_file(within(draft, ".said"), "text", &size);
        while (size && text[size - 1] == '\n')
            text[--size] = 0;
        char *last = strrchr(text, '\n');
        fail("%s/%s: gnuplot could not draw it (status %d): %s", f->directory,
             f->name, status, last ? last + 1 : text);
    }
    return true;
}

/* Draws the figure in each of its formats; returns false if there is no
   gnuplot. */
static bool
draw_pictures(const Figure *f)
{
    Values formats = values_split(f->o->format);
    for (int i = 0; i < formats.count; i++)
        if (!draw_picture(f, formats.text[i]))
            return false;
    return true;
}

int figures_drawn;

void
figure_end(Figure *f, const char *kind, const char *drawn)
{
    const Drawing *o = f->o;
    if (o->size) {
        fputs("if (!exists(\"size\")) ", f->script);
        figure_word(f, "size", o->size);
    }
    if (o->gnuplot)
        fprintf(f->script, "%s\n", o->gnuplot);
    append_script(f->script, "style.gp");
    append_script(f->script, kind);
    end_text(f->data, &data_text);
    end_text(f->script, &script_text);
    write_part(f, "tsv", data_text);
    char *seal = seal_of(script_text, strlen(script_text));
    write_part(f, "gp", format_text("%s%s", script_text, seal));
    bool drawable = draw_pictures(f);
    /* The caption is written last: gnuplot does not report a full disk, but
       writing the caption then fails. */
    char *caption =
        format_text("%s%s%s.\n", f->title, *drawn ? ". Drawn: " : "", drawn);
    write_part(f, "txt", caption);
    draft_end(f->draft, true);
    if (!o->quiet)
        note(drawable ? "drew %s/%s: %s"
                      : "%s/%s.gp would draw %s, but gnuplot is not installed: "
                        "`make deps` installs it",
             f->directory, f->name, o->format);
    figures_drawn++;
}
