/* matrix.c - the product of two matrices, close to what the machine can do.

   C is cut into strips a few vectors wide, and each strip into tiles small
   enough for the registers: a few rows by these vectors. A tile goes once along
   k; at each step it reads its vectors of B and, row by row, one entry of A
   that multiplies all of them. So each entry that is read serves many
   multiply-adds, and these set the pace, not memory. core/heart/matrix.c is the
   same in three loops. */
#include "fast/matrix.h"
#include "fast/vector.h"
#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/threads.h"

/* What all tiles of a strip have in common. Strides are in bytes: for entries
   gcc writes a second loop, for the stride 1, and copies the sums between the
   two at every step. */
typedef struct Walk {
    int depth, add;
    ptrdiff_t down, across, b_down, c_down;
} Walk;

typedef void Tile(const Walk *w, const real *a, const real *b, real *c);

#define ON(p, bytes) ((const void *)((const char *)(p) + (bytes)))

/* clang-format off */
/* One tile: C (ROWS x N vectors) (+)= A (ROWS x depth) B (depth x N vectors).
   Everything is known at compile time, so that `sum` lives in registers. */
#define TILE(ROWS, N, V)                                                     \
    static void                                                              \
    tile_##ROWS##_##N##_##V(const Walk *w, const real *a, const real *b,     \
                            real *c)                                         \
    {                                                                        \
        V sum[ROWS][N] = {0};                                                \
        ptrdiff_t down = w->down, across = w->across, b_down = w->b_down;    \
        if (w->add)                                                          \
            UNROLL for (int i = 0; i < ROWS; i++)                            \
                UNROLL for (int j = 0; j < N; j++)                           \
                    sum[i][j] = ((const V *)ON(c, i * w->c_down))[j];        \
        for (int k = w->depth; k > 0; k--) {                                 \
            UNROLL for (int i = 0; i < ROWS; i++) {                          \
                V all = *(const real *)ON(a, i * down) - (V){0};             \
                UNROLL for (int j = 0; j < N; j++)                           \
                    sum[i][j] = FMA_##V(all, ((const V *)b)[j], sum[i][j]);  \
            }                                                                \
            a = ON(a, across);                                               \
            b = ON(b, b_down);                                               \
        }                                                                    \
        UNROLL for (int i = 0; i < ROWS; i++)                                \
            UNROLL for (int j = 0; j < N; j++)                               \
                ((V *)ON(c, i * w->c_down))[j] = sum[i][j];                  \
    }

/* F for each height up to the tallest. */
#define TO_1(F, N, V) F(1, N, V)
#define TO_6(F, N, V)                                                        \
    F(1, N, V) F(2, N, V) F(3, N, V) F(4, N, V) F(5, N, V) F(6, N, V)
#define TO_8(F, N, V) TO_6(F, N, V) F(7, N, V) F(8, N, V)

/* The tiles of each width, widest first, down to one column: as tall as 32
   registers allow, or 8. Before them one for a C of one row, where each entry
   of B is read for one multiply-add, and memory sets the pace: it reads long
   stretches of B. */
#if defined __AVX512F__
#define EACH_STRIP(F)                                                        \
    F(1, 16, V64) F(6, 4, V64) F(8, 2, V64) F(8, 1, V64) F(8, 1, V32)        \
    F(8, 1, V16) F(8, 1, V1)
#elif defined __AVX__ && defined __FMA__
#define EACH_STRIP(F)                                                        \
    F(1, 8, V32) F(6, 2, V32) F(8, 1, V32) F(8, 1, V16) F(8, 1, V1)
