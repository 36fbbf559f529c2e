/* memory.h - the time and memory that a process may use. */
#ifndef MEMORY_H
#define MEMORY_H

/* Limits of a process, and how to raise them. */
typedef struct Limits {
    double seconds;    /* INFINITY: only a plugin's calls are timed, each */
    double bytes;      /* beyond what this program uses */
    const char *more;  /* "; --timeout gives more", or "" */
    const char *whose; /* "this machine has" */
} Limits;

/* Bytes of memory that are free. */
double memory_free(void);

/* So many seconds and bytes, but no more bytes than are free. */
Limits limits(double seconds, double bytes);

/* From here on this process gets no more bytes than that; a message about
   memory then says whose limit it was. */
void memory_limit(Limits l);

/* "3.2 GB" */
const char *size_text(double bytes, char text[32]);

#endif
