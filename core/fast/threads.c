/* threads.c - a few threads that wait for work, and share it range by range.

   A call is one call of parallel_for. A worker is a thread that this file
   starts; the calling thread works, too. A thread that is free takes the next
   range. The number of ranges that are left is in one word with the number of
   the call, so that a worker that is late cannot take a range of another call.
   A worker polls for a while before it sleeps, because a training step has more
   work within microseconds, and waking a thread takes longer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fast/threads.h"
#include "heart/fail.h"

/* PATIENCE is how often a worker polls before it sleeps: some milliseconds.
   CALL_SHIFT is the number of bits of pool.left below the call's number. */
enum { PATIENCE = 1 << 20, CALL_SHIFT = 32 };

int thread_count = 1;

/* `left` holds two numbers: the call's number in its high 32 bits, and in its
   low 32 bits how many of the call's ranges no thread has taken yet. */
static struct {
    _Atomic uint64_t left;
    _Alignas(CACHE_LINE) atomic_int done; /* ranges of the call */
    _Alignas(CACHE_LINE) Range *work;     /* the arguments of the call */
    void *more;
    int64_t n, ranges; /* items 0 .. n - 1 are divided into `ranges` */
    int started;       /* number of threads, including the calling one */
    pthread_mutex_t lock;
    pthread_cond_t begun;
} pool = {.started = 1,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .begun = PTHREAD_COND_INITIALIZER};

static _Thread_local bool inside; /* is this thread at work on a range? */

/* The number of ranges of the call that no thread has taken. */
static uint32_t
ranges_in(uint64_t left)
{
    return (uint32_t)left;
}

static bool
any_left(void)
{
    uint64_t left = atomic_load_explicit(&pool.left, memory_order_acquire);
    return ranges_in(left) > 0;
}

/* Takes range after range of the call, from the last to the first, until none
   is left. */
static void
take_ranges(void)
{
    inside = true;
    uint64_t left = atomic_load(&pool.left);
    while (ranges_in(left) > 0)
        /* If another thread was faster, sets `left` to the new value. */
        if (atomic_compare_exchange_weak(&pool.left, &left, left - 1)) {
            int64_t range = ranges_in(left) - 1; /* its index */
            pool.work(pool.more, (long)(pool.n * range / pool.ranges),
                      (long)(pool.n * (range + 1) / pool.ranges));
            atomic_fetch_add(&pool.done, 1);
            left = atomic_load(&pool.left);
        }
    inside = false;
}

/* Polls until the call has ranges left, then sleeps until it has. */
static void
wait_for_work(void)
{
    for (int i = 0; i < PATIENCE; i++)
        if (any_left())
            return;
    pthread_mutex_lock(&pool.lock);
    while (!any_left())
        pthread_cond_wait(&pool.begun, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* A worker's thread, which never ends. */
static void *
run_worker(void *unused)
{
    for (;;) {
        wait_for_work();
        take_ranges();
    }
    return unused;
}

/* Starts the workers that are missing. */
static void
start_workers(void)
{
    for (; pool.started < thread_count; pool.started++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_worker, NULL))
            fail("could not start thread %d: the system refused it; use "
                 "fewer threads",
                 pool.started + 1);
        pthread_detach(thread);
    }
}

void
parallel_for(long n, Range *work, void *more)
{
    int ranges = n < thread_count ? (int)n : thread_count;
    if (ranges <= 1 || inside) {
        work(more, 0, n);
        return;
    }
    start_workers();
    uint64_t number = (atomic_load(&pool.left) >> CALL_SHIFT) + 1;
    pool.work = work;
    pool.more = more;
    pool.n = n;
    pool.ranges = ranges;
    atomic_store(&pool.done, 0);
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.left, number << CALL_SHIFT | (uint32_t)ranges);
    pthread_cond_broadcast(&pool.begun);
    pthread_mutex_unlock(&pool.lock);
    take_ranges();
    while (atomic_load(&pool.done) < ranges)
        ; /* other threads are still at work on their last ranges */
}
