# heads-output.awk - W^O is the heads' output maps, one below the other; heads are summed.

BEGIN {
    canvas(640, 330)
    side = 18
    heads = 4
    width = 2
    n = 5
    d = heads * width
    words(96, 22, "[ head_1 … head_4 ]")
    words(306, 22, "W^O")
    for (i = 1; i <= heads; i++) {
        grid(24 + (i - 1) * width * side, 60, n, width, side, i == 2 ? "ov" : "off")
        grid(234, 42 + (i - 1) * width * side, width, d, side, i == 2 ? "ov" : "off")
        note(390, 42 + (i - 0.5) * width * side, "W_" i "^O", "start")
    }
    words(204, 105, "×", "20")
    words(440, 105, "=", "20")
    grid(466, 60, n, d, side, "no")
    words(538, 44, "output")
    line(16, 206, 624, 206, "dash")
    words(16, 252, "= head_1 W_1^O  +", "start")
    grid(170, 230, n, width, 9, "ov")
    words(204, 252, "×", "20")
    grid(222, 244, width, d, 9, "ov")
    words(306, 252, "+  head_3 W_3^O  +  head_4 W_4^O", "start")
    note(214, 286, "head_2 W_2^O")
    note(320, 316, "Side by side, then times W^O, is a sum over heads: head i adds its weights times y N_i.")
}
