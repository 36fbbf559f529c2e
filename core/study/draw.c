/* draw.c - one figure: its data, script and caption, and what gnuplot makes of
   them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "config/find_plugin.h"
#include "run/companion.h"
#include "study/escape.h"
#include "study/draw.h"
#include "study/group.h"
#include "heart/fail.h"

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
static char *
seal_of(const char *script, size_t size)
{
    return format_text("# Edited, this script is yours: qkv does not replace "
                       "it. %016" PRIx64 "\n",
                       hash_bytes(HASH_START, script, size));
}

/* That of the script that is to be replaced, "" for none. Exits where it was
   edited; it is not drawn by either, since it may be a stranger's, and gnuplot
   runs commands. */
static char *
seal_there(const char *directory, const char *name)
{
    size_t size;
    char *path = format_text("%s/%s.gp", directory, name);
    if (access(path, F_OK)) {
        free(path);
        return copy_text("");
    }
    char *text = read_file(path, "script", &size);
    size_t own = size ? size - 1 : 0;
    while (own && text[own - 1] != '\n')
        own--;
    char *seal = seal_of(text, own);
    if (strcmp(text + own, seal))
        fail("%s: was edited, so it is not replaced: gnuplot draws it; rename "
             "it to keep it, or remove it, then give the command again",
             path);
    free(text);
    free(path);
    return seal;
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
    char *seal = seal_there(directory.text, name);
    Figure f = {.o = o, .directory = directory, .name = name, .seal = seal};
    f.draft = draft_begin(directory.text, name);
    f.data = open_part(&f, "tsv");
    f.text = allocate(1, sizeof *f.text);
    f.script = begin_text(f.text);
    fprintf(f.script,
            "# %s.gp - draws %s.tsv: gnuplot %s.gp\n\nname = '%s'\n"
            "data = name.'.tsv'\n",
            name, name, name, name);
    return f;
}

/* How long the maths is that begins there: W^Q, d_k, 10^{-1}; 0: none does. */
static size_t
maths_length(const char *word)
{
    size_t n = isalpha((unsigned char)*word) ? 1 : strspn(word, "0123456789");
    size_t base = n;
    while (n && (word[n] == '_' || word[n] == '^')) {
        size_t in = strspn(word + n + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"
                                         "KLMNOPQRSTUVWXYZ0123456789+-=,");
        if (isalnum((unsigned char)word[n + 1]))
            n += 2;
        else if (word[n + 1] == '{' && in && word[n + 2 + in] == '}')
            n += in + 3;
        else
            return 0;
    }
    return n > base && strspn(word + n, ".,:;)") == strcspn(word + n, " ") ? n
                                                                           : 0;
}

/* A text in LaTeX, with what is maths in it as such; NULL where nothing is, or
   a sign elsewhere in it would be taken for maths. A word is maths that is a
   letter or a number with an index: one character, or several in braces. To be
   freed. */
static char *
maths_in_latex(const char *text)
{
    char *all;
    bool maths = false, other = false;
    FILE *to = begin_text(&all);
    while (*text) {
        text += *text == '(' ? (putc('(', to), 1) : 0;
        size_t n = maths_length(text);
        size_t rest = n + strcspn(text + n, " ") +
                      strspn(text + n + strcspn(text + n, " "), " ");
        char *word = format_text("%.*s", (int)(rest - n), text + n);
        char *safe = escaped(word, LATEX);
        fprintf(to, n ? "$%.*s$%s" : "%.*s%s", (int)n, text, safe);
        maths |= n > 0;
        other |= strpbrk(word, "\\{}^_@&~") != NULL;
        text += rest;
        free(word);
        free(safe);
    }
    end_text(to, &all);
    if (maths && !other)
        return all;
    free(all);
    return NULL;
}

static void
put_texts(const Figure *f, const char *key, const Values *words, bool labels)
{
    fprintf(f->script, "$%s << END\n", key);
    for (int i = 0; i < words->count; i++) {
        char *plain = escaped(words->text[i], ALIGNED);
        char *maths = labels ? maths_in_latex(plain) : NULL;
        char *latex = maths ? maths : escaped(words->text[i], LATEX);
        bool same = !strcmp(plain, latex);
        fprintf(f->script, "%c%s%s%s\n", maths ? '^' : '|', plain,
                same ? "" : "\t", same ? "" : latex);
        free(plain);
        free(latex);
    }
    fprintf(f->script, "END\n");
}

void
figure_words(const Figure *f, const char *key, const Values *words)
{
    put_texts(f, key, words, false);
}

