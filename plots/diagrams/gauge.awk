# gauge.awk - W^Q A and W^K A^-T are other matrices with the same product.

BEGIN {
    canvas(640, 380)
    two_tokens()
    set(A, "1 1 / 0 1")
    inverse(B, A)
    transpose(BT, B)
    product(QA, WQ, A)
    product(KB, WK, BT)
    product_t(M2, QA, KB)

    named(20, 48, "W^Q", WQ, "qk")
    words(96, 90, "×", "20")
    transpose(WKT, WK)
    named(116, 62, "W^K'", WKT, "qk")
    words(222, 90, "=", "20")
    named(244, 48, "M", M, "qk")
    words(350, 80, "With A =", "start")
    cells(424, 52, A, "off")
    words(500, 80, "A^{−1} =", "start")
    cells(566, 52, B, "off")
    words(350, 136, "different matrices, the same M:", "start")

    named(20, 218, "W^Q A", QA, "qk")
    words(96, 260, "×", "20")
    transpose(KBT, KB)
    named(116, 232, "(W^K A^{−T})'", KBT, "qk")
    words(222, 260, "=", "20")
    named(244, 218, "M", M2, "qk")
    path("286,138 286,188")
    if (same(M, M2)) {
        tick(310, 166)
    }
    words(350, 240, "(W^Q A)(W^K A^{−T})'", "start")
    words(350, 264, "= W^Q A A^{−1} W^K'", "start")
    words(350, 288, "= W^Q W^K'", "start")
    note(320, 340, "A can be any invertible d_k × d_k matrix. So d_k^2 of the pair's parameters")
    note(320, 360, "change nothing; that freedom is called gauge. A^{−T} is A^{−1}, transposed.")
}
