/* matrix.c - the product of two matrices, close to what the machine can do.

   C is cut into tiles small enough for the registers: a few rows by two
   vectors. A tile walks once along k; at each step it reads two vectors of B
   and, row by row, one number of A that multiplies both. So each number that
   is read serves many multiply-adds, and these set the pace, not memory. */
#include <string.h>

#include "fail.h"
#include "matrix.h"
#include "vector.h"

/* clang-format off */
/* One tile: C (ROWS x N vectors) (+)= A (ROWS x depth) B (depth x N vectors).
   Everything is known at compile time, so that `sum` lives in registers. */
#define UNROLL _Pragma("GCC unroll 16")
#define TILE(ROWS, N, V)                                                     \
    static __attribute__((noinline)) void                                    \
    tile_##ROWS##_##N##_##V(                                                 \
        int depth, const real *a, ptrdiff_t down, ptrdiff_t across,          \
        const real *b, ptrdiff_t b_down, real *c, ptrdiff_t c_down, int add) \
    {                                                                        \
        enum { LANES = sizeof(V) / sizeof(real) };                           \
        V sum[ROWS][N];                                                      \
        UNROLL for (int i = 0; i < ROWS; i++)                                \
            UNROLL for (int j = 0; j < N; j++) {                             \
                const V *old = (const V *)(c + i * c_down + j * LANES);      \
                sum[i][j] = add ? *old : (V){0};                             \
            }                                                                \
        for (; depth > 0; depth--, a += across, b += b_down)                 \
            UNROLL for (int i = 0; i < ROWS; i++) {                          \
                V aik = a[i * down] - (V){0};                                \
                UNROLL for (int j = 0; j < N; j++) {                         \
                    const V *bkj = (const V *)(b + j * LANES);               \
                    sum[i][j] = FMA_##V(aik, (*bkj), sum[i][j]);             \
                }                                                            \
            }                                                                \
        UNROLL for (int i = 0; i < ROWS; i++)                                \
            UNROLL for (int j = 0; j < N; j++)                               \
                *(V *)(c + i * c_down + j * LANES) = sum[i][j];              \
    }
/* clang-format on */

typedef void Tile(int depth, const real *a, ptrdiff_t down, ptrdiff_t across,
                  const real *b, ptrdiff_t b_down, real *c, ptrdiff_t c_down,
                  int add);

/* The tiles of one width, tallest first: 8 rows where there are 32 vector
   registers, 6 where there are 16. Then the widths, widest first. */
#define TILES(TALL, N, V) TILE(TALL, N, V) TILE(4, N, V) TILE(1, N, V)
/* clang-format off */
#define STRIP(TALL, N, V)                                                    \
    {N * sizeof(V) / sizeof(real), {TALL, 4, 1},                             \
     {tile_##TALL##_##N##_##V, tile_4_##N##_##V, tile_1_##N##_##V}}
/* clang-format on */

#if defined __AVX512F__
TILES(8, 2, V64)
TILES(8, 1, V64)
TILES(8, 1, V32)
TILES(8, 1, V16)
#define STRIPS \
    STRIP(8, 2, V64), STRIP(8, 1, V64), STRIP(8, 1, V32), STRIP(8, 1, V16)
#elif defined __AVX__ && defined __FMA__
TILES(6, 2, V32)
TILES(8, 1, V32)
TILES(8, 1, V16)
#define STRIPS STRIP(6, 2, V32), STRIP(8, 1, V32), STRIP(8, 1, V16)
#else
TILES(6, 2, V16)
TILES(8, 1, V16)
#define STRIPS STRIP(6, 2, V16), STRIP(8, 1, V16)
#endif

static const struct Strip {
    int width;
    int height[3];
    Tile *tile[3];
} strips[] = {STRIPS};

enum {
    WIDEST = 128 / sizeof(real), /* columns of the widest tile */
    NARROWEST = 16 / sizeof(real),
    DEPTH = 256 /* steps of k at a time: a panel of B fits the first cache */
};

/* Copies b (depth x cols) into rows of `width`, zeros after the last. */
static void
pack(real *panel, Matrix b, int width)
{
    for (int k = 0; k < b.rows; k++) {
        const real *from = b.at + k * b.down;
        for (int j = 0; j < b.cols; j++)
            panel[k * width + j] = from[j * b.across];
        for (int j = b.cols; j < width; j++)
            panel[k * width + j] = 0;
    }
}

/* A tile on a copy of C, where C has fewer columns than the tile. */
static void
ragged(Tile *tile, int rows, int width, Matrix c, Matrix a, const real *b,
       int add)
{
    real copy[8 * NARROWEST] = {0};
    size_t bytes = (size_t)c.cols * sizeof(real);
    for (int i = 0; add && i < rows; i++)
        memcpy(copy + i * width, c.at + i * c.down, bytes);
    tile(a.cols, a.at, a.down, a.across, b, width, copy, width, add);
    for (int i = 0; i < rows; i++)
        memcpy(c.at + i * c.down, copy + i * width, bytes);
}

/* One strip of columns of C, from top to bottom. */
static void
strip_multiply(const struct Strip *strip, Matrix c, Matrix a, Matrix b, int add)
{
    real panel[DEPTH * WIDEST];
    const real *from = b.at;
    ptrdiff_t b_down = b.down;
    int far_apart = b.down > 16384 / DEPTH && c.rows >= 64;
    if (b.across != 1 || c.cols < strip->width || far_apart) {
        pack(panel, b, strip->width);
        from = panel;
        b_down = strip->width;
    }
    for (int h = 0, i = 0; h < 3; h++)
        for (; c.rows - i >= strip->height[h]; i += strip->height[h]) {
            Matrix to = c, ai = a;
            to.at += i * c.down;
            ai.at += i * a.down;
            if (c.cols < strip->width)
                ragged(strip->tile[h], strip->height[h], strip->width, to, ai,
                       from, add);
            else
                strip->tile[h](a.cols, ai.at, a.down, a.across, from, b_down,
                               to.at, c.down, add);
        }
}

static void
product(Matrix c, Matrix a, Matrix b, int add)
{
    if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols)
        bug("multiply: (%d x %d) and (%d x %d) do not give (%d x %d)", a.rows,
            a.cols, b.rows, b.cols, c.rows, c.cols);
    for (int k = 0; k < a.cols || k == 0; k += DEPTH, add = 1) {
        int depth = a.cols - k < DEPTH ? a.cols - k : DEPTH;
        Matrix ak = {a.at + k * a.across, a.rows, depth, a.down, a.across};
        const struct Strip *strip = strips;
        for (int j = 0; j < c.cols; j += strip->width) {
            while (strip->width > c.cols - j && strip->width > NARROWEST)
                strip++;
            int width = c.cols - j < strip->width ? c.cols - j : strip->width;
            Matrix cj = {c.at + j, c.rows, width, c.down, 1};
            Matrix bj = {b.at + k * b.down + j * b.across, depth, width, b.down,
                         b.across};
            strip_multiply(strip, cj, ak, bj, add);
        }
    }
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
