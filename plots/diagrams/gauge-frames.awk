# gauge-frames.awk - six invertible matrices A and B on one path: the four stored matrices
# change, M and N do not. lessons/web/gauge.js is the same path under a slider.

# A and B at t: a rotation once around, a stretch, and for B a shear. Both are the
# identity at t = 0, and never singular.
function along(A, B, t,    turn, stretch) {
    turn = 6.283185307179586 * t
    stretch = exp(0.6 * sin(turn))
    A["r"] = A["c"] = B["r"] = B["c"] = 2
    A[1, 1] = cos(turn) * stretch
    A[1, 2] = -sin(turn) / stretch
    A[2, 1] = sin(turn) * stretch
    A[2, 2] = cos(turn) / stretch
    B[1, 1] = 1 / stretch
    B[1, 2] = 1 - cos(turn)
    B[2, 1] = 0
    B[2, 2] = stretch
}
BEGIN {
    canvas(640, 470)
    two_tokens()
    side = 19
    words(16, 44, "W^Q A", "start")
    words(16, 114, "W^K A^{−T}", "start")
    words(16, 184, "W^V B", "start")
    words(16, 246, "B^{−1} W^O", "start")
    words(16, 330, "M", "start bold")
    words(16, 402, "N", "start bold")
    for (f = 0; f < 6; f++) {
        x = 112 + f * 86
        along(A, B, f / 6)
        inverse(IA, A)
        inverse(IB, B)
        product(QA, WQ, A)
        product_t(KA, WK, IA)
        product(VB, WV, B)
        product(BO, IB, WO)
        product_t(MA, QA, KA)
        product(NB, VB, BO)
        if (!near(MA, M) || !near(NB, N)) {
            print "gauge-frames.awk: M or N has changed" >"/dev/stderr"
            exit 1
        }
        heat(x, 16, QA)
        heat(x, 86, KA)
        heat(x, 156, VB)
        heat(x, 226, BO)
        heat(x, 302, MA)
        heat(x, 374, NB)
    }
    line(16, 282, 624, 282, "dash")
    note(320, 452, "Six choices of A and B. Above, what is stored; below, what is used.")
}