void
figure_labels(const Figure *f, const char *key, const Values *words)
{
    put_texts(f, key, words, true);
}

void
figure_label(const Figure *f, const char *key, const char *text)
{
    figure_labels(f, key, &(Values){&(char *){(char *)text}, 1, 1});
}

/* Is it as wide as two columns? */
static bool
is_wide(const char *size)
{
    return size &&
           (index_in("page neurips slide", size) >= 0 || atof(size) > 300);
}

/* NAME.tex: NAME.pdf as a float with caption and label, as wide as it was
   drawn, but not wider than its column; from whichever folder it is read. */
static void
write_float(const Figure *f, const char *title, const char *notes)
{
    FILE *to = open_part(f, "tex");
    char *caption = format_text("%s.%s", title, notes);
    char *safe = escaped(caption, LATEX);
    const char *star = is_wide(f->o->size) ? "*" : "";
    fprintf(
        to,
        "%% needs \\usepackage{graphicx}, and for the folder of this file a "
        "LaTeX of 2020\n\\providecommand\\CurrentFilePath{}\n"
        "\\begin{figure%s}[tb]\n\\centering\n"
        "\\sbox0{\\includegraphics{\\ifx\\CurrentFilePath\\empty"
        "\\else\\CurrentFilePath/\\fi %s.pdf}}%%\n"
        "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}"
        "\\else\\usebox0\\fi\n\\caption{%s}\n\\label{fig:%s}\n"
        "\\end{figure%s}\n",
        star, f->name, safe, f->name, star);
    end_file(to, f->directory.text, f->name);
    free(safe);
    free(caption);
}

void
figure_title(const Figure *f, const char *title, const char *notes,
             const char *seen)
{
    FILE *to = open_part(f, "txt");
    char *head = escaped(title, ALIGNED), *more = escaped(notes, ALIGNED);
    char *last = escaped(*seen ? seen + 1 : "", ALIGNED);
    fprintf(to, "%s.%s\n%s%s", head, more, last, *last ? "\n" : "");
    free(head);
    free(more);
    free(last);
    end_file(to, f->directory.text, f->name);
    if (index_in(f->o->format, "pdf") >= 0)
        write_float(f, title, notes);
    figure_label(f, "title", title);
}

