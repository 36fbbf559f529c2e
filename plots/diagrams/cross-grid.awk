# cross-grid.awk - three queries and eight keys: the shapes of cross-attention.

BEGIN {
    canvas(640, 352)
    n = 3
    m = 8
    d = 4
    side = 20
    block(56, 54, 70, 36, "no", 3)
    words(56, 54, "x")
    note(10, 20, "decoder, " n " tokens", "start")
    arrow(56, 74, 56, 160)
    note(64, 114, "W^Q", "start")
    words(56, 178, "q")
    grid(16, 196, n, d, side, "qk")
    note(56, 272, n " × d_k")

    block(440, 54, 70, 36, "no", 3)
    words(440, 54, "y")
    note(440, 20, "encoder, " m " tokens")
    arrow(403, 54, 336, 54)
    note(370, 42, "W^K")
    words(158, 54, "k'", "end")
    grid(166, 14, d, m, side, "qk")
    note(246, 108, "d_k × " m)
    arrow(440, 74, 440, 108)
    note(448, 90, "W^V", "start")

    arrow(100, 226, 158, 226)
    arrow(246, 122, 246, 188)
    note(254, 154, "scores, softmax", "start")
    grid(166, 196, n, m, side, "bend")
    note(246, 272, "weights, " n " × " m)
    words(362, 226, "×", "20")
    words(440, 126, "v")
    grid(400, 146, m, d, side, "ov")
    note(440, 320, m " × d_v")
    words(508, 226, "=", "20")
    grid(534, 196, n, d, side, "no")
    note(574, 272, n " × d_v")
    words(574, 180, "for each query")
    words(574, 160, "one row")
    note(200, 312, "A row of weights for each query,")
    note(200, 330, "a column for each key and its value.")
}
