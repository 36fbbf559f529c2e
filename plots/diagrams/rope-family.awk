# rope-family.awk - with a rotation between W^Q and W^K there is an M for each distance.

BEGIN {
    canvas(640, 348)
    two_tokens()
    set(R, "0 1 / -1 0")
    set(TURN, "1 0 / 0 1")
    box(120, 30, 44, 34, "no", "x_i")
    box(214, 30, 66, 36, "qk", "W^Q")
    box(320, 30, 84, 36, "bend", "R(i − j)")
    box(426, 30, 66, 36, "qk", "W^K'")
    box(520, 30, 44, 34, "no", "x_j'")
    line(144, 30, 180, 30)
    line(248, 30, 277, 30)
    line(363, 30, 392, 30)
    line(460, 30, 497, 30)
    for (t = 0; t <= 3; t++) {
        x = 50 + t * 152
        product(QT, WQ, TURN)
        product_t(MT, QT, WK)
        named(x, 100, "i − j = " t, MT, "qk")
        printf "<circle cx=\"%g\" cy=\"220\" r=\"24\" class=\"g\"/>\n", x + 42
        printf "<path d=\"M%g,220L%g,%g\" stroke=\"#0072B2\" stroke-width=\"3\" marker-end=\"url(#head)\"/>\n",
            x + 42, x + 42 + 24 * TURN[1, 1], 220 - 24 * TURN[1, 2]
        for (i = 1; i <= 2; i++)
            for (j = 1; j <= 2; j++)
                OLD[i, j] = TURN[i, j]
        OLD["r"] = OLD["c"] = 2
        product(TURN, OLD, R)
    }
    note(320, 268, "Here R rotates by a quarter turn for each token of distance.")
    note(320, 298, "Only the first M is W^Q W^K'. No single matrix equals all four, so the pair is kept.")
    note(320, 328, "(In a model each pair of columns rotates at its own rate, by one radian per token or less.)")
}
