# probe.awk - how the canonical form of any variant is found, and then believed.

function panel(y, n, title, from, colour, to, what) {
    words(16, y - 34, n ". " title, "start bold")
    box(82, y, 100, 36, "no", from)
    arrow(134, y, 206, y)
    box(276, y, 136, 36, "off", "the variant")
    arrow(346, y, 418, y)
    box(482, y, 124, 36, colour, to)
    note(556, y, what, "start")
}
BEGIN {
    canvas(640, 336)
    panel(58, 1, "Feed in the identity as tokens: the scores are M", "I", "qk", "M", "")
    panel(156, 2, "Let each token look only at itself, in one head: the output is N", "I, weights I", "ov", "N", "")
    panel(254, 3, "Random tokens: is softmax(x M y') y N what the variant returns?", "random", "no", "its output", "")
    words(16, 300, "within 10^{−10}:", "start")
    tick(140, 300)
    note(158, 300, "form accepted", "start good")
    words(326, 300, "otherwise:", "start")
    cross(422, 300, 7)
    note(440, 300, "no form (a tanh, a norm)", "start bad")
    note(320, 326, "Nothing is read from the variant's code.")
}
