# fourth-matrix.awk - softmax(QK') V W' needs something more wherever W comes from.

function matrix(x, y, r, c, colour, name, size,    w, h) {
    w = c * 9
    h = r * 9
    block(x, y, w, h, colour)
    words(x, y - h / 2 - 14, name)
    note(x, y + h / 2 + 13, size)
}
BEGIN {
    canvas(640, 416)
    n = 5
    d = 12
    d_v = 4
    words(16, 20, "W learned, d_{model} × d_v: it is W^O already", "start bold")
    matrix(70, 90, n, n, "bend", "softmax", "n × n")
    words(116, 90, "×", "20")
    matrix(158, 90, n, d_v, "ov", "V", "n × d_v")
    words(204, 90, "×", "20")
    matrix(282, 90, d_v, d, "ov", "W'", "d_v × d_{model}")
    words(362, 90, "=", "20")
    matrix(444, 90, n, d, "no", "output", "n × d_{model}")
    tick(536, 90)
    note(552, 90, "as wide as x", "start good")
    line(16, 150, 624, 150, "dash")
    words(16, 174, "W computed from the tokens, n × d_v like V: the output is not a token", "start bold")
    matrix(70, 240, n, n, "bend", "softmax", "n × n")
    words(116, 240, "×", "20")
    matrix(158, 240, n, d_v, "ov", "V", "n × d_v")
    words(204, 240, "×", "20")
    matrix(254, 240, d_v, n, "ov", "W'", "d_v × n")
    words(306, 240, "=", "20")
    matrix(356, 240, n, n, "no", "", "n × n")
    cross(416, 240)
    note(434, 232, "not n × d_{model}:", "start bad")
    note(434, 250, "cannot be added to x", "start bad")
    words(16, 314, "so multiply by y and W^O too:", "start")
    matrix(244, 350, n, n, "no", "", "n × n")
    words(290, 350, "×", "20")
    matrix(364, 350, n, d, "no", "y", "n × d_{model}")
    words(440, 350, "×", "20")
    matrix(508, 350, d, d, "ov", "", "")
    words(508, 340, "W^O")
    note(508, 350 + 12, "d_{model} × d_{model}")
}
