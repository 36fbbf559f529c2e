/* matrix.c - the product of two matrices, close to what the machine can do.

   C is cut into tiles small enough for the registers: a few rows by a few
   vectors. For each k, a tile reads its vectors of row k of B and, row by row,
   one entry of A, which multiplies all of them. So each entry that is read
   serves many multiply-adds, and arithmetic, not memory, sets the pace.
   core/heart/matrix.c computes the same bits in three loops.

   Terms, from large to small: a panel of B is some of its rows, as many as a
   pass over C adds up; a band is some columns of the panel, which fit a cache,
   and the same columns of C; a strip is the columns of a band that one tile
   computes. A block is some rows of A that all strips of a band read before the
   next block. */
#include <string.h>

#include "fast/matrix.h"
#include "fast/threads.h"
#include "fast/vector.h"
#include "heart/fail.h"

/* Marks functions that are compiled into their callers, because passing three
   matrices takes as long as a small product. */
#define WITHIN static inline __attribute__((always_inline))

enum { OVERWRITE, ADD }; /* what a product does to C */

/* The numbers that all tiles of a product share. Strides are in bytes: if they
   were in entries, gcc would write a second loop for the stride 1, and copy the
   sums between the two at every step. */
typedef struct Walk {
    int depth;   /* columns of A and rows of B */
    int add;     /* OVERWRITE: C = A B; ADD: C += A B */
    int batched; /* a call of Tile computes one tile in several matrices */
    ptrdiff_t a_down, a_across, b_down, c_down; /* strides of A, B and C */
    ptrdiff_t a_next, b_next, c_next; /* from a tile of a call to the next */
    /* `rows` rows are cut into `tiles` tiles of `high` rows each, but the first
       `taller` tiles have one row more. */
    int rows, tiles, high, taller;
} Walk;

/* Computes `tiles` tiles of one size: each below the one before or, if w is
   batched, each in the next matrix of the batch. a, b and c are the first
   entries of the first tile's rows of A, strip of B, and tile of C. */
typedef void Tile(const Walk *w, const real *a, const real *b, real *c,
                  int tiles);

/* The address that is this number of bytes after p. */
#define ON(p, bytes) ((const void *)((const char *)(p) + (bytes)))

/* clang-format off */
/* One tile: C (ROWS x N vectors) (+)= A (ROWS x depth) B (depth x N vectors).
   All sizes are known at compile time, so that `sum`, the tile of C, is in
   registers. At step k, third[i] points to entry k of row 3 i of A, and b to row
   k of the strip. HIDE keeps the compiler from seeing how these pointers, and
   that to the first row of C, were made. If it saw that, it would compute the
   addresses of all rows beforehand, which takes longer than a small tile and
   needs more registers than there are. Tiles of WIDEST_N vectors, which are for
   large matrices, prefetch B AHEAD steps ahead. */
