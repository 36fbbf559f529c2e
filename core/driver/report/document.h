/* document.h - one text in three languages: Markdown, HTML, LaTeX. */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdio.h>

#include "driver/cli/print.h"

typedef struct Document {
    FILE *markdown, *html, *latex;
    const char *directory;
} Document;

/* Begins DIRECTORY/report.md, .html and .tex, a directory that is there. */
Document document_begin(const char *directory, const char *title);

/* Ends them; exits where one could not be written. */
void document_end(Document *d);

void put_heading(Document *d, const char *text);
void put_paragraph(Document *d, const char *text);
void put_code(Document *d, const char *text);
void put_table(Document *d, const Sheet *s);

/* figures/NAME of the directory: its svg in Markdown, the same inline in HTML,
   its pdf in LaTeX, with a caption. */
void put_figure(Document *d, const char *name, const char *caption);

#endif
