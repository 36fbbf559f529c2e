/* products.c [CBLAS] - our matrix product beside a CBLAS's (OpenBLAS, MKL), on
   one core, for the shapes of the configurations that `qkv bench` trains: their
   maps, forward and backward, and those of all heads of one sequence. Nothing
   else tells for which shapes another library is faster. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "math/timing.h"

typedef struct Product {
    Matrix c, a, b;
} Product;

static void
run_ours(void *more)
{
    const Product *p = more;
    multiply(p->c, p->a, p->b);
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
              (int)(tb ? b.across : b.down), 0, c.at + i * c.step, (int)c.down);
}

/* Each is measured as a share of the machine's peak beside it, which a noisy
   machine spoils least; the ratio is one of these shares. */
static void
compare(const char *config, Matrix c, Matrix a, Matrix b)
{
    Product p = {c, a, b};
    double flops = 2. * c.rows * a.cols * c.cols * c.count;
    Timing ours = measure(run_ours, &p);
    printf("%s\tA%s B%s\t%d\t%d\t%d\t%d\t%.1f\t%.0f%%", config,
           a.across != 1 ? "'" : "", b.across != 1 ? "'" : "", c.rows, a.cols,
           c.cols, c.count, 1e-9 * flops / ours.seconds,
           100 * flops / ours.seconds / ours.peak);
    if (sgemm) {
        Timing theirs = measure(run_theirs, &p);
        printf("\t%.2f",
               theirs.seconds * theirs.peak / (ours.seconds * ours.peak));
    }
    printf("\n");
    fflush(stdout);
}

/* The memory of A, B and C, whatever their shapes. */
static real *numbers[3];

/* The `count` (rows x cols) matrices there: columns of wider rows if there are
   several, as heads are. */
static Matrix
some(int which, int rows, int cols, int count)
{
    Matrix m = matrix(numbers[which], rows, cols, (ptrdiff_t)cols * count);
    m.step = cols;
    return batch(m, count);
}

/* Y = X W of that shape, and what goes backward through it: dY W', X' dY. */
static void
compare_forms(const char *config, int m, int k, int n, int count)
{
    compare(config, some(2, m, n, count), some(0, m, k, count),
            some(1, k, n, count));
    compare(config, some(2, m, k, count), some(0, m, n, count),
            transposed(some(1, k, n, count)));
    compare(config, some(2, k, n, count), transposed(some(0, m, k, count)),
            some(1, m, n, count));
}

/* Those of core/driver/bench.c. */
static const struct Config {
    const char *name;
    int symbols, d, heads, tokens, batch, mlp;
} configs[] = {
    {"tiny", 64, 32, 4, 16, 32, 4},     {"tiny-b1", 64, 32, 4, 16, 1, 4},
    {"toy", 64, 64, 4, 32, 32, 4},      {"small", 96, 128, 4, 64, 32, 4},
    {"paper", 1024, 512, 8, 128, 8, 4}, {"layer", 0, 512, 8, 512, 4, 0}};
enum { CONFIGS = sizeof configs / sizeof *configs, MOST = 2048 * 2048 };

int
main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "libopenblas.so.0";
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* before the library reads it */
    setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
    void *library = dlopen(name, RTLD_NOW);
    /* POSIX has data and functions share a pointer. */
    *(void **)&sgemm = library ? dlsym(library, "cblas_sgemm") : NULL;
    if (!sgemm)
        note("bench: %s is left out: %s", name, dlerror());
    Random r = random_stream(1, "bench");
    for (int k = 0; k < 3; k++) {
        numbers[k] = allocate_aligned(MOST, sizeof(real));
        for (int i = 0; i < MOST; i++)
            numbers[k][i] = (real)(1e-3 * random_uniform(&r));
    }
    printf("of\tform\tm\tk\tn\tin a call\tGFLOP/s\tof peak%s\n",
           sgemm ? "\tto CBLAS" : "");
    for (const struct Config *c = configs; c < configs + CONFIGS; c++) {
        int rows = c->tokens * c->batch;
        compare_forms(c->name, rows, c->d, c->d, 1);
        if (c->mlp)
            compare_forms(c->name, rows, c->d, c->mlp * c->d, 1);
        if (c->symbols)
            compare_forms(c->name, rows, c->d, c->symbols, 1);
        compare_forms(c->name, c->tokens, c->tokens, c->d / c->heads, c->heads);
    }
    for (int k = 0; k < 3; k++)
        free(numbers[k]);
    return 0;
}
