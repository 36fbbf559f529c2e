/* caption.h - what is seen in a figure, in words. */
#ifndef CAPTION_H
#define CAPTION_H

/* The title of DIRECTORY/figures/NAME, and where each of its curves begins and
   ends, panel by panel. To be freed. */
char *figure_caption(const char *directory, const char *name);

#endif
