# thin-wide.awk - a thin matrix times a wide one, and the square that they make, to scale.

BEGIN {
    canvas(640, 288)
    d = 512
    d_k = 64
    s = 0.32
    top = 44
    words(46, 24, "W_i^Q")
    block(46, top + d * s / 2, d_k * s, d * s, "qk")
    note(46, top + d * s + 14, d " × " d_k)
    words(86, top + d * s / 2, "×", "24")
    words(184, top + d * s / 2 - 26, "W_i^K'")
    block(184, top + d * s / 2, d * s, d_k * s, "qk")
    note(184, top + d * s / 2 + 26, d_k " × " d)
    words(290, top + d * s / 2, "=", "24")
    words(396, 24, "W_i")
    block(396, top + d * s / 2, d * s, d * s, "qk")
    words(396, top + d * s / 2 - 10, "square, but of")
    words(396, top + d * s / 2 + 12, "rank " d_k)
    note(396, top + d * s + 14, d " × " d)
    words(496, 70, "the pair:", "start")
    words(496, 92, sprintf("%d", 2 * d * d_k), "start bold")
    words(496, 132, "a full matrix:", "start")
    words(496, 154, sprintf("%d", d * d), "start bold")
    note(496, 180, sprintf("%g times as many,", d * d / (2 * d * d_k)), "start")
    note(496, 198, "for each head", "start")
    note(320, 268, "To scale: d_{model} = " d ", d_k = " d_k ". A full matrix may have rank " d ".")
}
