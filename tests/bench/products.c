/* products.c [LIBRARY] - our matrix product beside OpenBLAS's, on one core.

   Shape by shape and in turns, so that a noisy machine spoils both alike: the
   median of the ratios, and both speeds as shares of the peak measured beside
   them. Without the library it says so, and shows ours alone. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "math/matrix.h"
#include "math/random.h"
#include "math/statistics.h"
#include "math/timing.h"

typedef void Gemm(int order, int transpose_a, int transpose_b, int m, int n,
                  int k, float alpha, const float *a, int a_down,
                  const float *b, int b_down, float beta, float *c, int c_down);

enum { ROUNDS = 5, MOST = 2048 * 2048 };
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 }; /* of CBLAS */

typedef struct Product {
    Matrix c, a, b;
    Gemm *gemm;
} Product;

static void
run_ours(void *more)
{
    const Product *p = more;
    multiply(p->c, p->a, p->b);
}

static void
run_theirs(void *more)
{
    const Product *p = more;
    int ta = p->a.across != 1, tb = p->b.across != 1;
    p->gemm(ROW_MAJOR, ta ? TRANSPOSED : AS_IT_IS, tb ? TRANSPOSED : AS_IT_IS,
            p->c.rows, p->c.cols, p->a.cols, 1, p->a.at,
            (int)(ta ? p->a.across : p->a.down), p->b.at,
            (int)(tb ? p->b.across : p->b.down), 0, p->c.at, (int)p->c.down);
}

static void
compare(const char *form, Product *p)
{
    double flops = 2. * p->c.rows * p->c.cols * p->a.cols;
    double mine[ROUNDS], theirs[ROUNDS], ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        Timing t = measure(run_ours, p);
        mine[i] = flops / t.seconds / t.peak;
        if (!p->gemm)
            continue;
        Timing u = measure(run_theirs, p);
        theirs[i] = flops / u.seconds / u.peak;
        ratio[i] = u.seconds / t.seconds;
    }
    printf("%s\t%d\t%d\t%d\t%.0f%%", form, p->c.rows, p->a.cols, p->c.cols,
           100 * median(mine, ROUNDS));
    if (p->gemm)
        printf("\t%.0f%%\t%.2f", 100 * median(theirs, ROUNDS),
               median(ratio, ROUNDS));
    printf("\n");
    fflush(stdout);
}

/* A function of the library: POSIX has data and functions share a pointer. */
static void
find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

int
main(int argc, char **argv)
{
    static const int shapes[][3] = {
        {1024, 32, 32},    {1024, 32, 128},  {1024, 64, 64},
        {1024, 64, 256},   {1024, 128, 128}, {1024, 128, 512},
        {1024, 512, 128},  {1024, 512, 512}, {1024, 512, 2048},
        {1024, 2048, 512}, {32, 16, 32},     {64, 32, 64},
        {32, 8, 32}};
    const char *path = argc > 1 ? argv[1] : "libopenblas.so.0";
    void *library = dlopen(path, RTLD_NOW);
    Gemm *gemm = NULL;
    void (*use_threads)(int) = NULL;
    if (library && sizeof(real) == sizeof(float)) {
        find(library, "cblas_sgemm", &gemm);
        find(library, "openblas_set_num_threads", &use_threads);
    }
    if (use_threads)
        use_threads(1);
    if (!gemm)
        note("bench: %s is left out: %s", path, dlerror());
    real *x[3];
    Random r = random_stream(1, "bench");
    for (int i = 0; i < 3; i++) {
        x[i] = allocate_aligned(MOST, sizeof(real));
        for (int j = 0; j < MOST; j++)
            x[i][j] = (real)random_uniform(&r);
    }
    printf("form\tm\tk\tn\tqkv%s\n", gemm ? "\topenblas\tratio" : "");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int m = shapes[i][0], k = shapes[i][1], n = shapes[i][2];
        Matrix a = matrix(x[0], m, k, k), c = matrix(x[2], m, n, n);
        compare("A B", &(Product){c, a, matrix(x[1], k, n, n), gemm});
        Matrix bt = transposed(matrix(x[1], n, k, k));
        compare("A B'", &(Product){c, a, bt, gemm});
        compare("A' B", &(Product){matrix(x[2], k, n, n), transposed(a),
                                   matrix(x[1], m, n, n), gemm});
    }
    return 0;
}
