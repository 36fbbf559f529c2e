# kept.awk - what a decoder keeps of the tokens that it has read: keys and values.

BEGIN {
    canvas(640, 220)
    n = split("the cat sat on the", token, " ")
    for (i = 1; i <= n; i++) {
        x = 90 + (i - 1) * 74
        words(x, 18, token[i])
        block(x, 58, 50, 34, i < n ? "clear dash" : "qk", 3)
        block(x, 116, 50, 34, "qk", 3)
        block(x, 162, 50, 34, "ov", 3)
        words(x, 58, i < n ? "" : "q")
        words(x, 116, "k")
        words(x, 162, "v")
    }
    note(440, 58, "queries: used once, then gone", "start")
    line(434, 98, 434, 180)
    words(446, 130, "keys and values:", "start bold")
    words(446, 150, "kept for every later token", "start")
    note(320, 206, "So models that save memory share keys and values, not queries.")
}
