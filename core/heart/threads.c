/* threads.c - work that could be shared, done by one thread. */
#include "heart/threads.h"

void
threads_start(int count)
{
    (void)count;
}

int
threads_count(void)
{
    return 1;
}

void
parallel_for(int chunks, Chunk *work, void *more)
{
    for (int i = 0; i < chunks; i++)
        work(more, i, 0);
}
