/* products.c [CBLAS] - our matrix product beside a CBLAS's (OpenBLAS, MKL), on
   one core, for every shape that training uses. Nothing else tells for which
   shapes another library is faster.

   The shapes are not listed here: `qkv bench train` and the default comparison
   run in a process of their own, and each call of multiply there is noted on
   its way (the linker's --wrap). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "heart/fail.h"
#include "base/files.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "math/timing.h"
#include "driver/cli/plugin_process.h"
#include "driver/commands.h"

typedef struct Product {
    Matrix c, a, b;
    bool add; /* to what is in C */
} Product;

enum { MOST = 1024 };
static struct Seen {
    int count;
    Product list[MOST];
} * seen; /* shared with the processes that are seen */

static bool
same_shape(Matrix x, Matrix y)
{
    return x.rows == y.rows && x.cols == y.cols && x.down == y.down &&
           x.across == y.across && x.count == y.count &&
           (x.count == 1 || x.step == y.step);
}

static void
see(Product p)
{
    for (const Product *q = seen->list; q < seen->list + seen->count; q++)
        if (same_shape(p.c, q->c) && same_shape(p.a, q->a) &&
            same_shape(p.b, q->b) && p.add == q->add)
            return;
    if (seen->count == MOST)
        fail("products: more than %d shapes", MOST);
    seen->list[seen->count++] = p;
}

void __wrap_multiply(Matrix c, Matrix a, Matrix b);
void __wrap_multiply_add(Matrix c, Matrix a, Matrix b);
void __real_multiply(Matrix c, Matrix a, Matrix b);
void __real_multiply_add(Matrix c, Matrix a, Matrix b);

void
__wrap_multiply(Matrix c, Matrix a, Matrix b)
{
    see((Product){c, a, b, false});
    __real_multiply(c, a, b);
}

void
__wrap_multiply_add(Matrix c, Matrix a, Matrix b)
{
    see((Product){c, a, b, true});
    __real_multiply_add(c, a, b);
}

/* The time of this process, which others on the machine spoil less. */
double __wrap_now(void);

double
__wrap_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs both commands in a process, whose tables nobody wants to see. */
static void
watch(void)
{
    char out[] = "/tmp/qkv-products-XXXXXX";
    char *bench[] = {"bench", "train", "-q", NULL};
    char *compare[] = {"compare",      "--seeds", "1",  "--steps", "4",
                       "--validate",   "1",       "-q", "--test",  "1",
                       "--jobs",       "1",       "-o", out,       "--keep",
                       "--no-figures", NULL};
    if (!mkdtemp(out))
        fail("%s: cannot be made", out);
    pid_t child = fork();
    if (child == 0)
        _exit(!freopen("/dev/null", "w", stdout) ||
              command_in_child(command_bench, 3, bench) ||
              command_in_child(command_compare, 16, compare));
    int status;
    if (waitpid(child, &status, 0) != child || status)
        fail("products: what was to be watched failed");
    discard(out);
}

static void
run_ours(void *more)
{
    const Product *p = more;
    (p->add ? __real_multiply_add : __real_multiply)(p->c, p->a, p->b);
}

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 }; /* of CBLAS */
static void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n,
                     int k, float alpha, const real *a, int a_down,
                     const real *b, int b_down, float beta, real *c,
                     int c_down);

/* The products of a batch one by one. */
static void
run_theirs(void *more)
{
    const Product *p = more;
    const Matrix c = p->c, a = p->a, b = p->b;
    const bool ta = a.across != 1, tb = b.across != 1;
    for (int i = 0; i < c.count; i++)
        sgemm(ROW_MAJOR, ta ? TRANSPOSED : AS_IT_IS, tb ? TRANSPOSED : AS_IT_IS,
              c.rows, c.cols, a.cols, 1, a.at + i * a.step,
              (int)(ta ? a.across : a.down), b.at + i * b.step,
              (int)(tb ? b.across : b.down), (float)p->add, c.at + i * c.step,
              (int)c.down);
}

/* m, whose memory was another process's, with numbers of its own. */
static Matrix
filled(Matrix m)
{
    Random r = random_stream(1, "bench");
    ptrdiff_t count = (m.rows - 1) * m.down + (m.cols - 1) * m.across +
                      (m.count - 1) * m.step + 1;
    m.at = allocate_aligned((size_t)count, sizeof *m.at);
    for (ptrdiff_t i = 0; i < count; i++)
        m.at[i] = (real)(1e-3 * random_uniform(&r));
    return m;
}

/* Each is measured as a share of the machine's peak beside it, which a noisy
   machine spoils least; the ratio is one of these shares. */
static void
compare(Product p)
{
    p = (Product){filled(p.c), filled(p.a), filled(p.b), p.add};
    double flops = 2. * p.c.rows * p.a.cols * p.c.cols * p.c.count;
    Timing ours = measure(run_ours, &p);
    printf("%sA%s B%s\t%d\t%d\t%d\t%d\t%.1f\t%.0f%%", p.add ? "+ " : "",
           p.a.across != 1 ? "'" : "", p.b.across != 1 ? "'" : "", p.c.rows,
           p.a.cols, p.c.cols, p.c.count, 1e-9 * flops / ours.seconds,
           100 * flops / ours.seconds / ours.peak);
    if (sgemm) {
        Timing theirs = measure(run_theirs, &p);
        printf("\t%.2f",
               theirs.seconds * theirs.peak / (ours.seconds * ours.peak));
    }
    printf("\n");
    fflush(stdout);
    free(p.c.at);
    free(p.a.at);
    free(p.b.at);
}

int
main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "libopenblas.so.0";
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* before the library reads it */
    setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        fail("products: no memory");
    watch();
    void *library = dlopen(name, RTLD_NOW);
    /* POSIX has data and functions share a pointer. */
    *(void **)&sgemm = library ? dlsym(library, "cblas_sgemm") : NULL;
    if (!sgemm)
        note("bench: %s is left out: %s", name, dlerror());
    printf("form\tm\tk\tn\tin a call\tGFLOP/s\tof peak%s\n",
           sgemm ? "\tto CBLAS" : "");
    for (int i = 0; i < seen->count; i++)
        compare(seen->list[i]);
    return 0;
}
