/* timing.h - how long work takes, beside what the machine can do. */
#ifndef TIMING_H
#define TIMING_H

/* The median time of a run, and of the machine's peak between its repeats:
   multiply-adds a second in registers alone. */
typedef struct Timing {
    double seconds, peak; /* FLOP/s */
} Timing;

/* Runs `run` until it is known. */
Timing measure(void (*run)(void *more), void *more);

/* The peak itself: what it takes to find, and what it is. */
Timing measure_peak(void);

#endif
