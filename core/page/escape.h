/* escape.h - a text as the language that it is put into takes it. */
#ifndef ESCAPE_H
#define ESCAPE_H

/* ALIGNED is plain text on a terminal; GNUPLOT, which no table has, a text
   between single quotes, in which nothing is gnuplot's but the quote. */
typedef enum { ALIGNED, TSV, MARKDOWN, LATEX, GNUPLOT } Layout;

/* A text that somebody else may have written, so that all of it is seen and
   nothing of it acts: without control characters, what is no UTF-8 as ?, and
   with each character escaped that means something in the language. */
char *escaped(const char *text, Layout language);

/* What a figure's files, or a label, are called: letters, digits and a few
   signs, since gnuplot opens <name and |name as pipes. Where that is another
   name than was wanted, a hash keeps it apart from others. */
char *plain_name(const char *wanted);

#endif
