/* draw.c - one figure: NAME.tsv, NAME.gp and what gnuplot makes of them. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/words.h"
#include "math/random.h"
#include "variant/plugin.h"
#include "driver/cli/child.h"
#include "driver/cli/escape.h"
#include "driver/figure/draw.h"

/* How our child ends that found no gnuplot, as neither gnuplot nor a loader
   that was refused memory does; and the seconds that one has. */
enum { NO_GNUPLOT = 90, LIMIT = 60 };

static FILE *
open_part(const Draft *d, const char *name, const char *ending)
{
    char *file = format_text("%s.%s", name, ending);
    FILE *to = begin_file(d->path.text, file);
    free(file);
    return to;
}

/* What the files of that figure are called: letters, digits and a few signs,
   since gnuplot opens <name and |name as pipes. Where that is another name than
   was wanted, a hash keeps it apart from others. To be freed. */
static char *
file_name(const char *wanted)
{
    enum { LONGEST = 120 };
    char *name = format_text("%.*s", LONGEST, wanted);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+=,-", *c))
            *c = '_';
    if (*name == '.' || *name == '-')
        *name = '_';
    if (!strcmp(name, wanted))
        return name;
    uint64_t hash = hash_bytes(HASH_START, wanted, strlen(wanted));
    char *apart = format_text("%s-%08x", name, (unsigned)hash);
    free(name);
    return apart;
}

