/* products.c [CBLAS ...] - our matrix product beside those of others, on one
   core, for every shape that training uses.

   The shapes are not listed here: `qkv bench` and the default `qkv compare`
   run in processes of their own, and each call of multiply there is noted on
   its way (the linker's --wrap). Then, shape by shape, ours is measured in
   turns with a CBLAS's (OpenBLAS, MKL), oneDNN's and libxsmm's kernel for the
   very shape, as far as they are there; at the end come the shapes at which
   one of them is faster. */
#include <dlfcn.h>
#include <math.h>
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

/* Who is seen at work: `qkv bench` of each, and the default comparison. */
static char *const users[] = {"tiny",  "tiny-b1", "tiny-no-mlp", "toy",
                              "small", "paper",   "layer",       "compare"};
#define LENGTH(list) (int)(sizeof(list) / sizeof *(list))
enum { USERS = LENGTH(users), MOST = 1024 };

/* A shape, with how far apart its rows are (of a transposed matrix, columns),
   how many such products one call is, and how far apart these are; and each
   user's multiply-adds in it. */
typedef struct Shape {
    int m, k, n, add, ta, tb, count;
    int a_down, b_down, c_down;
    int step[3]; /* A, B, C */
    double steps[USERS];
} Shape;
enum { KEY = offsetof(Shape, step) + sizeof((Shape *)0)->step };

static double
steps_of(const Shape *s)
{
    return (double)s->m * s->k * s->n * s->count;
}

static struct Seen {
    int user, count;
    Shape shape[MOST];
} * seen; /* shared with the processes that are seen */

static void
see(Matrix c, Matrix a, Matrix b, int add)
{
    Shape s = {.m = c.rows,
               .k = a.cols,
               .n = c.cols,
               .add = add,
               .ta = a.across != 1,
               .tb = b.across != 1,
               .count = c.count,
               .c_down = (int)c.down,
               .step = {(int)a.step, (int)b.step, (int)c.step}};
    if (s.count == 1)
        memset(s.step, 0, sizeof s.step);
    s.a_down = (int)(s.ta ? a.across : a.down);
    s.b_down = (int)(s.tb ? b.across : b.down);
    int i = 0;
    while (i < seen->count && memcmp(&seen->shape[i], &s, KEY) != 0)
        i++;
    if (i == MOST)
        fail("products: more than %d shapes", MOST);
    if (i == seen->count)
        seen->shape[seen->count++] = s;
    seen->shape[i].steps[seen->user] += steps_of(&s);
}

void __wrap_multiply(Matrix c, Matrix a, Matrix b);
void __wrap_multiply_add(Matrix c, Matrix a, Matrix b);
void __real_multiply(Matrix c, Matrix a, Matrix b);
void __real_multiply_add(Matrix c, Matrix a, Matrix b);

void
__wrap_multiply(Matrix c, Matrix a, Matrix b)
{
    see(c, a, b, 0);
    __real_multiply(c, a, b);
}

void
__wrap_multiply_add(Matrix c, Matrix a, Matrix b)
{
    see(c, a, b, 1);
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

static void
watch(int user)
{
    char out[] = "/tmp/qkv-products-XXXXXX";
    char *bench[] = {"bench", users[user], "-q"};
    char *compare[] = {"compare", "--seeds",    "1",      "--steps",
                       "4",       "--validate", "1",      "-q",
                       "--test",  "1",          "--jobs", "1",
                       "-o",      out,          "--keep", "--no-figures"};
    bool all = !strcmp(users[user], "compare");
    if (all && !mkdtemp(out))
        fail("%s: cannot be made", out);
    seen->user = user;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        _exit(all ? command_in_child(command_compare, LENGTH(compare), compare)
                  : command_in_child(command_bench, LENGTH(bench), bench));
    }
    int status;
    waitpid(child, &status, 0);
    if (all)
        discard(out);
    if (status)
        fail("products: %s failed", users[user]);
}

/* The others. Each multiplies by a function of one of these types. */
typedef void Cblas(int order, int transpose_a, int transpose_b, int m, int n,
                   int k, float alpha, const float *a, int a_down,
                   const float *b, int b_down, float beta, float *c,
                   int c_down);
typedef int Dnnl(char transpose_a, char transpose_b, int64_t m, int64_t n,
                 int64_t k, float alpha, const float *a, int64_t a_down,
                 const float *b, int64_t b_down, float beta, float *c,
                 int64_t c_down);
