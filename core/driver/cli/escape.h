/* escape.h - a text as the language that it is put into takes it. */
#ifndef ESCAPE_H
#define ESCAPE_H

/* ALIGNED is plain text on a terminal; a PARAGRAPH is Markdown where a line
   begins. */
typedef enum { ALIGNED, TSV, MARKDOWN, LATEX, JSON, PARAGRAPH } Layout;

/* A text that somebody else may have written, so that all of it is seen and
   nothing of it acts: without control characters, what is no UTF-8 as ?, and
   with each character escaped that means something in the language; in JSON
   between quotes. To be freed. */
char *escaped(const char *text, Layout language);

#endif