#else
#define EACH_STRIP(F) F(1, 8, V16) F(6, 2, V16) F(8, 1, V16) F(8, 1, V1)
#endif
#define TILES(TALLEST, N, V) TO_##TALLEST(TILE, N, V)
#define NAME(ROWS, N, V) tile_##ROWS##_##N##_##V,
#define STRIP(TALLEST, N, V)                                                 \
    {N * sizeof(V) / sizeof(real), TALLEST, {TO_##TALLEST(NAME, N, V)}},

EACH_STRIP(TILES)
static const struct Strip {
    int width, tallest;
    Tile *tile[8]; /* of 1 row, of 2, ... */
} row_strips[] = {EACH_STRIP(STRIP)}, *const strips = row_strips + 1;
/* clang-format on */

enum {
    DEPTH = 2048 / sizeof(real),  /* so deep a strip of B stays in the caches */
    WIDEST = 1024 / sizeof(real), /* entries in a row of a strip, at most */
    HIGH = 128,                   /* so many rows of C repay a copy of B, */
    NEAR = 32768 / sizeof(real),  /* unless it fits the first cache as it is */
    WORTH_SHARING = 1000000       /* multiply-adds: some ten microseconds */
};

/* The square of FEW x FEW entries at `from`, transposed. */
static inline void
transpose(real *to, ptrdiff_t to_down, const real *from, ptrdiff_t down)
{
    V16 r[FEW];
    for (int i = 0; i < FEW; i++) {
        r[i] = *(const V16 *)(from + i * down);
    }
#ifdef QKV_DOUBLE
    *(V16 *)to = LANES_OF(r[0], r[1], 0, 2);
    *(V16 *)(to + to_down) = LANES_OF(r[0], r[1], 1, 3);
#else
    V16 a = LANES_OF(r[0], r[1], 0, 4, 1, 5);
    V16 b = LANES_OF(r[2], r[3], 0, 4, 1, 5);
    V16 c = LANES_OF(r[0], r[1], 2, 6, 3, 7);
    V16 d = LANES_OF(r[2], r[3], 2, 6, 3, 7);
    *(V16 *)to = LANES_OF(a, b, 0, 1, 4, 5);
    *(V16 *)(to + to_down) = LANES_OF(a, b, 2, 3, 6, 7);
    *(V16 *)(to + 2 * to_down) = LANES_OF(c, d, 0, 1, 4, 5);
    *(V16 *)(to + 3 * to_down) = LANES_OF(c, d, 2, 3, 6, 7);
#endif
}

/* A copy of m, whose rows follow one another; of a transposed matrix it is made
   square by square. */
static Matrix
copied(Matrix m, real *to)
{
    int rows = m.down == 1 ? m.rows - m.rows % FEW : 0;
    int cols = m.cols - m.cols % FEW;
    for (int i = 0; i < rows; i += FEW)
        for (int j = 0; j < cols; j += FEW)
            transpose(to + i * m.cols + j, m.cols, m.at + i + j * m.across,
                      m.across);
    for (int i = cols < m.cols ? 0 : rows; i < m.rows; i++)
        for (int j = i < rows ? cols : 0; j < m.cols; j++)
            to[i * m.cols + j] = m.at[i * m.down + j * m.across];
    return matrix(to, m.rows, m.cols, m.cols);
}

static ptrdiff_t
bytes(ptrdiff_t entries)
{
    return entries * (ptrdiff_t)sizeof(real);
}

/* A strip of C: its tiles are as equally high as can be. B is copied if its
   rows are no vectors, or are too far apart to stay in a cache while tile after
   tile reads them. */
static void
strip_multiply(const struct Strip *s, Matrix c, Matrix a, Matrix b, int add,
               real *copy)
{
    if (b.across != 1 || (c.rows >= HIGH && b.rows * b.down > NEAR))
        b = copied(b, copy);
    Walk w = {.depth = a.cols,
              .add = add,
              .down = bytes(a.down),
              .across = bytes(a.across),
              .b_down = bytes(b.down),
              .c_down = bytes(c.down)};
    int tiles = (c.rows + s->tallest - 1) / s->tallest;
    for (int i = 0, high; i < c.rows; i += high) {
        high = (c.rows - i) / tiles--;
        s->tile[high - 1](&w, a.at + i * a.down, b.at, c.at + i * c.down);
    }
}

/* C (+)= A B on this thread, strip by strip; at the right edge of C these get
   narrower, down to a single column. */
static void
product_here(Matrix c, Matrix a, Matrix b, int add, real *copy)
{
    for (int k = 0; k < a.cols || k == 0; k += DEPTH, add = 1) {
        int depth = a.cols - k < DEPTH ? a.cols - k : DEPTH;
        Matrix ak = some_columns(a, k, depth), bk = some_rows(b, k, depth);
        const struct Strip *s = c.rows == 1 ? row_strips : strips;
        for (int j = 0; j < c.cols; j += s->width) {
            while (s->width > c.cols - j)
                s++;
            strip_multiply(s, some_columns(c, j, s->width), ak,
                           some_columns(bk, j, s->width), add, copy);
        }
    }
}

typedef struct Product {
    Matrix c, a, b;
    int add;
} Product;

/* Some of the rows of C, of each in a batch. */
static void
product_rows(void *product, long from, long to)
{
    const Product *p = product;
    static _Thread_local _Alignas(64) real copy[WIDEST * DEPTH];
    int first = (int)from, rows = (int)(to - from);
    Matrix c = some_rows(p->c, first, rows), a = some_rows(p->a, first, rows);
    Matrix b = p->b;
    for (int n = 0; n < c.count; n++) {
        product_here(c, a, b, p->add, copy);
        a.at += a.step, b.at += b.step, c.at += c.step;
    }
}

static void
product(Matrix c, Matrix a, Matrix b, int add)
{
    if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols ||
        c.count != a.count || c.count != b.count)
        bug("multiply: %d (%d x %d) and %d (%d x %d) do not give %d (%d x %d)",
            a.count, a.rows, a.cols, b.count, b.rows, b.cols, c.count, c.rows,
            c.cols);
    Product p = {c, a, b, add};
    if (c.across != 1) /* C' = B' A' */
        p = (Product){transposed(c), transposed(b), transposed(a), add};
    if ((double)c.rows * c.cols * a.cols * c.count < WORTH_SHARING)
        product_rows(&p, 0, p.c.rows);
    else
        parallel_for(p.c.rows, product_rows, &p);
}

void
multiply(Matrix c, Matrix a, Matrix b)
{
    product(c, a, b, 0);
}

void
multiply_add(Matrix c, Matrix a, Matrix b)
{
    product(c, a, b, 1);
}
