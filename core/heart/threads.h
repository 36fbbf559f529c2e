/* threads.h - one step's work on several cores.

   Off unless asked for: an experiment usually has a run for each core. What is
   shared out here are ranges that write to different places, so that the
   numbers are the same bit for bit, however many threads there are. */
#ifndef THREADS_H
#define THREADS_H

/* How many threads share the work, this one among them: 1 unless set. */
extern int thread_count;

typedef void Range(void *more, long from, long to);

/* Calls work(more, from, to) for ranges that together are 0 to n, at most
   thread_count of them, and returns when all are done. A call within a range
   runs in place, over all of 0 to n. Exits where the system has no more
   threads. */
void parallel_for(long n, Range *work, void *more);

#endif
