/* matrix.c - the matrix product in three loops. core/fast/matrix.c computes the
   same bits, faster. */
#include "heart/matrix.h"
#include "heart/numbers.h"

/* C (m x n) += A (m x k) B (k x n), for each matrix of a batch */
void
multiply_add(Matrix c, Matrix a, Matrix b)
{
    for (int of_batch = 0; of_batch < c.count; of_batch++) {
        for (int i = 0; i < c.rows; i++)
            for (int j = 0; j < c.cols; j++) {
                real *sum = &c.at[i * c.down + j * c.across];
                for (int k = 0; k < a.cols; k++)
                    *sum = FUSED(a.at[i * a.down + k * a.across],
                                 b.at[k * b.down + j * b.across], *sum);
            }
        a.at += a.step;
        b.at += b.step;
        c.at += c.step;
    }
}

/* C = A B: C is set to 0, and then A B is added. */
void
multiply(Matrix c, Matrix a, Matrix b)
{
    for (int of_batch = 0; of_batch < c.count; of_batch++)
        for (int i = 0; i < c.rows; i++)
            for (int j = 0; j < c.cols; j++)
                c.at[of_batch * c.step + i * c.down + j * c.across] = 0;
    multiply_add(c, a, b);
}
