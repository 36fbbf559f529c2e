/* threads.h - one step's work on several cores.

   One thread is used unless thread_count says more, because an experiment
   usually has a run for each core. Threads get ranges that write to different
   places, so the bits do not depend on the number of threads. */
#ifndef THREADS_H
#define THREADS_H

/* How many threads share the work, this one among them: 1 unless set. */
extern int thread_count;

typedef void Range(void *more, long from, long to);

/* Divides 0 .. n into at most thread_count ranges, calls work(more, from, to)
   for each, and returns when all are done. A call from within such a call does
   all of 0 .. n on its own thread. Exits if the system has no more threads. */
void parallel_for(long n, Range *work, void *more);

#endif
