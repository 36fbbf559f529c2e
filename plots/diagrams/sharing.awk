# sharing.awk - which heads share a key and a value: standard (MHA), GQA, MQA, MLA.

function panel(x, title, groups, latent, kept,    i, g, w, kx) {
    words(x + 70, 20, title, "bold")
    for (i = 1; i <= 4; i++) {
        block(x + 17 + (i - 1) * 35, 56, 26, 26, "qk")
        g = latent ? i : int((i - 1) * groups / 4) + 1
        kx = x + 140 * (g - 0.5) / (latent ? 4 : groups)
        line(x + 17 + (i - 1) * 35, 70, kx, 102)
    }
    w = latent ? 26 : 26
    for (g = 1; g <= (latent ? 4 : groups); g++) {
        kx = x + 140 * (g - 0.5) / (latent ? 4 : groups)
        block(kx, 116, w, 26, latent ? "off" : "qk")
        block(kx, 146, w, 26, latent ? "off" : "ov")
    }
    if (latent) {
        block(x + 70, 208, 70, 26, "lit", 3)
        words(x + 70, 208, "c")
        for (g = 1; g <= 4; g++)
            arrow(x + 70 + (g - 2.5) * 12, 195, x + 140 * (g - 0.5) / 4, 163)
        note(x + 70, 234, "k, v made from c")
    }
    words(x + 70, 264, kept)
}
BEGIN {
    canvas(640, 302)
    note(26, 56, "q")
    note(26, 116, "k")
    note(26, 146, "v")
    panel(44, "standard", 4, 0, "2 h d_k")
    panel(194, "GQA", 2, 0, "2 g d_k")
    panel(344, "MQA", 1, 0, "2 d_k")
    panel(494, "MLA", 4, 1, "r")
    note(320, 288, "What a decoder keeps of each token: h heads, g groups of them, r the width of c.")
}