Figure
figure_begin(const Options *o, const char *wanted)
{
    char *name = file_name(wanted);
    Path directory = within(o->out, "figures");
    mkdir(o->out, 0777); /* if it is not there; what fails, fails below */
    if (mkdir(directory.text, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", directory.text,
             strerror(errno));
    drafts_sweep(directory.text);
    check_all_plain(directory.text);
    Draft *d = draft_begin(directory.text, name);
    Figure f = {o,
                directory,
                name,
                d,
                open_part(d, name, "tsv"),
                open_part(d, name, "gp")};
    fprintf(f.script,
            "# %s.gp - draws %s.tsv: gnuplot %s.gp\n\nname = '%s'\n"
            "data = name.'.tsv'\n",
            name, name, name, name);
    return f;
}

void
figure_block(const Figure *f, const char *key)
{
    fprintf(f->script, "$%s << END\n", key);
}

void
figure_line(const Figure *f, const char *text)
{
    char *plain = escaped(text, ALIGNED), *latex = escaped(text, LATEX);
    bool same = !strcmp(plain, latex);
    fprintf(f->script, "|%s%s%s\n", plain, same ? "" : "\t", same ? "" : latex);
    free(plain);
    free(latex);
}

void
figure_block_end(const Figure *f)
{
    fprintf(f->script, "END\n");
}

void
figure_words(const Figure *f, const char *key, char *const *words, int count)
{
    figure_block(f, key);
    for (int i = 0; i < count; i++)
        figure_line(f, words[i]);
    figure_block_end(f);
}

void
figure_text(const Figure *f, const char *key, const char *text)
{
    figure_words(f, key, &(char *){(char *)text}, 1);
}

char *
figure_caption(const char *directory, const char *name)
{
    size_t size;
    char *path = format_text("%s/%s.gp", directory, name);
    char *script = read_file(path, "script of a figure", &size);
    static const char heads[2][16] = {"$title << END\n|", "$seen << END\n|"};
    const char *title = strstr(script, heads[0]), *seen;
    title = title ? title + strlen(heads[0]) : "";
    seen = strstr(title, heads[1]);
    seen = seen ? seen + strlen(heads[1]) : "";
    char *caption =
        format_text("%.*s.%s%.*s", (int)strcspn(title, "\t\n"), title,
                    *seen ? " " : "", (int)strcspn(seen, "\t\n"), seen);
    free(path);
    free(script);
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

/* Whose picture has two files, or a name of its own. */
static bool
is_tex(const char *format)
{
    return !strcmp(format, "tikz") || !strcmp(format, "cairolatex");
}

/* In our child: gnuplot on the script, in the draft. Its command line has
   nothing but words of ours and the script's plain name. */
static _Noreturn void
become_gnuplot(const Figure *f, const char *format)
{
    char *term = format_text("term='%s'", format);
    char *script = format_text("%s.gp", f->name);
    if (!chdir(f->draft->path.text) && freopen(".shown", "w", stdout) &&
        freopen(".said", "w", stderr)) {
        alarm(LIMIT);
        end_with_parent();
        execlp("gnuplot", "gnuplot", "-d", "-e", term, script, (char *)NULL);
    }
    bool none = errno == ENOENT;
    perror("it cannot be started");
    _exit(none ? NO_GNUPLOT : 1);
}

/* The last line of a file that is no blank: gnuplot's message, behind what it
   repeats. */
static void
last_line(const char *path, char last[512])
{
    char line[512];
    FILE *said = fopen(path, "r");
    snprintf(last, 512, "it said nothing");
    while (said && fgets(line, sizeof line, said)) {
        char *words = line + strspn(line, " \t\r\n");
        words[strcspn(words, "\r\n")] = 0;
        if (*words)
            strcpy(last, words);
    }
    if (said)
        fclose(said);
}

/* What term dumb drew, without the forms that it feeds. */
static void
print_shown(const char *path)
{
    FILE *shown = fopen(path, "r");
    for (int c; shown && (c = fgetc(shown)) != EOF;)
        if (c != '\f')
            putchar(c);
    if (shown)
        fclose(shown);
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

/* Keeps what gnuplot was to draw, and exits. */
static _Noreturn void
give_up(const Figure *f, const char *format, const char *why)
{
    static const char *const parts[] = {"tsv", "gp"};
    for (int i = 0; i < 2; i++) {
        char *file = format_text("%s.%s", f->name, parts[i]);
        draft_publish(f->draft, file, true);
        free(file);
    }
    fail("%s/%s.%s: %s", f->directory.text, f->name, format, why);
}

/* Has gnuplot draw the figure. False where there is none; fails where it does
   not succeed. */
static bool
run_gnuplot(const Figure *f, const char *format)
{
    char said[512];
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        fail("no process for gnuplot: %s", strerror(errno));
    if (child == 0)
        become_gnuplot(f, format);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_GNUPLOT)
        return false;
    last_line(within(f->draft->path.text, ".said").text, said);
    if (WIFSIGNALED(status))
        snprintf(said, sizeof said, "%s",
                 WTERMSIG(status) == SIGALRM ? "it took more than a minute"
                                             : strsignal(WTERMSIG(status)));
    if (status) {
        char *why = format_text("gnuplot failed on it: %s", said);
        give_up(f, "gp", why);
    }
    return true;
}

/* Draws one picture into the draft, or prints it; false where there is no
   gnuplot. */
static bool
draw_picture(const Figure *f, const char *format)
{
    Path shown = within(f->draft->path.text, ".shown");
    char *file =
        format_text(is_tex(format) ? "%s-%s.tex" : "%s.%s", f->name, format);
    bool drawn = run_gnuplot(f, format), dumb = !strcmp(format, "dumb");
    if (drawn && dumb)
        print_shown(shown.text);
    else if (drawn && !is_whole(within(f->draft->path.text, file).text))
        give_up(f, format, "gnuplot could not write it; is the disk full?");
    else if (drawn && !f->o->quiet)
        note("drew %s/%s", f->directory.text, file);
    free(file);
    return drawn;
}

static void
without_gnuplot(const Figure *f)
{
    static bool said;
    if (!said)
        note("%s: data and scripts are there, but gnuplot is not installed: "
             "`make deps` brings it; then `qkv plot`, or gnuplot on a .gp "
             "there, draws them",
             f->directory.text);
    said = true;
}

void
figure_end(Figure *f, const char *kind)
{
    Values formats = options_formats(f->o);
    bool there = true;
    if (f->o->size)
        fprintf(f->script, "if (!exists(\"size\")) size = '%s'\n", f->o->size);
    append_script(f->script, "style");
    append_script(f->script, kind);
    end_file(f->data, f->directory.text, f->name);
    end_file(f->script, f->directory.text, f->name);
    for (int i = 0; there && i < formats.count; i++)
        there = draw_picture(f, formats.text[i]);
    draft_publish_all(f->draft);
    if (!there)
        without_gnuplot(f);
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
