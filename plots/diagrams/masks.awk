# masks.awk - which keys a query sees: all, itself and earlier, a window, ALiBi.

function panel(x, title, below, kind,    i, j, v, n) {
    n = 8
    words(x + 64, 20, title, "bold")
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            v = 0.5
            if (kind != "all" && j > i)
                v = 0
            if (kind == "window" && i - j >= 3)
                v = 0
            if (kind == "alibi" && v)
                v = 0.62 * exp(-0.5 * (i - j))
            if (v)
                shade(x + j * 16, 44 + i * 16, 16, v)
        }
    grid(x, 44, n, n, 16, "clear")
    note(x + 64, 188, below)
}
BEGIN {
    canvas(640, 240)
    panel(30, "no mask", "every key", "all")
    panel(182, "causal", "itself and earlier", "causal")
    panel(334, "window 3", "the last three", "window")
    panel(486, "ALiBi", "nearer keys favoured", "alibi")
    note(320, 224, "A row is a query, a column a key. White is hidden. Masks and biases do not change M.")
}
