# two-maps.awk - two maps in a row, and their product, in whole numbers.

BEGIN {
    canvas(640, 400)
    two_tokens()
    set(A, "1 1 0 / 0 1 0 / 0 1 1")
    set(B, "1 -1 / 0 1 / 1 -1")
    product(XA, X, A)
    product(XAB, XA, B)
    product(AB, A, B)
    product(ONE, X, AB)

    words(20, 18, "Two maps:", "start bold")
    named(16, 76, "x", X, "no")
    words(118, 104, "×", "20")
    named(136, 62, "W^Q", A, "qk")
    words(240, 104, "=", "20")
    named(258, 76, "q", XA, "off")
    words(360, 104, "×", "20")
    named(378, 62, "W_i^Q", B, "qk")
    words(452, 104, "=", "20")
    named(472, 76, "q_i", XAB, "qk")
    note(586, 104, A["r"] * A["c"] + B["r"] * B["c"] " parameters")
    line(16, 176, 624, 176, "dash")

    words(20, 202, "Their product:", "start bold")
    named(136, 252, "W^Q", A, "qk")
    words(236, 294, "×", "20")
    named(254, 252, "W_i^Q", B, "qk")
    words(328, 294, "=", "20")
    named(346, 252, "W", AB, "qk")
    named(472, 266, "x W", ONE, "qk")
    arrow(408, 294, 464, 294)
    note(586, 294, AB["r"] * AB["c"] " parameters")
    path("500,150 500,226", same(ONE, XAB) ? "" : "dash")
    if (same(ONE, XAB)) {
        tick(528, 202)
        note(546, 202, "the same", "start good")
    }
    note(320, 376, "Nothing is between the two maps, so one matrix does what both do.")
}