#define HIDE(p) __asm__("" : "+r"(p))
#define TILE(ROWS, N, V)                                                     \
    static __attribute__((noinline)) void                                    \
    tile_##ROWS##_##N##_##V(const Walk *w, const real *a,                    \
                            const real *first, real *c, int tiles)           \
    {                                                                        \
        enum { THIRDS = (ROWS + 2) / 3 };                                    \
        ptrdiff_t down = w->a_down, across = w->a_across, b_down = w->b_down;    \
        do {                                                                 \
            V sum[ROWS][N] = {0};                                            \
            const real *third[THIRDS] = {a}, *ci = c, *b = first;            \
            if (w->add)                                                      \
                UNROLL for (int i = 0; i < ROWS; i++) {                      \
                    UNROLL for (int j = 0; j < N; j++)                       \
                        sum[i][j] = ((const V *)ci)[j];                      \
                    ci = ON(ci, w->c_down);                                  \
                }                                                            \
            UNROLL for (int i = 1; i < THIRDS; i++) {                        \
                third[i] = ON(third[i - 1], 3 * down);                       \
                HIDE(third[i]);                                              \
            }                                                                \
            for (int k = w->depth; k > 0; k--, b = ON(b, b_down)) {          \
                UNROLL for (int j = 0; j < N && N == WIDEST_N; j++)          \
                    __builtin_prefetch((const V *)ON(b, AHEAD * b_down) + j); \
                UNROLL for (int i = 0; i < ROWS; i++) {                      \
                    const real *aik = ON(third[i / 3], i % 3 * down);        \
                    V all = *aik - (V){0};                                   \
                    UNROLL for (int j = 0; j < N; j++)                       \
                        sum[i][j] =                                          \
                            FMA_##V(all, ((const V *)b)[j], sum[i][j]);      \
                }                                                            \
                UNROLL for (int i = 0; i < THIRDS; i++)                      \
                    third[i] = ON(third[i], across);                         \
            }                                                                \
            real *to = c;                                                    \
            HIDE(to);                                                        \
            UNROLL for (int i = 0; i < ROWS; i++) {                          \
                UNROLL for (int j = 0; j < N; j++)                           \
                    ((V *)to)[j] = sum[i][j];                                \
                to = (real *)ON(to, w->c_down);                              \
            }                                                                \
            a = ON(a, w->a_next);                                            \
            first = ON(first, w->b_next);                                    \
            c = (real *)ON(c, w->c_next);                                    \
        } while (--tiles > 0);                                               \
    }

/* F(height, N, V) for each height up to the tallest. */
#define TO_1(F, N, V) F(1, N, V)
#define TO_6(F, N, V)                                                        \
    F(1, N, V) F(2, N, V) F(3, N, V) F(4, N, V) F(5, N, V) F(6, N, V)
#define TO_12(F, N, V)                                                       \
    TO_6(F, N, V) F(7, N, V) F(8, N, V) F(9, N, V)                           \
    F(10, N, V) F(11, N, V) F(12, N, V)
#define TO_16(F, N, V)                                                       \
    TO_12(F, N, V) F(13, N, V) F(14, N, V) F(15, N, V) F(16, N, V)

/* F(tallest, N, V) for each width of a strip, N vectors of type V, widest first,
   down to one column: as tall as 32 registers allow, or 16. The first one is for
   a C of one row, where each entry of B is read for only one multiply-add, and
   memory sets the pace: it reads long stretches of B. */
#if defined __AVX512F__
enum { WIDEST_N = 4, AHEAD = 4 };
#define EACH_STRIP(F)                                                        \
    F(1, 16, V64) F(6, 4, V64) F(12, 2, V64) F(16, 1, V64) F(16, 1, V32)     \
    F(16, 1, V16) F(16, 1, V1)
#elif defined __AVX__ && defined __FMA__
enum { WIDEST_N = 2, AHEAD = 8 };
#define EACH_STRIP(F)                                                        \
    F(1, 8, V32) F(6, 2, V32) F(12, 1, V32) F(12, 1, V16) F(12, 1, V1)
