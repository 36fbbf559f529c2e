/* softmax.c - the softmax of each row, entry by entry. */
#include "plain.h"
#include "tape/attend.h"

/* p_ij = e^(s_ij - max_i) / sum_j e^(s_ij - max_i), over the keys that query i
   sees; 0 for the others */
void
softmax_rows(Matrix p, Matrix s, int causal)
{
    for (int i = 0; i < s.rows; i++) {
        const real *score = s.at + i * s.down;
        real *weight = p.at + i * p.down, max = score[0], sum[LANES] = {0};
        int seen = keys_seen(causal, i, s.rows, s.cols);
        for (int j = 0; j < seen; j++)
            max = score[j] > max ? score[j] : max;
        for (int j = 0; j < s.cols; j++) {
            weight[j] = j < seen ? e_to(score[j] - max) : 0;
            sum[j % LANES] += weight[j];
        }
        real inverse = 1 / sum_of(sum);
        for (int j = 0; j < s.cols; j++)
            weight[j] *= inverse;
    }
}

/* ds_ij += p_ij (dp_ij - sum_k p_ik dp_ik) */
void
softmax_rows_backward(Matrix ds, Matrix p, Matrix dp)
{
    for (int i = 0; i < p.rows; i++) {
        const real *weight = p.at + i * p.down, *d = dp.at + i * dp.down;
        real mean[LANES] = {0};
        for (int j = 0; j < p.cols; j++)
            mean[j % LANES] = fused(weight[j], d[j], mean[j % LANES]);
        real m = sum_of(mean);
        for (int j = 0; j < p.cols; j++)
            ds.at[i * ds.down + j] += weight[j] * (d[j] - m);
    }
}
