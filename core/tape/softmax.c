/* softmax.c - the softmax of the rows of one head, and its derivative.

   Vectors at a time (math/rows.h); tests/plain/softmax.c goes entry by entry.
 */
#include <string.h>

#include "math/rows.h"
#include "tape/attend.h"

void
softmax_rows(Matrix p, Matrix s, int causal)
{
    for (int i = 0; i < p.rows; i++) {
        real *row = p.at + i * p.down;
        memcpy(row, s.at + i * s.down, (size_t)p.cols * sizeof *row);
        row_softmax(row, 1, keys_seen(causal, i, p.rows, p.cols), p.cols);
    }
}

void
softmax_rows_backward(Matrix ds, Matrix p, Matrix dp)
{
    for (int i = 0; i < p.rows; i++) {
        real *restrict to = ds.at + i * ds.down;
        const real *restrict w = p.at + i * p.down;
        const real *restrict d = dp.at + i * dp.down;
        real mean = row_dot(w, d, p.cols);
        for (int j = 0; j < p.cols; j++)
            to[j] += w[j] * (d[j] - mean);
    }
}
