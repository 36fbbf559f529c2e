/* escape.h - makes texts harmless in the language of a table or a script. */
#ifndef ESCAPE_H
#define ESCAPE_H

/* The languages in which a table is printed, and GNUPLOT, for a text between
   single quotes in a figure's script. ALIGNED is plain text on a terminal. */
typedef enum { ALIGNED, TSV, JSON, MARKDOWN, LATEX, GNUPLOT } Layout;

/* A text that a stranger may have written, in a form that shows all of it and
   executes none of it: control characters become spaces, bytes that are not
   UTF-8 become ?, and characters that are special in the language are escaped.
   GNUPLOT's only special character is the single quote, which becomes ’. In
   LaTeX, a character from U+0180 on is written as its number, because pdflatex
   may not have it. */
char *escaped(const char *text, Layout language);

/* The name `wanted`, made safe for a figure's files and for a label: every
   character except letters, digits and . _ + = , - becomes _, since gnuplot
   opens <name and |name as pipes. If that changes the name, a hash of `wanted`
   is added, so that different names stay different. */
char *plain_name(const char *wanted);

#endif