typedef void Kernel(const float *a, const float *b, float *c, ...);
typedef Kernel *Dispatch(int m, int n, int k, const int *a_down,
                         const int *b_down, const int *c_down,
                         const float *alpha, const float *beta,
                         const int *flags, const int *prefetch);
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 }; /* of CBLAS */
enum { TRANSPOSED_A = 1, TRANSPOSED_B = 2 };                /* of libxsmm */

typedef struct Peer {
    const char *name;
    Cblas *cblas;
    Dnnl *dnnl;
    Dispatch *dispatch;
} Peer;
enum { MOST_PEERS = 8 };
static Peer peers[MOST_PEERS];
static int peer_count;

typedef struct Product {
    Shape s;
    real *at[3]; /* A, B, C */
    const Peer *peer;
    Kernel *kernel;
} Product;

static Matrix
operand(const Product *p, int which, int rows, int cols, int down, int turned)
{
    real *at = p->at[which];
    Matrix m = turned ? transposed(matrix(at, cols, rows, down))
                      : matrix(at, rows, cols, down);
    m.step = p->s.step[which];
    return batch(m, p->s.count);
}

static void
run_ours(void *more)
{
    const Product *p = more;
    const Shape *s = &p->s;
    (s->add ? __real_multiply_add
            : __real_multiply)(operand(p, 2, s->m, s->n, s->c_down, 0),
                               operand(p, 0, s->m, s->k, s->a_down, s->ta),
                               operand(p, 1, s->k, s->n, s->b_down, s->tb));
}

/* The products of a batch one by one. */
static void
run_theirs(void *more)
{
    const Product *p = more;
    const Shape *s = &p->s;
    const real *a = p->at[0], *b = p->at[1];
    real *c = p->at[2];
    for (int i = 0; i < s->count;
         i++, a += s->step[0], b += s->step[1], c += s->step[2])
        if (p->kernel) /* by columns: C' = B' A' */
            p->kernel(b, a, c);
        else if (p->peer->dnnl)
            p->peer->dnnl(s->ta ? 'T' : 'N', s->tb ? 'T' : 'N', s->m, s->n,
                          s->k, 1, a, s->a_down, b, s->b_down, (float)s->add, c,
                          s->c_down);
        else
            p->peer->cblas(ROW_MAJOR, s->ta ? TRANSPOSED : AS_IT_IS,
                           s->tb ? TRANSPOSED : AS_IT_IS, s->m, s->n, s->k, 1,
                           a, s->a_down, b, s->b_down, (float)s->add, c,
                           s->c_down);
}

/* False where it has no kernel for that shape. */
static bool
meet(Product *p, const Peer *peer)
{
    const Shape *s = &p->s;
    float one = 1, add = (float)s->add;
    int flags = (s->tb ? TRANSPOSED_A : 0) | (s->ta ? TRANSPOSED_B : 0),
        fetch = 0;
    p->peer = peer;
    p->kernel = peer->dispatch
                    ? peer->dispatch(s->n, s->m, s->k, &s->b_down, &s->a_down,
                                     &s->c_down, &one, &add, &flags, &fetch)
                    : NULL;
    return p->kernel || !peer->dispatch;
}

/* A function of a library: POSIX has data and functions share a pointer. */
static bool
find(void *library, const char *name, void *function)
{
    *(void **)function = library ? dlsym(library, name) : NULL;
    return *(void **)function;
}

static void
find_peers(int count, char **cblas)
{
    static char *usual[] = {"libopenblas.so.0"};
    void *dnnl = dlopen("libdnnl.so.2", RTLD_NOW);
    cblas = count ? cblas : usual;
    for (int i = 0; i < (count ? count : 1) && i < MOST_PEERS - 2; i++) {
        Peer *p = &peers[peer_count];
        const char *base = strrchr(cblas[i], '/');
        p->name = base ? base + 1 : cblas[i];
        peer_count +=
            find(dlopen(cblas[i], RTLD_NOW), "cblas_sgemm", &p->cblas);
        if (!p->cblas)
            note("bench: %s is left out: %s", cblas[i], dlerror());
    }
    Peer *p = &peers[peer_count];
    p->name = "oneDNN";
    peer_count += find(dnnl ? dnnl : dlopen("libdnnl.so.3", RTLD_NOW),
                       "dnnl_sgemm", &p->dnnl);
    if (!p->dnnl)
        note("bench: oneDNN is left out (Debian: libdnnl-dev)");
    p = &peers[peer_count];
    p->name = "libxsmm";
    peer_count +=
        find(dlopen(NULL, RTLD_NOW), "libxsmm_smmdispatch", &p->dispatch);
    if (!p->dispatch)
        note("bench: libxsmm is left out (Debian: libxsmm-dev, then make "
             "again)");
}

