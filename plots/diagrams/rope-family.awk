# rope-family.awk - with a rotation between W^Q and W^K there is an M for each distance.

BEGIN {
    canvas(640, 300)
    two_tokens()
    set(R, "0 1 / -1 0")
    set(TURN, "1 0 / 0 1")
    words(16, 20, "M at distance t = W^Q R^t W^K'", "start bold")
    note(624, 20, "R turns q by a quarter for each token", "end")
    for (t = 0; t <= 3; t++) {
        x = 34 + t * 152
        product(QT, WQ, TURN)
        product_t(MT, QT, WK)
        named(x + 16, 70 + 14, "t = " t, MT, "qk")
        printf "<circle cx=\"%g\" cy=\"206\" r=\"24\" class=\"g\"/>\n", x + 58
        printf "<path d=\"M%g,206L%g,%g\" stroke=\"#0072B2\" stroke-width=\"3\" marker-end=\"url(#head)\"/>\n",
            x + 58, x + 58 + 24 * TURN[1, 1], 206 - 24 * TURN[1, 2]
        for (i = 1; i <= 2; i++)
            for (j = 1; j <= 2; j++)
                OLD[i, j] = TURN[i, j]
        OLD["r"] = OLD["c"] = 2
        product(TURN, OLD, R)
    }
    note(320, 258, "Only the first is W^Q W^K'. One matrix cannot be all four, so the pair is kept.")
    note(320, 280, "(In a model each pair of columns turns at its own speed, by less than a quarter.)")
}
