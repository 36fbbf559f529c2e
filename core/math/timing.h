/* timing.h - how long work takes, beside what the machine can do. */
#ifndef TIMING_H
#define TIMING_H

/* Work to be timed. */
typedef struct Work {
    void (*run)(void *more);
    void *more;
} Work;

/* The median time of a run, and of the peak's between its repeats. */
typedef struct Timing {
    double seconds, peak; /* FLOP/s */
} Timing;

Timing measure(Work w);

/* Multiply-adds in registers alone; *flops of them in a run. */
Timing measure_peak(double *flops);

/* Bytes a second from a memory of 64 MB, read in order. */
double measure_reading(void);

#endif
