# four-each.awk - each head has four matrices of its own, and the heads are added up.

function card(x, y, w, h, name) {
    block(x + w / 2, y + h / 2, w, h, "no", 5)
    note(x + 12, y + 15, name, "start bold")
}
BEGIN {
    canvas(640, 196)
    box(60, 96, 60, 40, "no", "tokens")
    arrow(92, 96, 136, 96)
    card(196, 10, 324, 116, "head 3")
    card(172, 34, 324, 116, "head 2")
    card(148, 58, 324, 116, "head 1")
    box(192, 120, 58, 38, "qk", "W_1^Q")
    box(268, 120, 58, 38, "qk", "W_1^K")
    box(352, 120, 58, 38, "ov", "W_1^V")
    box(428, 120, 58, 38, "ov", "W_1^O")
    note(230, 158, "where to look")
    note(390, 158, "what to carry over")
    arrow(526, 96, 548, 96)
    box(590, 96, 78, 40, "no", "the sum")
}
