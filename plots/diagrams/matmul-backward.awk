# matmul-backward.awk - the shapes of C = A B, and of the gradients of A and B.

function matrix(x, y, r, c, colour, name) {
    block(x, y, c, r, colour)
    words(x, y, name)
}
function equation(y, title, r1, c1, k1, n1, r2, c2, k2, n2, r3, c3, k3, n3) {
    words(16, y, title, "start bold")
    matrix(220, y, r1, c1, k1, n1)
    words(314, y, "=", "20")
    matrix(404, y, r2, c2, k2, n2)
    words(490, y, "×", "20")
    matrix(566, y, r3, c3, k3, n3)
}
BEGIN {
    canvas(640, 420)
    t = 100; m = 48; n = 72
    equation(70, "forward", t, n, "no", "C", t, m, "no", "A", m, n, "no", "B")
    line(16, 136, 624, 136, "dash")
    equation(200, "backward: to A", t, m, "lit", "dA", t, n, "lit", "dC", n, m, "no", "B'")
    line(16, 266, 624, 266, "dash")
    equation(328, "backward: to B", m, n, "lit", "dB", m, t, "no", "A'", t, n, "lit", "dC")
    note(320, 404, "A gradient has the shape of its matrix, and only one product of these shapes fits.")
}
