/* clock.h - the time, for measuring how long something takes. */
#ifndef CLOCK_H
#define CLOCK_H

/* Seconds since some moment in the past. Never goes back. */
double now(void);

#endif
