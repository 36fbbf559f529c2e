# rank-grows.awk - M = W^Q W^K' for pairs that are 1 to 6 wide: with d_k columns M has d_k
# different rows, and rank d_k. lessons/web/rank.js is the same pair under a slider.

# The first n columns of A.
function columns(C, A, n,    i, j) {
    C["r"] = A["r"]
    C["c"] = n
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= n; j++)
            C[i, j] = A[i, j]
}
BEGIN {
    canvas(640, 356)
    side = 14
    # Its rows are independent. W^K has their differences, which W^Q sums up again.
    set(ROWS, "1 0 1 1 0 0 / 0 1 1 0 1 0 / 1 1 0 0 0 1 / 0 0 1 0 1 1 / 1 0 0 1 1 0 / 0 1 0 1 0 1")
    wide = WQ["r"] = WQ["c"] = WK["r"] = WK["c"] = ROWS["r"]
    for (i = 1; i <= wide; i++)
        for (j = 1; j <= wide; j++) {
            WQ[i, j] = j <= i
            WK[i, j] = ROWS[j, i] - (j > 1 ? ROWS[j - 1, i] : 0)
        }
    words(12, 78, "W^Q", "start")
    words(12, 176, "W^K'", "start")
    words(12, 274, "M", "start bold")
    for (d_k = 1; d_k <= wide; d_k++) {
        x = 64 + (d_k - 1) * 96
        columns(Q, WQ, d_k)
        columns(K, WK, d_k)
        product_t(M, Q, K)
        for (i = 1; i <= wide; i++)
            for (j = 1; j <= wide; j++)
                if (M[i, j] != ROWS[i < d_k ? i : d_k, j]) {
                    print "rank-grows.awk: M is not of rank " d_k >"/dev/stderr"
                    exit 1
                }
        transpose(KT, K)
        words(x + 42, 16, "d_k = " d_k)
        heat(x, 36, Q)
        heat(x, 134, KT)
        heat(x, 232, M)
        note(x + 42, 332, "rank " d_k)
    }
}
