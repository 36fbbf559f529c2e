# gauge-cancel.awk - any invertible A fits between W^Q and W^K', with its inverse.

BEGIN {
    canvas(640, 214)
    d = 84
    k = 34
    y = 80
    block(92, y, k, d, "qk")
    words(92, y, "W^Q")
    words(142, y, "×", "20")
    block(188, y, k, k, "lit")
    words(188, y, "A")
    words(238, y, "×", "20")
    block(292, y, k, k, "lit")
    words(292, y, "A^{−1}")
    words(346, y, "×", "20")
    block(406, y, d, k, "qk")
    words(406, y, "W^K'")
    words(476, y, "=", "20")
    block(548, y, d, d, "qk")
    words(548, y, "M")
    path("160,118 160,134 326,134 326,118", "blunt")
    words(243, 152, "= I, and nothing changes")
    note(92, 22, "W^Q A is another W^Q")
    note(406, 22, "and A^{−1} W^K' another W^K'")
    note(320, 194, "For each head, the d_k^2 entries of A are free: that many parameters are not really there.")
}
