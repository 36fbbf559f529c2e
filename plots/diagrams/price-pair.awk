# price-pair.awk - what one score costs: a dot product as wide as a key, or as a token.

BEGIN {
    canvas(640, 366)
    d = 512
    d_k = 64
    n = 1024
    h = 8
    s = 0.82
    words(16, 20, "One score, W^Q and W^K apart: " d_k " multiplications", "start bold")
    block(16 + d_k * s / 2, 52, d_k * s, 22, "qk")
    block(16 + d_k * s / 2, 78, d_k * s, 22, "qk")
    note(28 + d_k * s, 52, "q of one token", "start")
    note(28 + d_k * s, 78, "k of another", "start")
    words(16, 122, "One score, one full matrix W_i: " d " multiplications", "start bold")
    block(16 + d * s / 2, 154, d * s, 22, "qk")
    block(16 + d * s / 2, 180, d * s, 22, "no")
    note(28 + d * s, 154, "x W_i of one token", "start")
    note(28 + d * s, 180, "y, the other token itself", "start")
    pair = h * (2 * n * d * d_k + n * n * d_k)
    full = h * (n * d * d + n * n * d)
    words(16, 230, "All scores of " n " tokens, " h " heads, with q and k, and with x W_i:", "start bold")
    bar(16, 246, pair / full * 420, 24, "qk")
    note(28 + pair / full * 420, 258, sprintf("%.1f billion", pair / 1e9), "start")
    bar(16, 282, 420, 24, "off")
    note(448, 294, sprintf("%.1f billion", full / 1e9), "start")
    note(320, 340, sprintf("Every pair of tokens costs %d multiplications, or %d: the price of rank %d.", d_k, d, d))
}
