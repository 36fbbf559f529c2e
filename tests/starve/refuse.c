/* refuse.c - an allocator that refuses once (LD_PRELOAD, glibc): the
   allocation of the number $QKV_REFUSE, counted over all processes of a
   command in the file $QKV_STARVE, which holds a 64-bit number. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static volatile uint64_t *count;
static uint64_t refuse;

__attribute__((constructor)) static void
begin(void)
{
    int file = open(getenv("QKV_STARVE"), O_RDWR | O_CLOEXEC);
    void *at = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    refuse = strtoull(getenv("QKV_REFUSE"), NULL, 10);
    count = at == MAP_FAILED ? NULL : at;
}

static int
refused(void)
{
    if (!count || __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST) != refuse)
        return 0;
    errno = ENOMEM;
    return 1;
}

#define REFUSED(name, real, arguments, ...)          \
    void *real arguments;                            \
    void *name arguments                             \
    {                                                \
        return refused() ? NULL : real(__VA_ARGS__); \
    }
/* clang-format off */
REFUSED(malloc, __libc_malloc, (size_t size), size)
REFUSED(calloc, __libc_calloc, (size_t count, size_t size), count, size)
REFUSED(realloc, __libc_realloc, (void *old, size_t size), old, size)
REFUSED(aligned_alloc, __libc_memalign, (size_t alignment, size_t size), alignment, size)
/* clang-format on */

int
posix_memalign(void **to, size_t alignment, size_t size)
{
    *to = aligned_alloc(alignment, size);
    return *to ? 0 : ENOMEM;
}
