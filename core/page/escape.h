/* escape.h - makes texts harmless in the language of a table or a script. */
#ifndef ESCAPE_H
#define ESCAPE_H

/* The languages in which a text is printed. The first five are also layouts of
   tables; ALIGNED is plain text on a terminal. GNUPLOT is a text between single
   quotes in a figure's script. */
typedef enum { ALIGNED, TSV, JSON, MARKDOWN, LATEX, GNUPLOT } Layout;

/* Returns a copy of a text that a stranger may have written, changed so that
   the language shows all of it and executes none of it. Control characters
   become spaces, bytes that are not UTF-8 become ?, and characters that are
   special in the language are escaped. GNUPLOT's only special character is the
   single quote, which becomes ’. In LaTeX, a character from U+0180 on is
   written as its number, because pdflatex may not have it. */
char *escaped(const char *text, Layout language);

/* Returns a name like `wanted` that is safe for a figure's files and for a
   label in LaTeX. It has at most the first 120 bytes of `wanted`. Every byte
   except ASCII letters, digits and . _ + = , - becomes _, for example < and |,
   because gnuplot runs <name and |name as programs; so does a . or - at the
   beginning. If the result differs from `wanted`, a hash of `wanted` is added,
   so that different names stay different. */
char *plain_name(const char *wanted);

#endif
