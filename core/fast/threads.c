/* threads.c - a few threads that wait for work, and share it range by range.

   A call is one call of parallel_for. A worker is a thread that this file
   starts; the calling thread works, too. A thread that is free takes a range of
   the call that no other thread has taken. A worker polls for a while before it
   sleeps, because a training step has more work within microseconds, and waking
   a thread takes longer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fast/threads.h"
#include "heart/fail.h"

/* PATIENCE is how often a worker polls before it sleeps: some milliseconds.
   CALL_SHIFT is the first bit of the call's number in pool.left. */
enum { PATIENCE = 1 << 20, CALL_SHIFT = 32 };

int thread_count = 1;

/* The call that is running, or the last one. `left` packs two numbers into a
   word, so that they change together: the number of the call in the bits from
   CALL_SHIFT on, and below them how many of its ranges no thread has taken. */
static struct {
    _Atomic uint64_t left;
    _Alignas(CACHE_LINE) atomic_int done; /* how many ranges are finished */
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

/* The second number in a value of pool.left: ranges that nobody has taken. */
static uint32_t
ranges_in(uint64_t left)
{
    return (uint32_t)left;
}

static bool
any_left(void)
{
    return ranges_in(atomic_load_explicit(&pool.left, memory_order_acquire));
}

/* Takes a range of the call, the last that is left, and returns its index; -1
   if none is left. If another thread takes it first, or another call begins,
   the word is no longer `left`: the exchange fails, stores the new word in
   `left`, and is tried again. So nobody takes a range of one call for that of
   another. */
static int64_t
take_range(void)
{
    uint64_t left = atomic_load(&pool.left);
    while (ranges_in(left) > 0)
        if (atomic_compare_exchange_weak(&pool.left, &left, left - 1))
            return ranges_in(left) - 1;
    return -1;
}

/* Works on ranges of the call until none is left. Whoever has taken a range may
   read the call's arguments: parallel_for set them before it put the ranges
   into pool.left, and it does not return, so that no other call can change
   them, before this range is counted in pool.done. */
static void
work_on_ranges(void)
{
    inside = true;
    for (int64_t i = take_range(); i >= 0; i = take_range()) {
        pool.work(pool.more, (long)(pool.n * i / pool.ranges),
                  (long)(pool.n * (i + 1) / pool.ranges));
        atomic_fetch_add(&pool.done, 1);
    }
    inside = false;
}

/* Polls until the call has ranges left, then sleeps until it has. parallel_for
   holds the lock when it adds ranges, so it cannot do that, and signal it,
   between the last look at pool.left and the sleep. */
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
        work_on_ranges();
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
    /* No thread reads the arguments now: no range is left to be taken. */
    pool.work = work;
    pool.more = more;
    pool.n = n;
    pool.ranges = ranges;
    atomic_store(&pool.done, 0);
    /* The lock is for workers that are about to sleep (wait_for_work). */
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.left, number << CALL_SHIFT | (uint32_t)ranges);
    pthread_cond_broadcast(&pool.begun);
    pthread_mutex_unlock(&pool.lock);
    work_on_ranges();
    while (atomic_load(&pool.done) < ranges)
        ; /* other threads are still at work on their last ranges */
}
