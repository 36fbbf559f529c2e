# sharing.awk - which heads, or roles, share what a decoder keeps.

function panel(x, title, how, formula, kept,    i, g, n, kx) {
    words(x + 54, 18, title, "bold")
    n = how == "latent" || how == "same" ? 4 : how
    for (i = 1; i <= 4; i++) {
        g = int((i - 1) * n / 4) + 1
        block(x + (i - 0.5) * 27, 52, 21, 24, "qk")
        line(x + (i - 0.5) * 27, 65, x + 108 * (g - 0.5) / n, 98)
    }
    for (g = 1; g <= n; g++) {
        kx = x + 108 * (g - 0.5) / n
        if (how == "same")
            block(kx, 124, 21, 50, "lit")
        else {
            block(kx, 112, 21, 24, how == "latent" ? "off" : "qk")
            block(kx, 138, 21, 24, how == "latent" ? "off" : "ov")
        }
        if (how == "latent")
            arrow(x + 54 + (g - 2.5) * 10, 184, kx, 154)
    }
    if (how == "latent") {
        block(x + 54, 196, 60, 22, "lit", 3)
        words(x + 54, 196, "c")
    }
    words(x + 54, 236, formula)
    words(x + 54, 262, sprintf("%d", kept), "bold")
}
BEGIN {
    canvas(640, 320)
    h = 8
    d_k = 64
    groups = 4
    r = 64
    note(14, 52, "q")
    note(14, 112, "k")
    note(14, 138, "v")
    panel(28, "standard", 4, "2 h d_k", 2 * h * d_k)
    panel(151, "GQA", 2, "2 g d_k", 2 * groups * d_k)
    panel(274, "MQA", 1, "2 d_k", 2 * d_k)
    panel(397, "keys = values", "same", "h d_k", h * d_k)
    panel(520, "MLA", "latent", "r", r)
    note(320, 290, sprintf("Below: how many numbers a decoder keeps per token, for %d heads of %d, g = %d, r = %d.",
        h, d_k, groups, r))
    note(320, 309, "(Four heads are drawn.)")
}
