/* draw.c - one figure: its data, script and caption, and what gnuplot makes of
   them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/find_plugin.h"
#include "heart/fail.h"
#include "page/draw.h"
#include "page/escape.h"
#include "run/process.h"

static FILE *
open_part(const Figure *f, const char *ending)
{
    char *file = format_text("%s.%s", f->name, ending);
    FILE *to = begin_file(f->draft->path.text, file);
    free(file);
    return to;
}

/* The last line of a script: a hash of all before it, by which one that was
   edited is known. */
#define SEAL "# Edited, this script is yours: qkv does not replace it. "

static char *
seal_of(const char *script, size_t size)
{
    return format_text("%s%016" PRIx64 "\n", SEAL,
                       hash_bytes(HASH_START, script, size));
}

/* Exits where the script that is to be replaced was edited; it is not drawn by
   either, since it may be a stranger's, and gnuplot runs commands. */
static void
check_unedited(const char *directory, const char *name)
{
    size_t size;
    char *path = format_text("%s/%s.gp", directory, name);
    char *text = access(path, F_OK) ? NULL : read_file(path, "script", &size);
    char *last = text ? strstr(text, SEAL) : NULL;
    char *seal = last ? seal_of(text, (size_t)(last - text)) : NULL;
    if (text && (!seal || strcmp(last, seal)))
        fail("%s: was edited, so it is not replaced: gnuplot draws it; rename "
             "it to keep it, or remove it, then give the command again",
             path);
    free(seal);
    free(text);
    free(path);
}

