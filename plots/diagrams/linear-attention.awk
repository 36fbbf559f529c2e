# linear-attention.awk - without the softmax the product may be bracketed the other way.

function matrix(x, y, r, c, colour, name) {
    block(x, y, c * 3.2, r * 3.2, colour)
    if (name)
        words(x, y, name)
}
BEGIN {
    canvas(640, 384)
    n = 40
    d = 10
    words(16, 20, "With a softmax: (q k') first, n × n", "start bold")
    matrix(46, 106, n, d, "qk", "q")
    words(80, 106, "×", "20")
    matrix(160, 106, d, n, "qk", "k'")
    words(246, 106, "=", "20")
    matrix(330, 106, n, n, "bend", "softmax")
    words(414, 106, "×", "20")
    matrix(448, 106, n, d, "ov", "v")
    note(500, 96, sprintf("%d numbers", n * n), "start")
    note(500, 114, "between", "start")
    line(16, 186, 624, 186, "dash")
    words(16, 208, "Without: (k' v) first, d_k × d_v", "start bold")
    matrix(46, 284, n, d, "qk", "q")
    words(80, 284, "×", "20")
    words(106, 284, "(", "30")
    matrix(182, 284, d, n, "qk", "k'")
    words(264, 284, "×", "20")
    matrix(298, 284, n, d, "ov", "v")
    words(330, 284, ")", "30")
    words(360, 284, "=", "20")
    matrix(394, 284, n, d, "qk", "q")
    words(428, 284, "×", "20")
    matrix(462, 284, d, d, "lit", "")
    note(500, 274, sprintf("%d numbers, for", d * d), "start")
    note(500, 292, "any length of text", "start")
    note(320, 372, "A softmax must see a whole row of q k' first. (To scale: n = 40, d_k = d_v = 10.)")
}
