# between.awk - what may be between two maps, and whether they are then one.

function entry(between, one, why, more) {
    y += 58
    line(12, y - 29, 628, y - 29)
    block(38, y, 40, 28, "qk", 3)
    block(194, y, 40, 28, "qk", 3)
    note(38, y, "A")
    note(194, y, "B")
    line(59, y, 173, y)
    if (between) {
        block(116, y, 84, 28, one == "no" ? "bend" : "off", 3)
        note(116, y, between)
    }
    if (one == "no")
        cross(254, y)
    else
        tick(254, y)
    words(292, y - (more ? 10 : 0), why, "start 14")
    if (more)
        note(292, y + 11, more, "start")
}
BEGIN {
    canvas(640, 456)
    words(116, 18, "two maps", "bold")
    words(254, 18, "one?", "bold")
    words(292, 18, "because", "start bold")
    y = 8
    entry("", "yes", "(x A) B = x (A B)")
    entry("scale s", "yes", "(s x A) B = x (s A B)")
    set(A, "1 2 / 2 4")
    for (i = 1; i <= 2; i++) {
        rms = sqrt((A[i, 1] ^ 2 + A[i, 2] ^ 2) / 2)
        normed = normed (i == 2 ? ",  (2, 4) also (" : "(1, 2) becomes (") \
            shown(A[i, 1] / rms, "%.2f") ", " shown(A[i, 2] / rms, "%.2f") ")"
    }
    entry("narrow", "yes", "One matrix A B of low rank. Not every matrix",
        "can be split into such a pair.")
    entry("tanh", "no", "Twice the token does not give twice the result:",
        "tanh 1 = " shown((exp(2) - 1) / (exp(2) + 1), "%.2f") ", tanh 2 = " \
        shown((exp(4) - 1) / (exp(4) + 1), "%.2f") ", not twice as much.")
    entry("RMSNorm", "no", "Twice the token gives the same result:", normed)
    entry("rotation", "no", "Its angle depends on the position, so A B is",
        "a different matrix at each distance (RoPE).")
    entry("softmax", "no", "It needs a whole row of scores at once,",
        "so a head's M and N remain two matrices.")
}
