# heads-sum.awk - three heads of "the cat": Concat times W^O is the sum of what each gives by
# its own M and N. lessons/web/heads.js is the same under a slider.

function plus(S, A,    i, j) {
    S["r"] = A["r"]
    S["c"] = A["c"]
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= A["c"]; j++)
            S[i, j] += A[i, j]
}
# Head i: what it has in Concat, times its strip of W^O; and the same from its M and N.
function head(i, q, k, v, o) {
    set(WQ, q)
    set(WK, k)
    set(WV, v)
    set(WO, o)
    product_t(M, WQ, WK)
    product(N, WV, WO)
    product(XM, X, M)
    product_t(S, XM, X)
    softmax(P, S)
    product(V, X, WV)
    product(HEAD, P, V)
    product(GIVEN, HEAD, WO)
    product(XN, X, N)
    product(TERM, P, XN)
    named(16 + (i - 1) * 72, 100, "head_" i, HEAD, "no", "%.1f")
    cells(300, 28 + (i - 1) * 72, WO, "ov")
    note(280, 60 + (i - 1) * 72, "W_" i "^O")
    named(16 + (i - 1) * 144, 296, "P_" i " x N_" i, TERM, "ov", "%.1f")
    plus(OUT, GIVEN)
    plus(SUM, TERM)
}
BEGIN {
    canvas(640, 396)
    side = 32
    set(X, "1 0 1 / 0 2 1")
    head(1, "1 0 / 0 1 / 1 0", "0 1 / 1 0 / 1 1", "1 0 / 0 1 / 1 1", "1 0 1 / 0 2 0")
    head(2, "0 1 / 1 0 / 0 0", "1 0 / 0 1 / 0 1", "0 1 / 1 0 / 0 1", "0 1 0 / 1 0 -1")
    head(3, "1 1 / 0 1 / 0 0", "0 0 / 1 0 / 0 1", "1 0 / 1 1 / 0 0", "1 0 1 / 0 -1 0")
    words(248, 132, "×", "20")
    words(428, 132, "=", "20")
    named(460, 100, "output", OUT, "no", "%.1f")
    words(136, 328, "+", "20")
    words(280, 328, "+", "20")
    words(428, 328, "=", "20")
    named(460, 296, "sum", SUM, "no", "%.1f")
    if (near(OUT, SUM))
        note(508, 214, "the same", "good")
    note(320, 384, "Above, as it is stored: side by side, times W^O. Below, as it is used: a sum over the heads.")
}
