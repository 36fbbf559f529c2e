# refused-tanh.awk - with a tanh between the two maps no matrix does what they do.

function tanh_of(B, A,    i, j, e) {
    B["r"] = A["r"]
    B["c"] = A["c"]
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= A["c"]; j++) {
            e = exp(2 * A[i, j])
            B[i, j] = (e - 1) / (e + 1)
        }
}
function both(y, title, A, TA,    B) {
    set(B, "1 -1 / 0 1 / 1 -1")
    product(W1, A, WQ1)
    tanh_of(TA, W1)
    product(Q1, TA, B)
    words(16, y - 40, title, "start bold")
    named(16, y, "", A, "no")
    words(114, y + 14, "×", "20")
    block(152, y + 14, 46, 34, "qk", 3)
    words(152, y + 14, "W^Q")
    words(192, y + 14, "=", "20")
    named(210, y, "", W1, "qk")
    arrow(300, y + 14, 344, y + 14)
    note(320, y + 2, "tanh")
    side = 36
    cells(350, y - 4, TA, "bend", "%.2f")
    side = 0
    words(470, y + 14, "×", "20")
    block(506, y + 14, 46, 34, "qk", 3)
    words(506, y + 14, "W_i^Q")
    words(544, y + 14, "=", "20")
    side = 36
    cells(560, y - 4, Q1, "qk", "%.2f")
    side = 0
}
BEGIN {
    canvas(640, 300)
    set(WQ1, "1 1 0 / 0 1 0 / 0 1 1")
    set(ONE, "1 0 1")
    set(TWO, "2 0 2")
    both(64, "A token:", ONE)
    for (j = 1; j <= 2; j++)
        twice[j] = 2 * Q1[1, j]
    both(164, "Twice that token:", TWO)
    cross(30, 236)
    words(48, 236, sprintf("Twice the first result would be (%s, %s), not (%s, %s).",
        shown(twice[1], "%.2f"), shown(twice[2], "%.2f"), shown(Q1[1, 1], "%.2f"),
        shown(Q1[1, 2], "%.2f")), "start")
    note(320, 276, "A matrix gives a doubled token a doubled result. So no single matrix equals these two maps.")
}
