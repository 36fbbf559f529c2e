# scale-softmax.awk - weights of eight scores, with the scale and without it.

function panel(x, title, factor, colour,    i, sum, w) {
    words(x + 88, 22, title, "bold")
    for (i = 1; i <= 8; i++)
        sum += exp(factor * z[i])
    line(x, 190, x + 178, 190)
    for (i = 1; i <= 8; i++) {
        w = exp(factor * z[i]) / sum
        if (w > 0.003)
            bar(x + 4 + (i - 1) * 22, 190 - 126 * w, 16, 126 * w, colour)
    }
    words(x + 4 + 7 * 22 + 8, 190 - 126 * w - 12, shown(w, "%.2f"), "13")
    note(x + 88, 206, sprintf("standard deviation: %g", factor))
}
BEGIN {
    canvas(640, 294)
    n = split("-1.5 -0.9 -0.5 -0.2 0.2 0.5 0.9 1.5", z, " ")
    for (i = 1; i <= n; i++)
        square += z[i] ^ 2 / n
    for (i = 1; i <= n; i++)
        z[i] /= sqrt(square)
    panel(16, "with the scale, any d_k", 1, "bend")
    panel(230, "without, d_k = 4", sqrt(4), "bend")
    panel(444, "without, d_k = 64", sqrt(64), "bend")
    note(320, 236, "The same eight scores. q k' sums d_k products, so its standard deviation is √d_k unless")
    note(320, 256, "it is divided by √d_k. Without that, one token has nearly all the weight before")
    note(320, 276, "anything is learned.")
}
