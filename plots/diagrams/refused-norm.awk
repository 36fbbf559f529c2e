# refused-norm.awk - with a norm between W^Q and W^K the score is no x M y'.

function normed(B, A,    j, s) {
    for (j = 1; j <= A["c"]; j++)
        s += A[1, j] ^ 2 / A["c"]
    B["r"] = 1
    B["c"] = A["c"]
    for (j = 1; j <= A["c"]; j++)
        B[1, j] = A[1, j] / sqrt(s)
}
function both(y, title, A,    s) {
    product(W1, A, WQ)
    normed(N1, W1)
    row_of(K1, K, 2)
    normed(N2, K1)
    product_t(SN, N1, N2)
    words(16, y - 38, title, "start bold")
    cells(16, y, A, "no")
    arrow(104, y + 14, 130, y + 14)
    block(160, y + 14, 52, 34, "qk", 3)
    words(160, y + 14, "W^Q")
    arrow(188, y + 14, 212, y + 14)
    cells(216, y, W1, "qk")
    arrow(276, y + 14, 370, y + 14)
    note(322, y + 2, "RMSNorm")
    side = 38
    cells(376, y - 5, N1, "bend", "%.2f")
    side = 0
    arrow(456, y + 14, 530, y + 14)
    note(492, y + 2, "· k_2")
    words(568, y + 14, shown(SN[1, 1], "%.2f"))
    return SN[1, 1]
}
BEGIN {
    canvas(640, 276)
    two_tokens()
    set(ONE, "0 2 1")
    set(TWO, "0 4 2")
    one = both(58, "A token and its score with token 2 (whose key is normalised too):", ONE)
    two = both(148, "Twice that token:", TWO)
    cross(30, 212)
    words(48, 212, (one - two) ^ 2 < 1e-18 ? "The same score, where x M y' would be twice as large." : "", "start")
    note(320, 254, "QK-norm discards the lengths of q and k. No matrix M does that, so W^Q and W^K do not merge.")
}
