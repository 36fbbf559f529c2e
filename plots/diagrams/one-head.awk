# one-head.awk - "the" and "cat" through the four matrices of one head, in whole numbers.

BEGIN {
    canvas(640, 486)
    two_tokens()

    named(16, 40, "x", X, "no")
    note(58, 110, "rows: the, cat")
    note(58, 127, "article, noun, 1")
    arrow(102, 66, 150, 66)
    path("126,66 126,368 150,368")
    arrow(126, 206, 150, 206)

    named(154, 40, "W^Q", WQ, "qk")
    named(154, 180, "W^K", WK, "qk")
    named(154, 326, "W^V", WV, "ov")
    arrow(214, 72, 256, 72)
    named(260, 44, "q = x W^Q", Q, "qk")
    arrow(214, 212, 256, 212)
    named(260, 184, "k = x W^K", K, "qk")
    arrow(214, 358, 256, 358)
    named(260, 330, "v = x W^V", V, "ov")

    arrow(320, 82, 366, 122)
    arrow(320, 202, 366, 148)
    named(372, 108, "scores = q k'", S, "no")
    arrow(434, 136, 510, 136)
    note(470, 124, "softmax")
    named(516, 108, "weights", P, "bend", "%.2f")
    note(544, 178, "each row sums to 1")

    arrow(320, 358, 366, 358)
    path("544,190 544,244 400,244 400,300")
    note(400, 398, "weights v")
    cells(372, 330, HEAD, "ov", "%.1f")
    arrow(430, 358, 446, 358)
    named(450, 330, "W^O", WO, "ov")
    arrow(536, 358, 548, 358)
    named(552, 330, "output", OUT, "no", "%.1f")

    note(320, 442, "Blue decides which token looks at which, orange what is carried over.")
    note(320, 464, "(The scale is left out. The weights and everything after them are rounded.)")
}