#else
enum { WIDEST_N = 2, AHEAD = 8 };
#define EACH_STRIP(F) F(1, 8, V16) F(6, 2, V16) F(12, 1, V16) F(12, 1, V1)
#endif
#define TILES(TALLEST, N, V) TO_##TALLEST(TILE, N, V)
#define NAME(ROWS, N, V) tile_##ROWS##_##N##_##V,
#define STRIP(TALLEST, N, V)                                                 \
    {N * sizeof(V) / sizeof(real), TALLEST, {TO_##TALLEST(NAME, N, V)}},

/* A width of strips, in columns, and the tiles of that width: tile[i] is i + 1
   rows high. */
EACH_STRIP(TILES)
static const struct Strip {
    int width, tallest;
    Tile *tile[16];
} row_strips[] = {EACH_STRIP(STRIP)}, *const strips = row_strips + 1;
/* clang-format on */

/* Copies are as large as the caches. Vectors of 64 bytes read B so fast that a
   BAND of it must fit the second cache, while a BLOCK of A is in the first.
   With narrower vectors, a strip of B is in the first cache and the block of A
   in the second; the band is read so seldom that it may be in the third. */
enum {
    LINE_OF = 64 / sizeof(real), /* entries in a line of the cache */
    DEPTH = 2048 / sizeof(real), /* the most rows of a panel of B */
    ROWS = 48,                   /* of a transposed A, copied together */
#ifdef __AVX512F__
    BAND = 524288 / sizeof(real), /* entries of a band of a panel of B */
    BLOCK = 32768 / sizeof(real), /* entries of a block of A */
    WIDE = 256, /* columns of C that repay a copy of a transposed A */
    HIGH = 256, /* rows of C that repay a copy of B */
#else
    BAND = 2097152 / sizeof(real),
    BLOCK = 65536 / sizeof(real),
    WIDE = 128,
    HIGH = 128,
#endif
    NEAR = 32768 / sizeof(real), /* entries that fit the first cache */
    WORTH_SHARING = 1000000, /* multiply-adds that repay threads, whose start
                                takes some ten microseconds */
    ROWS_AHEAD = 8,    /* how many rows below the row that is copied the row is
                          that is prefetched */
    SQUARES_AHEAD = 4, /* the same, in squares of FEW rows */
    FAR = 96, /* entries from one row to the next that repay prefetching */
};

/* Copies the square of FEW x FEW entries at `from`, transposed. If its rows are
   far apart, it prefetches a square that is further down, which no processor
   guesses. */
static inline void
transpose(real *to, ptrdiff_t to_down, const real *from, ptrdiff_t down)
{
    V16 r[FEW];
    for (int i = 0; i < FEW; i++) {
        if (down > FAR)
            __builtin_prefetch(from + (SQUARES_AHEAD * FEW + i) * down);
        r[i] = *(const V16 *)(from + i * down);
    }
#ifdef QKV_DOUBLE
    *(V16 *)to = LANES_OF(r[0], r[1], 0, 2);
    *(V16 *)(to + to_down) = LANES_OF(r[0], r[1], 1, 3);
#else
    /* a and c have columns 0 and 1, or 2 and 3, of rows 0 and 1, column by
       column; b and d have those of rows 2 and 3. */
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

/* Copies the entries of m that copy_squares, which copied the first `rows` rows
   of the first `cols` columns, has left out. That is all of m if `rows` is 0.
   Rows may be far apart, so they are prefetched. */
static __attribute__((noinline)) void
copy_rest(real *to, Matrix m, int width, int rows, int cols)
{
    /* The first row of which copy_squares has not copied all columns. */
    int first = cols == m.cols ? rows : 0;
    for (int i = first; i < m.rows; i++) {
        const real *from = m.at + i * m.down;
        if (m.across == 1) {
            for (int j = 0; j < m.cols; j += LINE_OF)
                __builtin_prefetch(from + ROWS_AHEAD * m.down + j);
            memcpy(to + i * width, from, (size_t)m.cols * sizeof *to);
        } else {
            int copied = i < rows ? cols : 0; /* columns by copy_squares */
            for (int j = copied; j < m.cols; j++)
                to[i * width + j] = from[j * m.across];
        }
    }
}

/* Writes the transpose of the (cols x rows) entries at `from`, whose rows are
   `down` entries apart, to `to`, whose rows are `width` apart. `rows` and
   `cols` are multiples of FEW. It uses up one cache line of each row at `from`
   before it reads the next lines. */
static __attribute__((noinline)) void
copy_squares(real *to, int width, const real *from, ptrdiff_t down, int rows,
             int cols)
{
    for (int first = 0; first < rows; first += LINE_OF)
        for (int j = 0; j < cols; j += FEW)
            for (int i = first; i < rows && i < first + LINE_OF; i += FEW)
                transpose(to + i * width + j, width, from + i + j * down, down);
}

/* A transposed matrix is copied in squares, and copy_rest adds the edges; any
   other is copied by copy_rest only. Both are separate functions because one
   function for both would take longer to start. */
void
copy_matrix(real *to, Matrix m, int width)
{
    int rows = m.down == 1 ? m.rows - m.rows % FEW : 0;
    int cols = m.cols - m.cols % FEW;
    copy_squares(to, width, m.at, m.across, rows, cols);
    if (rows < m.rows || cols < m.cols)
        copy_rest(to, m, width, rows, cols);
}

/* Copies B strip by strip, each (rows of B x width). If the rows of B can be
   read as vectors, it is read row by row, and each row is divided among the
   strips. */
static __attribute__((noinline)) void
copy_strips(real *to, Matrix b, int width)
{
    if (b.across != 1 || width < FEW) {
        for (int j = 0; j < b.cols; j += width)
            copy_matrix(to + j * b.rows, some_columns(b, j, width), width);
        return;
    }
    for (int i = 0; i < b.rows; i++, b.at += b.down) {
        real *row = to + i * width;
        for (int j = 0; j < b.cols; j += width, row += b.rows * width)
            for (int k = 0; k < width; k += FEW)
                *(V16 *)(row + k) = *(const V16 *)(b.at + j + k);
    }
}

/* Cuts `rows` rows into tiles of at most `tallest` rows. The tiles have equal
   heights if a height divides `rows` that is not so small that tiles are slow.
   Otherwise there are as few tiles as possible, and w->taller of them have one
   row more than w->high. */
static void
cut_rows(Walk *w, int rows, int tallest)
{
    int high = tallest, lowest = tallest / 2 + 2; /* that is not slow */
    while (rows % high && high > lowest)
        high--;
    if (rows % high)
        high = tallest;
    w->tiles = (rows + high - 1) / high;
    w->rows = rows;
    w->high = rows / w->tiles;
    w->taller = rows % w->tiles;
}

/* The size of `entries` entries, in bytes. */
static ptrdiff_t
bytes(ptrdiff_t entries)
{
    return entries * (ptrdiff_t)sizeof(real);
}

/* Multiplies some rows of a band: first the w->taller tiles, which have one
   extra row, then the others. If w is batched, one call of `tile` computes the
   same tile of every matrix; otherwise it computes all tiles of that height in
   one strip, from top to bottom. The first strip of B is at b, and the next one
   `next` entries after it. */
WITHIN void
rows_multiply(const struct Strip *s, Walk *w, Matrix c, Matrix a, const real *b,
              int next)
{
    for (int extra = 1; extra >= 0; extra--) { /* rows */
        int high = w->high + extra;
        int tiles = extra ? w->taller : w->tiles - w->taller;
        if (tiles == 0) /* all have the other height */
            continue;
        int in_a_call = w->batched ? c.count : tiles;
        int rows_of_a_call = w->batched ? high : tiles * high;
        Tile *tile = s->tile[high - 1];
        if (!w->batched) {
            w->a_next = high * w->a_down;
            w->c_next = high * w->c_down;
        }
        for (int rows = tiles * high; rows > 0; rows -= rows_of_a_call) {
            const real *bj = b;
            for (int j = 0; j < c.cols; j += s->width, bj += next)
                tile(w, a.at, bj, c.at + j, in_a_call);
            a.at += (ptrdiff_t)rows_of_a_call * a.down;
            c.at += (ptrdiff_t)rows_of_a_call * c.down;
        }
    }
}

/* How a band is multiplied. B is copied strip by strip if its rows cannot be
   read as vectors, or are too far apart to stay in a cache while they are read
   again for every tile of A. A transposed A is copied if many strips read it
   again. All strips read one block of A, which fits the first cache, before the
   next; in a batch, they read as many matrices as fit it. */
typedef struct Band {
    int copies_a, copies_b;
    int block;    /* number of rows of A in a block */
    int together; /* products of a batch that are computed at a time */
    int next;     /* entries from a strip of B to the next */
} Band;

/* Decides how C = A B is computed for a band. A block has whole tiles, as many
   as fit BLOCK entries, but at least one; if A is copied, it has ROWS rows.
   Each + 1 prevents a division by 0. */
WITHIN Band
band_of(const struct Strip *s, Matrix c, Matrix a, Matrix b)
{
    Band n = {.together = 1, .next = s->width};
    int b_has_vectors = b.across == 1, b_is_read_again = c.rows >= HIGH;
    int b_stays_near = b.rows * b.down <= NEAR; /* in the first cache */
    int a_is_transposed = a.down == 1 && a.across > FAR;
    int a_is_read_again = c.cols >= WIDE;
    n.copies_b = !b_has_vectors || (b_is_read_again && !b_stays_near);
    n.copies_a = a_is_transposed && a_is_read_again;
    int tiles = BLOCK / (a.cols + 1) / s->tallest; /* in a block */
    n.block = (tiles > 0 ? tiles : 1) * s->tallest;
    if (n.copies_a) /* the copy has space for so many rows of one matrix */
        n.block = ROWS;
    if (n.copies_b)
        n.next = s->width * b.rows;
    if (c.count > 1 && !n.copies_a)
        n.together = NEAR / (c.rows * a.cols + b.rows * c.cols + 1);
    if (n.together < 1)
        n.together = 1;
    return n;
}

/* The strides of a band; if A or B is copied, the strides of the copy. */
WITHIN Walk
walk_of(const struct Strip *s, const Band *n, Matrix c, Matrix a, Matrix b,
        int add)
{
    Walk w = {.depth = a.cols,
              .add = add,
              .batched = n->together > 1,
              .a_down = bytes(n->copies_a ? a.cols : a.down),
              .a_across = bytes(n->copies_a ? 1 : a.across),
              .b_down = bytes(n->copies_b ? s->width : b.down),
              .c_down = bytes(c.down),
              .a_next = bytes(a.step),
              .c_next = bytes(c.step)};
    if (w.batched)
        w.b_next = bytes(n->copies_b ? (ptrdiff_t)b.rows * c.cols : b.step);
    return w;
}

/* Multiplies A by all strips of a band, b, block by block. copy_a has space for
   a copy of a block. */
WITHIN void
blocks_multiply(const struct Strip *s, const Band *n, Walk *w, Matrix c,
                Matrix a, const real *b, real *copy_a)
{
    for (int first = 0; first < c.rows; first += n->block) {
        int rows = c.rows - first < n->block ? c.rows - first : n->block;
        Matrix ai = some_rows(a, first, rows);
        if (n->copies_a) {
            copy_matrix(copy_a, ai, a.cols);
            ai = matrix(copy_a, rows, a.cols, a.cols);
        }
        if (rows != w->rows) /* in the first block, and in a smaller last one */
            cut_rows(w, rows, s->tallest);
        rows_multiply(s, w, some_rows(c, first, rows), ai, b, n->next);
    }
}

/* C (+)= A B for one band: C and B have whole strips of the width of s.
   `copies` has space for a copy of B, BAND entries, and then for one of a block
   of A. In a batch, Band.together products are computed at a time. */
WITHIN void
band_multiply(const struct Strip *s, Matrix c, Matrix a, Matrix b, int add,
              real *copies)
{
    Band n = band_of(s, c, a, b);
    Walk w = walk_of(s, &n, c, a, b, add);
    for (int left = c.count; left > 0; left -= c.count) {
        /* From now on c.count is the number of products of this round. */
        c.count = left < n.together ? left : n.together;
        Matrix bi = b;
        if (n.copies_b)
            for (int i = 0; i < c.count; i++, bi.at += b.step)
                copy_strips(copies + i * b.rows * c.cols, bi, s->width);
        blocks_multiply(s, &n, &w, c, a, n.copies_b ? copies : b.at,
                        copies + BAND);
        a.at += c.count * a.step;
        b.at += c.count * b.step;
        c.at += c.count * c.step;
    }
}

/* C (+)= A B for one panel: A has some of the columns of the whole product, and
   B some of its rows. C is cut into bands of whole strips of one width, so that
   a band of B fits its cache; at the right edge of C, strips get narrower. */
WITHIN void
panel_multiply(Matrix c, Matrix a, Matrix b, int add, real *copies)
{
    const struct Strip *s = c.rows == 1 ? row_strips : strips;
    int band = c.cols;
    if ((double)band * a.cols > BAND)
        band = BAND / a.cols;
    int j = 0;
    while (j < c.cols) {
        int cols = c.cols - j < band ? c.cols - j : band;
        while (s->width > cols) /* finds the widest strips that fit */
            s++;
        cols -= cols & (s->width - 1); /* whole strips: width is a power of 2 */
        band_multiply(s, some_columns(c, j, cols), a, some_columns(b, j, cols),
                      add, copies);
        j += cols;
    }
}

/* C (+)= A B on this thread. The deeper a panel, the less often C is read and
   written; but a transposed A is copied for every band, so there bands are wide
   and panels less deep. */
WITHIN void
product_here(Matrix c, Matrix a, Matrix b, int add, real *copies)
{
    int deepest = a.down == 1 ? DEPTH / 2 : DEPTH; /* columns of A in a panel */
    if (c.rows == 0)
        return;
    int k = 0;
    do { /* once even if A has no columns, to set C to 0 */
        int depth = a.cols - k < deepest ? a.cols - k : deepest;
        panel_multiply(c, some_columns(a, k, depth), some_rows(b, k, depth),
                       add, copies);
        add = ADD; /* to what the first panel has set */
        k += deepest;
    } while (k < a.cols);
}

/* The arguments of a product, which its threads share. */
typedef struct Product {
    Matrix c, a, b;
    int add; /* OVERWRITE or ADD */
} Product;

/* Rows from .. to - 1 of C. Each thread has its own memory for copies: BAND
   entries of B, and ROWS rows of a transposed A, whose panels have at most
   DEPTH / 2 columns. */
static void
product_rows(void *product, long from, long to)
{
    const Product *p = product;
    static _Thread_local _Alignas(64) real copies[BAND + ROWS * DEPTH / 2];
    int first = (int)from, rows = (int)(to - from);
    product_here(some_rows(p->c, first, rows), some_rows(p->a, first, rows),
                 p->b, p->add, copies);
}

/* C = A B, or C += A B if `add`, by threads if that is worth it. */
static void
product(Matrix c, Matrix a, Matrix b, int add)
{
    if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols ||
        c.count != a.count || c.count != b.count)
        bug("multiply: %d matrices (%d x %d) times %d matrices (%d x %d) "
            "cannot give %d matrices (%d x %d)",
            a.count, a.rows, a.cols, b.count, b.rows, b.cols, c.count, c.rows,
            c.cols);
    Product p = {c, a, b, add};
    /* Tiles store vectors to rows of C. If its columns are the vectors, the
       product is computed as C' = B' A'. */
    if (c.across != 1)
        p = (Product){transposed(c), transposed(b), transposed(a), add};
    if ((double)c.rows * c.cols * a.cols * c.count < WORTH_SHARING)
        product_rows(&p, 0, p.c.rows);
    else
        parallel_for(p.c.rows, product_rows, &p);
}

void
multiply(Matrix c, Matrix a, Matrix b)
{
    product(c, a, b, OVERWRITE);
}

void
multiply_add(Matrix c, Matrix a, Matrix b)
{
    product(c, a, b, ADD);
}
