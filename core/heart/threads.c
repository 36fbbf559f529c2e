/* threads.c - the work that threads could share, done by one thread. */
#include "heart/threads.h"

int thread_count = 1;

void
parallel_for(long n, Range *work, void *more)
{
    work(more, 0, n);
}
