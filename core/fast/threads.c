/* threads.c - a few threads that wait for work, and share it chunk by chunk.

   Who is free takes a chunk. How many are left stands in one number with that
   of the call, so that a worker that comes late takes none of another call. A
   worker looks out for work for a while before it sleeps: in a training step
   there is always more in some microseconds, and to be woken takes longer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "heart/fail.h"
#include "heart/threads.h"

enum { PATIENCE = 1 << 20 }; /* looks before it sleeps: some milliseconds */

static struct {
    _Atomic uint64_t left; /* the call's number, then its chunks left */
    _Alignas(LINE) atomic_int done;
    _Alignas(LINE) Chunk *work;
    void *more;
    int count; /* of threads, this one among them */
    pthread_mutex_t lock;
    pthread_cond_t begun;
} pool = {.count = 1,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .begun = PTHREAD_COND_INITIALIZER};

static _Thread_local bool inside; /* of a chunk */
static _Thread_local int self;    /* the worker's number */

static bool
any_left(void)
{
    return (uint32_t)atomic_load_explicit(&pool.left, memory_order_acquire);
}

static void
take_chunks(void)
{
    inside = true;
    uint64_t left = atomic_load(&pool.left);
    while ((uint32_t)left)
        if (atomic_compare_exchange_weak(&pool.left, &left, left - 1)) {
            pool.work(pool.more, (int)(uint32_t)left - 1, self);
            atomic_fetch_add(&pool.done, 1);
            left = atomic_load(&pool.left);
        }
    inside = false;
}

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

static void *
run_worker(void *number)
{
    self = (int)(intptr_t)number;
    for (;;) {
        wait_for_work();
        take_chunks();
    }
    return NULL;
}

void
threads_start(int count)
{
    for (; pool.count < count; pool.count++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_worker,
                           (void *)(intptr_t)pool.count))
            fail("no thread %d: the system gives no more; take fewer "
                 "threads",
                 pool.count + 1);
        pthread_detach(thread);
    }
}

int
threads_count(void)
{
    return pool.count;
}

void
parallel_for(int chunks, Chunk *work, void *more)
{
    if (pool.count == 1 || chunks == 1 || inside) {
        for (int i = 0; i < chunks; i++)
            work(more, i, self);
        return;
    }
    uint64_t call = (atomic_load(&pool.left) >> 32) + 1;
    pool.work = work;
    pool.more = more;
    atomic_store(&pool.done, 0);
    pthread_mutex_lock(&pool.lock);
    atomic_store(&pool.left, call << 32 | (uint32_t)chunks);
    pthread_cond_broadcast(&pool.begun);
    pthread_mutex_unlock(&pool.lock);
    take_chunks();
    while (atomic_load(&pool.done) < chunks)
        ;
}
