/* late.c - opens a file that is appended to a moment later than it was asked to
   (LD_PRELOAD, glibc): two processes that look first, and append then, have
   both looked by that time. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>

int
open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    __typeof__(&open) real =
        (__typeof__(&open))(uintptr_t)dlsym(RTLD_NEXT, "open");
    if (flags & O_APPEND)
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return real(path, flags, mode);
}
