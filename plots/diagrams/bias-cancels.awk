# bias-cancels.awk - a bias of the keys adds the same to every score of a row.

BEGIN {
    canvas(640, 300)
    two_tokens()
    set(BIAS, "1 1")
    for (i = 1; i <= 2; i++)
        for (j = 1; j <= 2; j++)
            KB[i, j] = K[i, j] + BIAS[1, j]
    KB["r"] = KB["c"] = 2
    product_t(SB, Q, KB)
    softmax(PB, SB)
    side = 36
    named(150, 40, "q k'", S, "qk")
    arrow(232, 76, 376, 76)
    note(304, 64, "softmax")
    named(386, 40, "weights", P, "bend", "%.2f")
    named(150, 190, "q (k + b)'", SB, "qk")
    arrow(232, 226, 376, 226)
    note(304, 214, "softmax")
    named(386, 190, "weights", PB, "bend", "%.2f")
    arrow(186, 118, 186, 158)
    for (i = 1; i <= 2; i++)
        note(136, 40 + (i - 0.5) * 36, sprintf("+%d", SB[i, 1] - S[i, 1]), "end")
    note(136, 22, "q · b", "end")
    if (near(P, PB)) {
        path("422,118 422,158")
        tick(446, 138)
        note(464, 138, "the same", "start good")
    }
    words(28, 220, "b = (1, 1)", "start 13")
    note(320, 288, "Each row grows by one number, and softmax takes no notice: b^K does nothing.")
}
