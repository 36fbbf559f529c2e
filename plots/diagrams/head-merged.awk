# head-merged.awk - the same head from its two products, with shapes.

BEGIN {
    canvas(640, 290)
    box(50, 42, 44, 36, "no", "x", "n × d_{model}")
    box(50, 162, 44, 36, "no", "y", "m × d_{model}")
    box(186, 42, 130, 38, "qk", "M = W^Q W^K'", "d_{model} × d_{model}, rank ≤ d_k")
    box(186, 224, 130, 38, "ov", "N = W^V W^O", "d_{model} × d_{model}, rank ≤ d_v")
    arrow(74, 42, 117, 42)
    arrow(74, 172, 117, 214)
    box(352, 92, 90, 38, "no", "s x M y'", "scores, n × m")
    arrow(254, 46, 304, 82)
    arrow(74, 156, 304, 100)
    box(484, 92, 84, 38, "bend", "softmax", "weights, n × m")
    arrow(399, 92, 438, 92)
    box(484, 224, 108, 38, "ov", "weights y N", "n × d_{model}")
    arrow(254, 224, 426, 224)
    arrow(484, 132, 484, 202)
    box(598, 224, 64, 36, "no", "output", "n × d_{model}")
    arrow(540, 224, 563, 224)
    note(320, 278, "Two matrices instead of four, and the same output.")
}
