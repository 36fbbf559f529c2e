# one-head-merged.awk - the same two tokens through the two products, M and N.

BEGIN {
    canvas(640, 396)
    two_tokens()
    product(XN, X, N)
    product(O2, P, XN)

    named(16, 54, "x", X, "no")
    arrow(102, 82, 150, 82)
    path("126,82 126,284 150,284")
    named(156, 40, "M = W^Q W^K'", M, "qk")
    named(156, 242, "N = W^V W^O", N, "ov")
    arrow(242, 82, 340, 82)
    named(346, 54, "scores = x M x'", S, "no")
    arrow(406, 82, 510, 82)
    note(458, 70, "softmax")
    named(516, 54, "weights", P, "bend", "%.2f")
    arrow(242, 284, 330, 284)
    named(336, 256, "x N", XN, "ov")
    path("544,114 544,180 594,180 594,228")
    arrow(422, 284, 544, 284)
    named(550, 256, "output", O2, "no", "%.1f")
    note(482, 272, "weights (x N)")
    if (near(O2, OUT))
        note(634, 326, "the same as before", "end good")
    note(320, 358, "M and N are 3 × 3 and have rank 2, the width of the pairs they replace.")
    note(320, 380, "They decide what the head computes, whatever matrices it is stored in.")
}
