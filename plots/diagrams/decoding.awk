# decoding.awk - one new token: what a decoder computes anew, and what it kept.

BEGIN {
    canvas(640, 330)
    n = 6
    d = 3
    side = 24
    words(70, 18, "q", "bold")
    words(300, 18, "k'", "bold")
    words(536, 18, "v", "bold")
    grid(34, 136, n, d, side, "no")
    grid(34, 136 + (n - 1) * side, 1, d, side, "qk")
    grid(220, 36, d, n, side, "off")
    grid(220 + (n - 1) * side, 36, d, 1, side, "qk")
    grid(220, 136, n, n, side, "no")
    grid(220, 136 + (n - 1) * side, 1, n, side, "bend")
    grid(500, 136, n, d, side, "off")
    grid(500, 136 + (n - 1) * side, 1, d, side, "ov")
    arrow(112, 136 + (n - 0.5) * side, 212, 136 + (n - 0.5) * side)
    arrow(372, 136 + (n - 0.5) * side, 492, 136 + (n - 0.5) * side)
    note(432, 136 + (n - 0.5) * side - 14, "one row of")
    note(432, 136 + (n - 0.5) * side + 14, "weights times v")
    words(20, 136 + (n - 0.5) * side, n)
    note(70, 120, "not needed again")
    block(410, 52, 22, 18, "off")
    note(428, 52, "kept from tokens 1 to " n - 1, "start")
    block(410, 78, 22, 18, "no")
    note(428, 78, "computed, then discarded", "start")
    block(402, 104, 14, 18, "qk")
    block(417, 104, 14, 18, "ov")
    note(434, 104, "computed for token " n, "start")
    note(320, 306, "A new token needs its own q, k and v, and one row of scores; all other k and v are kept.")
}
