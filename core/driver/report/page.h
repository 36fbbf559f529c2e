/* page.h - a page in Markdown or in LaTeX: headings, paragraphs, code, figures.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "driver/cli/escape.h"
#include "heart/fail.h"

typedef struct Page {
    FILE *to;
    Layout layout; /* MARKDOWN, or LATEX_TEXT */
} Page;

/* Begins it with a title, and ends it. */
void page_begin(const Page *p, const char *title);
void page_end(const Page *p);

void page_heading(const Page *p, const char *text);

/* A paragraph. */
void page_text(const Page *p, const char *format, ...) PRINTF(2, 3);

/* Lines that are seen as they are. */
void page_code(const Page *p, const char *text);

/* A table that qkv wrote as Markdown. Exits where the file has what would act
   there: qkv escapes that, so it is somebody else's. */
void page_table(const Page *p, const char *path);

/* Figure `number`, of the page's figures/, where it is NAME: in LaTeX what
   figure_float wrote there. */
void page_figure(const Page *p, const char *directory, const char *name,
                 int number);

/* Writes DIRECTORY/NAME.tex: the picture NAME.pdf beside it, from whichever
   folder it is read, with caption and label; as wide as it was drawn, but not
   wider than a column, or `across` both. */
void figure_float(const char *directory, const char *name, bool across);

#endif
