# heads-columns.awk - W^Q is the heads' matrices, side by side.

BEGIN {
    canvas(640, 282)
    tokens = 5
    heads = 4
    width = 2
    d_model = heads * width
    side = 20
    x = 24
    w = 240
    q = 456
    words(x + 80, 44, "x")
    grid(x, 60, tokens, d_model, side, "no")
    note(x + 80, 60 + tokens * side + 14, tokens " × " d_model)
    words(212, 110, "×", "24")
    words(w + 80, 20, "W^Q = [ W_1^Q  …  W_4^Q ]")
    words(428, 110, "=", "24")
    words(q + 80, 20, "x W^Q = [ q_1  …  q_4 ]")
    for (i = 1; i <= heads; i++) {
        at = (i - 1) * width * side
        colour = i == 2 ? "qk" : "off"
        grid(w + at, 60, d_model, width, side, colour)
        grid(q + at, 60, tokens, width, side, colour)
        note(w + at + 20, 46, "W_" i "^Q")
        note(q + at + 20, 46, "q_" i)
    }
    note(w + 80, 60 + d_model * side + 14, d_model " × " d_model ",  " heads " heads of " width)
    note(q + 80, 60 + tokens * side + 14, tokens " × " d_model ", cut into heads")
    note(320, 266, "Two columns of W^Q make these two columns of q, and no others.")
}
