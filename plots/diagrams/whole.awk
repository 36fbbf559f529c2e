# whole.awk - what of a whole model is free, and where (lesson 34).

function pin(x, y, n) {
    printf "<circle cx=\"%g\" cy=\"%g\" r=\"11\" fill=\"#404040\"/>\n<text x=\"%g\" y=\"%g\" fill=\"#fff\" " \
        "font-size=\"14\">%d</text>\n", x, y, x, y + 5, n
}
function legend(y, n, what, how_many) {
    pin(24, y, n)
    words(44, y, what, "start 14")
    words(390, y, how_many, "start 14")
}
function plus(x, y) {
    printf "<circle class=\"o no\" cx=\"%g\" cy=\"%g\" r=\"9\"/>\n", x, y
    words(x, y, "+")
}
# A block's branch: from the stream up through a norm and the part, and back.
function branch(x, part, colour) {
    path(x ",120 " x ",48 " (x + 14) ",48")
    box(x + 37, 48, 44, 30, "off", "norm")
    arrow(x + 60, 48, x + 76, 48)
    if (colour == "both")
        halves(x + 116, 48, 78, 36, part)
    else
        box(x + 116, 48, 78, 36, colour, part)
    path((x + 156) ",48 " (x + 170) ",48 " (x + 170) ",110")
    plus(x + 170, 120)
}
BEGIN {
    canvas(640, 362)
    box(28, 120, 36, 34, "no", "E")
    box(28, 72, 36, 34, "no", "P")
    path("46,72 70,72 70,110")
    line(46, 120, 60, 120)
    plus(70, 120)
    line(79, 120, 259, 120)
    line(277, 120, 459, 120)
    branch(98, "attention", "both")
    branch(298, "MLP", "bend")
    arrow(477, 120, 496, 120)
    box(519, 120, 44, 30, "off", "norm")
    arrow(542, 120, 556, 120)
    box(574, 120, 34, 34, "no", "U")
    arrow(592, 120, 626, 120)
    note(606, 146, "softmax")
    pin(214, 20, 1)
    pin(135, 20, 2)
    pin(335, 20, 2)
    pin(519, 92, 2)
    pin(268, 146, 3)
    pin(468, 146, 3)
    pin(70, 146, 3)
    pin(178, 120, 4)
    pin(378, 120, 4)
    pin(574, 92, 5)
    pin(28, 42, 6)
    line(16, 172, 624, 172, "dash")
    legend(194, 1, "heads: an A and its inverse in a head", "h (d_k^2 + d_v^2) a block")
    legend(222, 2, "norms: gains (and biases) move to the right", "RMSNorm: d each; LayerNorm: 2 d")
    legend(250, 3, "mean: LayerNorm subtracts it; biases of k and v", "LayerNorm: one a row, and these")
    legend(278, 4, "basis: an A before, its inverse after", "no norm: d^2; RMSNorm: d (d - 1) / 2")
    words(390, 298, "LayerNorm: (d - 1) (d - 2) / 2", "start 14")
    legend(324, 5, "logits: a constant that softmax ignores", "d")
    legend(350, 6, "positions: a vector moves from E to P", "d; LayerNorm: d - 1")
}
