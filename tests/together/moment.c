/* moment.c - kills a process just before one of its calls that make, rename or
   remove a file (LD_PRELOAD, glibc): that of the number in $QKV_MOMENT, a file
   of three 64-bit numbers: how many there were in all processes of a command,
   which is the last (0: none), and how often something was renamed before it
   was on the disk. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile uint64_t *shared;
static int unwritten; /* what was written since the last syncfs */

__attribute__((constructor)) static void
begin(void)
{
    const char *path = getenv("QKV_MOMENT");
    int file = path ? open(path, O_RDWR) : -1;
    void *at = mmap(NULL, 24, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (at != MAP_FAILED && !strncmp(program_invocation_short_name, "qkv", 3))
        shared = at;
}

static void
moment(void)
{
    if (shared &&
        __atomic_add_fetch(&shared[0], 1, __ATOMIC_SEQ_CST) == shared[1])
        kill(getpid(), SIGKILL);
}

/* The C library's. */
#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

int
mkdir(const char *path, mode_t mode)
{
    moment();
    return REAL(mkdir)(path, mode);
}

char *
mkdtemp(char *path)
{
    moment();
    return REAL(mkdtemp)(path);
}

FILE *
fopen(const char *path, const char *mode)
{
    if (*mode != 'r') {
        unwritten++;
        moment();
    }
    return REAL(fopen)(path, mode);
}

int
fclose(FILE *file)
{
    moment();
    return REAL(fclose)(file);
}

int
syncfs(int file)
{
    moment();
    unwritten = 0;
    return REAL(syncfs)(file);
}

static void
renaming(void)
{
    moment();
    if (shared && unwritten)
        __atomic_add_fetch(&shared[2], 1, __ATOMIC_SEQ_CST);
}

int
rename(const char *from, const char *to)
{
    renaming();
    return REAL(rename)(from, to);
}

int
renameat2(int at, const char *from, int to_at, const char *to, unsigned flags)
{
    renaming();
    return REAL(renameat2)(at, from, to_at, to, flags);
}

int
unlink(const char *path)
{
    moment();
    return REAL(unlink)(path);
}

int
rmdir(const char *path)
{
    moment();
    return REAL(rmdir)(path);
}
