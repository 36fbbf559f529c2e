/* caption.h - what a figure of curves says in words: its titles, and its
   caption, which tells what there is to see. All texts are to be freed. */
#ifndef CAPTION_H
#define CAPTION_H

#include "study/curves.h"

/* What lies along x, what the series are values of, and the quantity of a panel
   as its task measures it. */
char *x_title(const Plot *all);
char *by_title(const Drawing *o);
char *y_title(const Panel *p);

/* The title that a figure has unless the user gives one: whose, and what the
   points and bands are. */
char *title_of(const Plot *all, const char *whose);

/* What has to be known of all curves to read them. Of what a logarithmic axis
   has no place for: *hidden. */
char *notes_of(const Plot *all, const Values *series, bool *hidden);

/* What is seen of some series, in sentences that begin with the panels' names.
 */
char *seen_of(const Plot *all, const Values *series, char **names);

/* Is a text one of a list, not only equal to one? */
bool is_among(const Values *list, const char *text);

#endif
