/* memory.h - what a process may take of time and memory. */
#ifndef MEMORY_H
#define MEMORY_H

/* Its limits, and what gives more of them. */
typedef struct Limits {
    double seconds;    /* INFINITY: only a plugin's calls are timed, each */
    double bytes;      /* beyond what this program has */
    const char *more;  /* "; --timeout gives more", or "" */
    const char *whose; /* "this machine has" */
} Limits;

/* Bytes that programs can still be given. */
double memory_free(void);

/* So many seconds, and bytes, of which there are no more than are free. */
Limits limits(double seconds, double bytes);

/* From here on this process gets no more bytes than that: who is refused some
   reports whose limit it was. */
void memory_limit(Limits l);

/* "3.2 GB" */
const char *size_text(double bytes, char text[32]);

#endif