Figure
figure_begin(const Drawing *o, const char *wanted)
{
    char *name = plain_name(wanted);
    Path directory = within(o->out, "figures");
    mkdir(o->out, 0777); /* if it is not there; what fails, fails below */
    if (mkdir(directory.text, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", directory.text,
             strerror(errno));
    drafts_sweep(directory.text);
    check_unedited(directory.text, name);
    Figure f = {.o = o, .directory = directory, .name = name};
    f.draft = draft_begin(directory.text, name);
    f.data = open_part(&f, "tsv");
    f.text = allocate(1, sizeof *f.text);
    f.script = begin_text(f.text);
    fprintf(f.script,
            "# %s.gp - draws %s.tsv: gnuplot %s.gp\n"
            "# What to change is here: texts, and what more you set: "
            "xlim = '0 10', ylim = '0 1'.\n"
            "# In LaTeX texts are escaped; raw = 1 takes them as they are.\n"
            "name = '%s'\ndata = name.'.tsv'\n",
            name, name, name, name);
    return f;
}

/* In single quotes, where a quote is doubled; but gnuplot takes two at the
   beginning for an empty text: those are in double quotes. */
static void
put_quoted(FILE *script, const char *text)
{
    char *plain = escaped(text, ALIGNED);
    int first = (int)strspn(plain, "'");
    fprintf(script, first ? "\"%.*s\".'" : "%.*s'", first, plain);
    for (const char *c = plain + first; *c; c++)
        fprintf(script, *c == '\'' ? "''" : "%c", *c);
    putc('\'', script);
    free(plain);
}

void
figure_word(const Figure *f, const char *key, const char *text)
{
    fprintf(f->script, "%s = ", key);
    put_quoted(f->script, text);
    putc('\n', f->script);
}

void
figure_words(const Figure *f, const char *key, const Values *words)
{
    fprintf(f->script, "array %s[%d] = [", key, words->count);
    for (int i = 0; i < words->count; i++) {
        fputs(i ? ", " : "", f->script);
        put_quoted(f->script, words->text[i]);
    }
    fputs("]\n", f->script);
}

void
figure_title(const Figure *f, const char *title, const char *notes)
{
    FILE *to = open_part(f, "txt");
    char *caption = format_text("%s.%s", title, notes);
    char *plain = escaped(caption, ALIGNED);
    fprintf(to, "%s\n", plain);
    end_file(to, f->directory.text, f->name);
    figure_word(f, "title", title);
    free(plain);
    free(caption);
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

/* The files that a format has, and what each of them ends with, before its last
   newlines, if it is whole: gnuplot does not tell that a disk was full. */
static const struct Output {
    const char *format, *ending, *last;
} outputs[] = {{"svg", ".svg", "</svg>"},
               {"png", ".png", "IEND\xAE\x42\x60\x82"},
               {"pdf", ".pdf", "%%EOF"},
               {"tikz", "-tikz.tex", "%% gnuplot variables"},
               {"cairolatex", "-cairolatex.pdf", "%%EOF"},
               {"cairolatex", "-cairolatex.tex", "\\endgroup"}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* The text of a file of gnuplot's without its last newlines; to be freed. */
static char *
written(const Figure *f, const char *file, size_t *size)
{
    Path path = within(f->draft->path.text, file);
    char *text = read_file(path.text, "what gnuplot wrote", size);
    while (*size && text[*size - 1] == '\n')
        text[--*size] = 0;
    return text;
}

/* Exits unless gnuplot wrote all of a file. */
static void
check_output(const Figure *f, const struct Output *p)
{
    char *file = format_text("%s%s", f->name, p->ending);
    size_t size, n = strlen(p->last);
    char *text = written(f, file, &size);
    if (size < n || memcmp(text + size - n, p->last, n))
        fail("%s/%s: gnuplot did not write all of it, so nothing of the figure "
             "is kept: make room on the disk (or raise `ulimit -f`), and give "
             "the command again",
             f->directory.text, file);
    free(text);
    free(file);
}

/* Draws one picture into the draft, or prints it; false where there is no
   gnuplot. The command line has nothing but words of ours and the script's
   plain name. */
static bool
draw_picture(const Figure *f, const char *format)
{
    char *term = format_text("term='%s'", format);
    char *script = format_text("%s.gp", f->name);
    size_t size;
    const char *argv[] = {"gnuplot", "-d", "-e", term, script, NULL};
    int status = run_program((char **)argv, f->draft->path.text, NULL);
    free(script);
    free(term);
    if (status == NOT_RUN)
        return false;
    if (status) {
        char *said = written(f, ".said", &size), *last = strrchr(said, '\n');
        fail("%s/%s: gnuplot could not draw it (status %d): %s",
             f->directory.text, f->name, status, last ? last + 1 : said);
    }
    if (!strcmp(format, "dumb")) {
        char *picture = written(f, ".shown", &size);
        puts(picture);
        free(picture);
    }
    for (const struct Output *p = outputs; p < outputs + OUTPUTS; p++)
        if (!strcmp(p->format, format))
            check_output(f, p);
    /* styles for TeX without LaTeX */
    discard(within(f->draft->path.text, "gnuplot-lua-tikz.tex").text);
    discard(within(f->draft->path.text, "t-gnuplot-lua-tikz.tex").text);
    return true;
}

int figures_drawn;

void
figure_end(Figure *f, const char *kind)
{
    static bool warned;
    const char *place = f->directory.text;
    Values formats = values_cut(f->o->format);
    bool there = true;
    if (f->o->size)
        fprintf(f->script, "if (!exists(\"size\")) size = '%s'\n", f->o->size);
    if (f->o->gnuplot)
        fprintf(f->script, "%s\n", f->o->gnuplot);
    append_script(f->script, "style");
    append_script(f->script, kind);
    end_file(f->data, place, f->name);
    end_text(f->script, f->text);
    char *seal = seal_of(*f->text, strlen(*f->text));
    FILE *to = open_part(f, "gp");
    fprintf(to, "%s%s", *f->text, seal);
    end_file(to, place, f->name);
    for (int i = 0; there && i < formats.count; i++)
        there = draw_picture(f, formats.text[i]);
    draft_publish_all(f->draft);
    for (const struct Output *p = outputs; p < outputs + OUTPUTS; p++)
        if (there && !f->o->quiet && index_in(f->o->format, p->format) >= 0)
            note("drew %s/%s%s", place, f->name, p->ending);
    if (!there && !warned && !f->o->quiet)
        note("%s: data and scripts are there, but gnuplot is not installed: "
             "`make deps` brings it; then `qkv plot`, or gnuplot on a .gp "
             "there, draws them",
             place);
    warned |= !there;
    figures_drawn++;
    values_free(&formats);
    free(*f->text);
    free(f->text);
    free(seal);
    free(f->name);
}
