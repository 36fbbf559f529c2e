/* document.c - one text in three languages: Markdown, HTML, LaTeX. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "driver/report/document.h"

static const char style[] =
    ":root{color-scheme:light dark}\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;"
    "padding:0 1rem}\n"
    "h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;"
    "margin-top:2.2rem}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "display:block;overflow-x:auto}\n"
    "th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #8886;"
    "white-space:nowrap}\n"
    "th.left,td.left{text-align:left}\n"
    "pre{overflow-x:auto;padding:.7rem 1rem;background:#8882;"
    "border-radius:.3rem}\n"
    "figure{margin:1.4rem 0}figure svg{max-width:100%;height:auto;"
    "background:#fff}\n"
    "figcaption{font-size:.92rem;color:#777;margin-top:.4rem}\n";

/* A file of its own, or \input into another: the preamble only where there is
   none yet. */
static void
begin_latex(FILE *to, const char *title)
{
    fprintf(to, "%% Compiles as it is, and can be \\input into a paper that "
                "has graphicx.\n"
                "\\makeatletter\n"
                "\\ifx\\@nodocument\\relax\\let\\qkvend\\relax\\else\n"
                "\\documentclass{article}\n"
                "\\usepackage{graphicx}\n"
                "\\usepackage[margin=2cm]{geometry}\n"
                "\\begin{document}\n"
                "\\def\\qkvend{\\end{document}}\n"
                "\\fi\n"
                "\\makeatother\n\n\\section*{");
    print_escaped(to, title, LATEX);
    fprintf(to, "}\n");
}

Document
document_begin(const char *directory, const char *title)
{
    Document d = {begin_file(directory, "report.md"),
                  begin_file(directory, "report.html"),
                  begin_file(directory, "report.tex"), directory};
    fprintf(d.markdown, "# ");
    print_escaped(d.markdown, title, MARKDOWN);
    fprintf(d.markdown, "\n");
    fprintf(d.html, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
                    "charset=\"utf-8\">\n<meta name=\"viewport\" "
                    "content=\"width=device-width,initial-scale=1\">\n<title>");
    print_escaped(d.html, title, HTML);
    fprintf(d.html, "</title>\n<style>\n%s</style></head><body>\n<h1>", style);
    print_escaped(d.html, title, HTML);
    fprintf(d.html, "</h1>\n");
    begin_latex(d.latex, title);
    return d;
}

void
document_end(Document *d)
{
    fprintf(d->html, "</body></html>\n");
    fprintf(d->latex, "\n\\qkvend\n");
    end_file(d->markdown, d->directory, "report.md");
    end_file(d->html, d->directory, "report.html");
    end_file(d->latex, d->directory, "report.tex");
}

/* Text with what stands around it in each language. */
static void
put(Document *d, const char *const around[3][2], const char *text,
    Layout markdown)
{
    FILE *const to[] = {d->markdown, d->html, d->latex};
    const Layout languages[] = {markdown, HTML, LATEX};
    for (int i = 0; i < 3; i++) {
        fputs(around[i][0], to[i]);
        print_escaped(to[i], text, languages[i]);
        fputs(around[i][1], to[i]);
    }
}

void
put_heading(Document *d, const char *text)
{
    static const char *const around[3][2] = {
        {"\n## ", "\n"}, {"<h2>", "</h2>\n"}, {"\n\\subsection*{", "}\n"}};
    put(d, around, text, PARAGRAPH);
}

void
put_paragraph(Document *d, const char *text)
{
    static const char *const around[3][2] = {
        {"\n", "\n"}, {"<p>", "</p>\n"}, {"\n", "\n"}};
    put(d, around, text, PARAGRAPH);
}

/* Nothing in the text ends the code before its end, not even in a recipe that
   somebody else wrote. */
void
put_code(Document *d, const char *text)
{
    fprintf(d->markdown, "\n");
    fprintf(d->html, "<pre>");
    fprintf(d->latex, "\n{\\footnotesize\\ttfamily\\frenchspacing\\obeyspaces\n"
                      "\\begin{flushleft}\n");
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        char *line = format_text("%.*s", (int)n, at);
        const char *const around[3][2] = {
            {"    ", "\n"},
            {"", "\n"},
            {at == text ? "\\mbox{}" : "\\\\\n\\mbox{}", ""}};
        put(d, around, line, ALIGNED);
        at += n + (at[n] == '\n');
        free(line);
    }
    fprintf(d->html, "</pre>\n");
    fprintf(d->latex, "\n\\end{flushleft}}\n");
}

void
put_table(Document *d, const Sheet *s)
{
    fprintf(d->markdown, "\n");
    sheet_write(d->markdown, s, MARKDOWN);
    sheet_write(d->html, s, HTML);
    fprintf(d->latex, "\n{\\footnotesize\\noindent\n");
    sheet_write(d->latex, s, LATEX);
    fprintf(d->latex, "}\n");
}

/* The svg as it may stand within a page: without its XML declaration, and with
   names of its own, which must differ from those of other figures. */
static void
put_svg(Document *d, const char *name)
{
    size_t size;
    char *file = format_text("figures/%s.svg", name);
    Path path = within(d->directory, file);
    char *text = read_file(path.text, "figure", &size);
    const char *at = strstr(text, "<svg");
    for (at = at ? at : text; *at; at++) {
        fputc(*at, d->html);
        if (!strncmp(at, "id=\"gnuplot", 11) || !strncmp(at, "id='gp", 6) ||
            !strncmp(at, "href=\"#", 7) || !strncmp(at, "href='#", 7) ||
            !strncmp(at, "url(#", 5)) {
            size_t n = strcspn(at, "\"'(") + 1;
            n += at[n] == '#';
            fwrite(at + 1, 1, n - 1, d->html);
            for (const char *c = name; *c; c++)
                fputc(strchr("abcdefghijklmnopqrstuvwxyz0123456789-", *c) ? *c
                                                                          : '_',
                      d->html);
            fputc('_', d->html);
            at += n - 1;
        }
    }
    free(text);
    free(file);
}

void
put_figure(Document *d, const char *name, const char *caption)
{
    static const char *const around[3][2] = {
        {"\n", "\n"},
        {"<figcaption>", "</figcaption></figure>\n"},
        {"\\footnotesize ", "\n\\end{center}\n"}};
    fprintf(d->markdown, "\n![%s](figures/%s.svg)\n", name, name);
    fprintf(d->html, "<figure>\n");
    put_svg(d, name);
    fprintf(d->latex,
            "\n\\begin{center}\n"
            "\\includegraphics[width=\\linewidth]{{figures/%s}.pdf}\n\n",
            name);
    put(d, around, caption, PARAGRAPH);
}