int
longest_of(const Values *words)
{
    size_t most = 0;
    for (int i = 0; i < words->count; i++)
        if (strlen(words->text[i]) > most)
            most = strlen(words->text[i]);
    return (int)most;
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
   newlines, if it is whole: gnuplot does not tell that a disk was full. From
   `dated` on, for so many lines, is when and by whom it was drawn. */
static const struct Output {
    const char *format, *ending, *last, *dated;
    int lines;
    bool shared; /* by all figures: the ending is its whole name */
} outputs[] = {
    {"svg", ".svg", "</svg>", NULL, 0, false},
    {"png", ".png", "IEND\xAE\x42\x60\x82", NULL, 0, false},
    {"pdf", ".pdf", "%%EOF", "/CreationDate", 1, false},
    {"tikz", "-tikz.tex", "%% gnuplot variables", "%% generated", 2, false},
    {"tikz", "gnuplot-lua-tikz.sty", "\\endinput", NULL, 0, true},
    {"tikz", "gnuplot-lua-tikz-common.tex", "\\endinput", NULL, 0, true},
    {"cairolatex", "-cairolatex.pdf", "%%EOF", "/CreationDate", 1, false},
    {"cairolatex", "-cairolatex.tex", "\\endgroup", NULL, 0, false},
    {"dumb", ".shown", "\f", NULL, 0, true}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static char *
output_name(const Figure *f, const struct Output *p)
{
    return format_text("%s%s", p->shared ? "" : f->name, p->ending);
}

/* Overwrites the date by %, a comment in PDF and in TeX, so that the same
   figure is the same file: neither may lose a byte or a line. */
static void
strike_date(const struct Output *p, char *text, size_t size)
{
    char *at = memmem(text, size, p->dated, strlen(p->dated));
    for (int lines = p->lines; at && lines && at < text + size; at++)
        if (*at == '\n')
            lines--;
        else
            *at = '%';
}

/* Exits unless gnuplot wrote all of a file. What it drew for a terminal is
   printed, without the forms that it feeds. */
static void
take_output(const Figure *f, const struct Output *p)
{
    char *file = output_name(f, p);
    const char *draft = f->draft->path.text;
    Path path = within(draft, file);
    size_t size, n = strlen(p->last);
    char *text = read_file(path.text, "figure", &size);
    size_t end = size;
    while (end && text[end - 1] == '\n')
        end--;
    if (end < n || memcmp(text + end - n, p->last, n))
        fail("%s/%s: gnuplot did not write all of it, so nothing of the figure "
             "is kept: make room on the disk (or raise `ulimit -f`), and give "
             "the command again",
             f->directory.text, file);
    if (p->dated) {
        strike_date(p, text, size);
        FILE *to = begin_file(draft, file);
        fwrite(text, 1, size, to);
        end_file(to, f->directory.text, file);
    }
    for (size_t i = 0; !strcmp(p->format, "dumb") && i < end; i++)
        if (text[i] != '\f')
            putchar(text[i]);
    free(text);
    free(file);
}

/* Draws one picture into the draft, or prints it; false where there is no
   gnuplot. The command line has nothing but words of ours and the script's
   plain name. */
static bool
draw_picture(const Figure *f, const char *format)
{
    char *term = format_text("term='%s'", format), *why = NULL;
    char *script = format_text("%s.gp", f->name);
    const char *argv[] = {"gnuplot", "-d", "-e", term, script, NULL};
    if (!companion_run(f->draft->path.text, argv, &why))
        return false;
    if (why)
        fail("%s/%s: gnuplot could not draw it: %s", f->directory.text, f->name,
             why);
    for (const struct Output *p = outputs; p < outputs + OUTPUTS; p++)
        if (!strcmp(p->format, format))
            take_output(f, p);
    if (!strcmp(format, "tikz")) { /* styles for TeX without LaTeX */
        discard(within(f->draft->path.text, "gnuplot-lua-tikz.tex").text);
        discard(within(f->draft->path.text, "t-gnuplot-lua-tikz.tex").text);
    }
    free(script);
    free(term);
    return true;
}

/* Says what was drawn and, if the figure has changed, which pictures in other
   formats are of what it was before. */
static void
tell_drawn(const Figure *f, bool changed)
{
    Values outdated = {0};
    for (const struct Output *p = outputs; p < outputs + OUTPUTS; p++) {
        char *file = output_name(f, p);
        if (!p->shared && index_in(f->o->format, p->format) >= 0)
            note("drew %s/%s", f->directory.text, file);
        else if (!p->shared && changed &&
                 !access(within(f->directory.text, file).text, F_OK))
            values_add(&outdated, copy_text(file));
        free(file);
    }
    char *list = joined(&outdated, ", ");
    if (outdated.count)
        note("%s: of an earlier figure of that name: %s; draw these too with "
             "--format, or this one with another --out",
             f->directory.text, list);
    values_free(&outdated);
    free(list);
}

/* Ends data and script. Its last lines tell of both, so that two figures with
   one seal are the same. */
static char *
end_parts(Figure *f)
{
    size_t size;
    const char *place = f->directory.text;
    char *path = format_text("%s/%s.tsv", f->draft->path.text, f->name);
    end_file(f->data, place, f->name);
    char *data = read_file(path, "data", &size);
    fprintf(f->script,
            "if (dumb) { set print '-'; print \"\\014\" } # all is drawn\n"
            "# its data: %016" PRIx64 "\n",
            hash_bytes(HASH_START, data, size));
    end_text(f->script, f->text);
    char *seal = seal_of(*f->text, strlen(*f->text));
    FILE *to = open_part(f, "gp");
    fprintf(to, "%s%s", *f->text, seal);
    end_file(to, place, f->name);
    free(*f->text);
    free(f->text);
    free(data);
    free(path);
    return seal;
}

int figures_drawn;

void
figure_end(Figure *f, const char *kind)
{
    static bool told;
    Values formats = values_cut(f->o->format);
    bool there = true;
    if (f->o->size)
        fprintf(f->script, "if (!exists(\"size\")) size = '%s'\n", f->o->size);
    append_script(f->script, "style");
    append_script(f->script, kind);
    char *seal = end_parts(f);
    for (int i = 0; there && i < formats.count; i++)
        there = draw_picture(f, formats.text[i]);
    draft_publish_all(f->draft);
    if (there && !f->o->quiet)
        tell_drawn(f, strcmp(f->seal, seal));
    if (!there && !told && !f->o->quiet)
        note("%s: data and scripts are there, but gnuplot is not installed: "
             "`make deps` brings it; then `qkv plot`, or gnuplot on a .gp "
             "there, draws them",
             f->directory.text);
    told |= !there;
    figures_drawn++;
    values_free(&formats);
    free(seal);
    free(f->seal);
    free(f->name);
}
