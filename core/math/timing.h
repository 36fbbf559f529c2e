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

/* The same of two, in turns: the median times of a run of each, and of the
   first one's share of the second one's time. */
typedef struct Turns {
    double seconds[2], share;
} Turns;
Turns measure_in_turns(void (*first)(void *more), void *first_more,
                       void (*second)(void *more), void *second_more);

/* The peak itself: what it takes to find, and what it is. */
Timing measure_peak(void);

#endif
