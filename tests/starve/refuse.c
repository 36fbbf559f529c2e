/* refuse.c - an allocator that refuses once (LD_PRELOAD, glibc): the
   allocation of that number, counted over all processes of a command in the
   file $QKV_STARVE, which holds two 64-bit numbers: how many there were, and
   which is refused (0: none). */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static volatile uint64_t *shared;

__attribute__((constructor)) static void
begin(void)
{
    const char *path = getenv("QKV_STARVE");
    int file = path ? open(path, O_RDWR) : -1;
    void *at = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    shared = at == MAP_FAILED ? NULL : at;
}

static int
refused(void)
{
    if (!shared ||
        __atomic_add_fetch(&shared[0], 1, __ATOMIC_SEQ_CST) != shared[1])
        return 0;
    errno = ENOMEM;
    return 1;
}

void *
malloc(size_t size)
{
    return refused() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
    return refused() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
    return refused() ? NULL : __libc_realloc(old, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __libc_memalign(alignment, size);
}
