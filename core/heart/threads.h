/* threads.h - one step's work on several cores.

   Off unless asked for: an experiment's runs are what usually shares out the
   cores. What is shared out here are chunks that write to different places, so
   that the numbers are the same bit for bit, however many threads there are. */
#ifndef THREADS_H
#define THREADS_H

enum { MOST_THREADS = 64 };

/* From now on work is shared between `count` threads, this one among them.
   Exits where the system has none left. */
void threads_start(int count);

/* How many there are: 1 before threads_start. */
int threads_count(void);

typedef void Chunk(void *more, int chunk, int worker);

/* Calls work(more, i, worker) for every i below `chunks`, each once, and
   returns when all are done. `worker`, below threads_count(), is another one
   for each two chunks that run at the same time. Within a chunk it is called in
   place: a chunk starts no threads of its own. */
void parallel_for(int chunks, Chunk *work, void *more);

/* Chunk i of the range from 0 to n, cut into as many as there are chunks. */
static inline long
chunk_begin(long n, int i, int chunks)
{
    if (chunks == 1) /* no division, which a small product would notice */
        return n * i;
    return n / chunks * i + n % chunks * i / chunks;
}

#endif
