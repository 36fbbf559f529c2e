/* escape.h - makes texts harmless in the language of a table or a script. */
#ifndef ESCAPE_H
#define ESCAPE_H

/* The languages. ALIGNED is plain text on a terminal. GNUPLOT, in which no
   table is printed, is for a text between single quotes, in which only the
   quote is special. */
typedef enum { ALIGNED, TSV, JSON, MARKDOWN, LATEX, GNUPLOT } Layout;

/* A text that a stranger may have written, in a form that shows all of it and
   executes none of it: control characters become spaces, bytes that are not
   UTF-8 become ?, and characters that are special in the language are escaped.
 */
char *escaped(const char *text, Layout language);

/* A name for files of a figure, or for a label: letters, digits and a few
   signs, since gnuplot opens <name and |name as pipes. If that changes the
   name, a hash of the wanted one is added, so that different names stay
   different. */
char *plain_name(const char *wanted);

#endif
