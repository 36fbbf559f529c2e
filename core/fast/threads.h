/* threads.h - the work of a training step on several cores.

   Only one thread is used by default, because an experiment usually has a run
   for each core. Threads work on ranges that write to different places, so the
   bits do not depend on the number of threads. */
#ifndef THREADS_H
#define THREADS_H

/* The number of threads that share the work, including the calling one: 1
   unless it is set. */
extern int thread_count;

/* A function that does items from .. to - 1 of some work. `more` is what the
   caller of parallel_for passed. */
typedef void Range(void *more, long from, long to);

/* Divides items 0 .. n - 1 into at most thread_count ranges, calls
   work(more, from, to) for each, and returns when all are done. If `work`
   itself calls parallel_for, that call does all its items on its own thread.
   Fails if the system has no more threads. */
void parallel_for(long n, Range *work, void *more);

#endif
