/* escape.h - makes texts harmless in the language of a table or a script. */
#ifndef ESCAPE_H
#define ESCAPE_H

/* The languages in which a text is printed. The first five are also layouts of
   tables; ALIGNED is plain text on a terminal. GNUPLOT is a text between single
   quotes in a figure's script. */
typedef enum { ALIGNED, TSV, JSON, MARKDOWN, LATEX, GNUPLOT } Layout;

/* Rewrites a text that a stranger may have written, so that the language shows
   all of it and executes none of it. Control characters become spaces, bytes
   that are not UTF-8 become ?, and characters that are special in the language
   are escaped. GNUPLOT's only special character is the single quote, which
   becomes ’. In LaTeX, a character from U+0180 on is written as its number,
   because pdflatex may not have it. */
char *escaped(const char *text, Layout language);

/* Makes the name `wanted` safe for a figure's files and for a label in LaTeX.
   Every character except letters, digits and . _ + = , - becomes _, for example
   < and |, because gnuplot runs <name and |name as programs. If that changes
   the name, a hash of `wanted` is added, so that different names stay
   different. */
char *plain_name(const char *wanted);

#endif
