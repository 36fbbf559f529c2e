/* page.c - a page in Markdown or in LaTeX: headings, paragraphs, code, figures.

   All text passes through `escaped`: nothing in a recipe, a title or a name
   that somebody else wrote is taken for a sign of the page's language. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/words.h"
#include "driver/figure/draw.h"
#include "driver/report/page.h"

/* A text after what begins it and before what ends it. */
static void
put(const Page *p, const char *before, const char *text, const char *after)
{
    char *safe = escaped(text, p->layout == MARKDOWN ? PARAGRAPH : p->layout);
    fprintf(p->to, "%s%s%s", before, safe, after);
    free(safe);
}

void
page_begin(const Page *p, const char *title)
{
    static const char head[] =
        "\\documentclass[twocolumn]{article}\n"
        "\\ifdefined\\Umathcode\\usepackage{fontspec}"
        "\\else\\usepackage[T1]{fontenc}\\fi\n"
        "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
        "\\usepackage{textcomp,booktabs,graphicx}\n"
        "\\usepackage[margin=2cm]{geometry}\n"
        "\\setlength{\\columnsep}{18pt}\\setlength{\\parindent}{0pt}"
        "\\setlength{\\parskip}{4pt plus 2pt}\n"
        "\\setlength{\\emergencystretch}{3em}\n"
        "\\begin{document}\n\\title{";
    if (p->layout == MARKDOWN)
        put(p, "# ", title, "\n");
    else
        put(p, head, title, "}\\author{}\\date{}\n\\maketitle\n");
}

void
page_end(const Page *p)
{
    fputs(p->layout == MARKDOWN ? "" : "\n\\end{document}\n", p->to);
}

void
page_heading(const Page *p, const char *text)
{
    bool markdown = p->layout == MARKDOWN;
    put(p, markdown ? "\n## " : "\n\\section*{", text, markdown ? "\n" : "}\n");
}

void
page_text(const Page *p, const char *format, ...)
{
    char *text;
    va_list args;
    FILE *all = begin_text(&text);
    va_start(args, format);
    vfprintf(all, format, args);
    va_end(args);
    end_text(all, &text);
    put(p, "\n", text, "\n");
    free(text);
}

void
page_code(const Page *p, const char *text)
{
    bool markdown = p->layout == MARKDOWN;
    fputs(!*text     ? ""
          : markdown ? "\n"
                     : "\n\\begin{flushleft}\\ttfamily\\hyphenchar\\font=-1\n",
          p->to);
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        char *line = format_text("%.*s", (int)n, at);
        char *safe = escaped(line, markdown ? ALIGNED : LATEX_CODE);
        fprintf(p->to, markdown ? "    %s\n" : "\\mbox{}%s\\par\n", safe);
        at += n + (at[n] == '\n');
        free(safe);
        free(line);
    }
    fputs(*text && !markdown ? "\\end{flushleft}\n" : "", p->to);
}

void
page_table(const Page *p, const char *path)
{
    size_t size;
    char *text = read_file(path, "table", &size);
    for (const char *c = text; *c; c++)
        if (*c == '\\' && c[1])
            c++;
        else if (*c == '<' || !strncmp(c, "](", 2) || !strncmp(c, "://", 3))
            fail("%s: not as qkv writes it; remove it, and make it again",
                 path);
    fputs(text + strspn(text, "\n"), p->to);
    free(text);
}

void
page_figure(const Page *p, const char *directory, const char *name, int number)
{
    if (p->layout != MARKDOWN) {
        fprintf(p->to, "\\input{figures/%s}\n", name);
        return;
    }
    char *seen = figure_caption(directory, name, false);
    fprintf(p->to, "\n![%s](figures/%s.svg)\n", name, name);
    page_text(p, "Figure %d. %s Data: figures/%s.tsv.", number, seen, name);
    free(seen);
}

void
figure_float(const char *directory, const char *name, bool across)
{
    char *file = format_text("%s.tex", name);
    char *caption = figure_caption(directory, name, true);
    char *safe = escaped(caption, LATEX);
    FILE *to = begin_file(directory, file);
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
        across ? "*" : "", name, safe, name, across ? "*" : "");
    end_file(to, directory, file);
    free(safe);
    free(caption);
    free(file);
}