/* The user that has the largest share of its multiply-adds in the shape. */
static int
main_user(const Shape *s, const double *all, double *share)
{
    int best = 0;
    for (int u = 1; u < USERS; u++)
        if (s->steps[u] / all[u] > s->steps[best] / all[best])
            best = u;
    *share = s->steps[best] / all[best];
    return best;
}

static void
put_shape(FILE *to, const Shape *s, const double *all)
{
    double share;
    int user = main_user(s, all, &share);
    fprintf(to, "%s%s B%s\t%d\t%d\t%d\t%d\t%s %.1f%%", s->add ? "+ " : "",
            s->ta ? "A'" : "A", s->tb ? "'" : "", s->m, s->k, s->n, s->count,
            users[user], 100 * share);
}

/* A line of the table, and one for each peer that is faster; adds the seconds
   of ours, and of each other, to those of the users. */
static void
compare(Product *p, const double *all, double peak, FILE *losing,
        double seconds[USERS][2][MOST_PEERS])
{
    const Shape *s = &p->s;
    double steps = steps_of(s), mine = measure(run_ours, p).seconds;
    put_shape(stdout, s, all);
    printf("\t%.0f\t%.0f%%", 2 * steps / mine * 1e-9,
           200 * steps / mine / peak);
    for (int i = 0; i < peer_count; i++) {
        if (!meet(p, &peers[i])) {
            printf("\t-");
            continue;
        }
        Turns t = measure_in_turns(run_ours, p, run_theirs, p);
        printf("\t%.2f", 1 / t.share);
        if (t.share > 1) {
            put_shape(losing, s, all);
            fprintf(losing, "\t%s\t%.2f\n", peers[i].name, 1 / t.share);
        }
        for (int u = 0; u < USERS; u++) {
            double times = s->steps[u] / all[u] / steps;
            seconds[u][0][i] += times * t.seconds[0];
            seconds[u][1][i] += times * t.seconds[1];
        }
    }
    printf("\n");
    fflush(stdout);
}

static int
largest_first(const void *x, const void *y)
{
    const Shape *a = x, *b = y;
    double first = steps_of(a), second = steps_of(b);
    return (first < second) - (first > second);
}

static void
compare_all(const double *all)
{
    double seconds[USERS][2][MOST_PEERS] = {{{0}}};
    double peak = measure_peak().peak;
    char *lost;
    FILE *losing = begin_text(&lost);
    Random r = random_stream(1, "bench");
    qsort(seen->shape, (size_t)seen->count, sizeof *seen->shape, largest_first);
    for (int i = 0; i < seen->count; i++) {
        Product p = {.s = seen->shape[i]};
        const Shape *s = &p.s;
        const int sizes[] = {(s->ta ? s->k : s->m) * s->a_down,
                             (s->tb ? s->n : s->k) * s->b_down,
                             s->m * s->c_down};
        for (int k = 0; k < 3; k++) {
            int size = sizes[k] + (s->count - 1) * s->step[k];
            p.at[k] = allocate_aligned((size_t)size, sizeof(real));
            for (int j = 0; j < size; j++)
                p.at[k][j] = (real)(1e-3 * random_uniform(&r));
        }
        compare(&p, all, peak, losing, seconds);
        for (int k = 0; k < 3; k++)
            free(p.at[k]);
    }
    end_text(losing, &lost);
    printf("\nall products of a step, by their time\n");
    for (int u = 0; u < USERS; u++) {
        printf("%s", users[u]);
        for (int i = 0; i < peer_count; i++)
            printf("\t%.2f", seconds[u][1][i] / seconds[u][0][i]);
        printf("\n");
    }
    printf("\nfaster than ours: the shape, where it is most used, by whom, and "
           "our speed as a share of theirs\n%s",
           *lost ? lost : "none\n");
    free(lost);
}

int
main(int argc, char **argv)
{
    double all[USERS] = {0};
    setenv("OMP_NUM_THREADS", "1", 1); /* before any library reads them */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
    if (sizeof(real) != sizeof(float))
        fail("products: in float only");
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        fail("products: no memory");
    for (int u = 0; u < USERS; u++)
        watch(u);
    for (int i = 0; i < seen->count; i++)
        for (int u = 0; u < USERS; u++)
            all[u] += seen->shape[i].steps[u];
    find_peers(argc - 1, argv + 1);
    printf("form\tm\tk\tn\tin a call\tmost used by\tGFLOP/s\tof peak");
    for (int i = 0; i < peer_count; i++)
        printf("\tto %s", peers[i].name);
    printf("\n");
    fflush(stdout);
    compare_all(all);
    return 0;
}
