# block.awk - a block: attention and MLP each read the stream and add to it.

BEGIN {
    canvas(640, 250)
    y = 190
    printf "<path d=\"M70,%gH560\" stroke=\"#404040\" stroke-width=\"5\"/>\n", y
    arrow(556, y, 596, y)
    words(40, y, "x")
    words(614, y, "x")
    note(320, 226, "The residual stream: n × d_{model} all the way. Each part adds to it; none replaces it.")
    for (i = 0; i < 2; i++) {
        x = 90 + i * 240
        path(x "," y " " x ",140")
        box(x, 120, 96, 36, "bend", "LayerNorm")
        path(x ",101 " x ",62 " (x + 62) ",62")
        if (i)
            box(x + 112, 62, 92, 40, "off", "MLP")
        else
            halves(x + 112, 62, 92, 40, "attention")
        path((x + 160) ",62 " (x + 176) ",62 " (x + 176) "," (y - 16))
        block(x + 176, y, 28, 28, "no", 14)
        words(x + 176, y, "+")
    }
}
