/* draw.c - one figure: its data, script and caption, and what gnuplot makes of
   them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/words.h"
#include "variant/plugin.h"
#include "driver/cli/companion.h"
#include "driver/cli/escape.h"
#include "driver/results/group.h"
#include "driver/figure/draw.h"

static FILE *
open_part(const Figure *f, const char *ending)
{
    char *file = format_text("%s.%s", f->name, ending);
    FILE *to = begin_file(f->draft->path.text, file);
    free(file);
    return to;
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
    check_all_plain(directory.text);
    Figure f = {o,    directory, name, draft_begin(directory.text, name),
                NULL, NULL};
    f.data = open_part(&f, "tsv");
    f.script = open_part(&f, "gp");
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

char *
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

void
figure_title(const Figure *f, const char *title, const char *notes,
             const char *seen)
{
    FILE *to = open_part(f, "txt");
    const char *words[] = {title, notes, seen};
    for (int i = 0; i < 3; i++) {
        char *plain = escaped(words[i] + (i == 2 && *seen), ALIGNED);
        fprintf(to, "%s%s", plain,
                i == 0   ? "."
                : i == 1 ? "\n"
                : *seen  ? "\n"
                         : "");
        free(plain);
    }
    end_file(to, f->directory.text, f->name);
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

Values
figures_in(const char *directory)
{
    check_all_plain(directory);
    Values names = files_in(directory, ".gp");
    for (int i = 0; i < names.count; i++)
        if (names.text[i][strspn(names.text[i], NAME_LETTERS ".=,")])
            fail("%s/%s.gp: no figure of qkv's; take it out", directory,
                 names.text[i]);
    return names;
}

char *
figure_caption(const char *directory, const char *name, bool brief)
{
    size_t size;
    char *path = format_text("%s/%s.txt", directory, name);
    char *caption = read_file(path, "caption of a figure", &size);
    char *end = caption + strcspn(caption, "\n");
    if (brief)
        *end = 0;
    for (; *end; end += strcspn(end, "\n"))
        *end = end[1] ? ' ' : 0;
    free(path);
    return caption;
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

/* What term dumb drew, without the forms that it feeds. */
static void
print_shown(const Figure *f)
{
    size_t size;
    Path path = within(f->draft->path.text, ".shown");
    char *shown = read_file(path.text, "picture", &size);
    for (size_t i = 0; i < size; i++)
        if (shown[i] != '\f')
            putchar(shown[i]);
    free(shown);
}

/* Draws one picture into the draft, or prints it; false where there is no
   gnuplot. Where it fails, what it was to draw is kept. The command line has
   nothing but words of ours and the script's plain name. */
static bool
draw_picture(Figure *f, const char *format)
{
    bool tex = !strcmp(format, "tikz") || !strcmp(format, "cairolatex");
    char *file = format_text(tex ? "%s-%s.tex" : "%s.%s", f->name, format);
    char *path = format_text("%s/%s", f->draft->path.text, file), *why = NULL;
    char *term = format_text("term='%s'", format);
    char *script = format_text("%s.gp", f->name);
    const char *argv[] = {"gnuplot", "-d", "-e", term, script, NULL};
    struct stat picture = {0};
    if (!companion_run(f->draft->path.text, argv, &why))
        return false;
    if (!why && !strcmp(format, "dumb"))
        print_shown(f);
    else if (!why && (stat(path, &picture) || picture.st_size == 0))
        why = copy_text("it wrote nothing; is the disk full?");
    else if (!why && !f->o->quiet)
        note("drew %s/%s", f->directory.text, file);
    if (why) {
        discard(path);
        draft_publish_all(f->draft);
        fail("%s/%s: gnuplot could not draw it: %s", f->directory.text, file,
             why);
    }
    if (!strcmp(format, "tikz")) { /* styles for TeX without LaTeX */
        discard(within(f->draft->path.text, "gnuplot-lua-tikz.tex").text);
        discard(within(f->draft->path.text, "t-gnuplot-lua-tikz.tex").text);
    }
    free(script);
    free(term);
    free(path);
    free(file);
    return true;
}

/* Does the file NAME.ENDING that is to be replaced begin with the same `most`
   bytes, or have all the same ones? */
static bool
begins_the_same(const Figure *f, const char *ending, size_t most)
{
    char *file = format_text("%s.%s", f->name, ending);
    Path old = within(f->directory.text, file);
    Path new = within(f->draft->path.text, file);
    size_t n = 0, m = 0;
    char *a = access(old.text, F_OK) ? NULL : read_file(old.text, "figure", &n);
    char *b = read_file(new.text, "figure", &m);
    bool same =
        a && (most ? n >= most : n == m) && !memcmp(a, b, most ? most : m);
    free(file);
    free(a);
    free(b);
    return same;
}

/* Says which pictures of this name are of what it was before: those in other
   formats, if its data, its caption or the `most` bytes of its script that are
   its own have changed. */
static void
tell_outdated(const Figure *f, size_t most)
{
    static const char *const endings[] = {".svg", ".png", ".pdf", "-tikz.tex",
                                          "-cairolatex.tex"};
    Values outdated = {0};
    if (begins_the_same(f, "tsv", 0) && begins_the_same(f, "txt", 0) &&
        begins_the_same(f, "gp", most))
        return;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *file = format_text("%s%s", f->name, endings[i]);
        if (!access(within(f->directory.text, file).text, F_OK) &&
            access(within(f->draft->path.text, file).text, F_OK))
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

void
figure_end(Figure *f, const char *kind)
{
    static bool told;
    size_t own = (size_t)ftell(f->script);
    Values formats = values_cut(f->o->format);
    bool there = true;
    if (f->o->size)
        fprintf(f->script, "if (!exists(\"size\")) size = '%s'\n", f->o->size);
    append_script(f->script, "style");
    append_script(f->script, kind);
    end_file(f->data, f->directory.text, f->name);
    end_file(f->script, f->directory.text, f->name);
    for (int i = 0; there && i < formats.count; i++)
        there = draw_picture(f, formats.text[i]);
    if (there && !f->o->quiet)
        tell_outdated(f, own);
    draft_publish_all(f->draft);
    if (!there && !told && !f->o->quiet)
        note("%s: data and scripts are there, but gnuplot is not installed: "
             "`make deps` brings it; then `qkv plot`, or gnuplot on a .gp "
             "there, draws them",
             f->directory.text);
    told |= !there;
    values_free(&formats);
    free(f->name);
}

void
figure_drop(Figure *f, const char *why)
{
    fclose(f->data);
    fclose(f->script);
    draft_end(f->draft);
    note("%s is not drawn: %s", f->name, why);
    free(f->name);
}
