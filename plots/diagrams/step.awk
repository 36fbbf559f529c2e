# step.awk - one training step of lessons/one-file: six passes, back again, and Adam.

function pass(i, name, shape, colour) {
    if (colour)
        box(across(i), 66, 88, 40, colour, i ". " name, shape)
    else
        halves(across(i), 66, 88, 40, i ". " name, shape)
    if (i > 1)
        arrow(across(i - 1) + 45, 66, across(i) - 46, 66)
}
function across(i) { return 54 + (i - 1) * 106.4 }
function weights(i, name, shape) {
    box(across(i), 186, 92, 36, "no", name, shape)
    arrow(across(i), 166, across(i), 104, "dash")
    arrow(across(i), 222, across(i), 258)
}
BEGIN {
    canvas(640, 326)
    tokens = 128; d = 32; values = 16; keys = 32
    words(16, 18, "forward", "start bold")
    pass(1, "embed", tokens " × " d, "no")
    pass(2, "q, k, v", tokens " × " d)
    pass(3, "attend", "P: 16 × 16", "bend")
    pass(4, "x + …", tokens " × " d, "no")
    pass(5, "logits", tokens " × " values, "no")
    pass(6, "loss", "one number", "no")
    words(267, 124, "backward", "bold")
    path("583,112 583,138 24,138")
    weights(1, "E", keys + values " × " d)
    weights(2, "W^Q W^K W^V", d " × " d " each")
    weights(4, "W^O", d " × " d)
    weights(5, "U", d " × " values)
    block(267, 278, 518, 34, "off", 3)
    words(267, 278, sprintf("Adam moves all %d parameters by their gradients", (keys + values) * d + 4 * d * d + d * values))
    words(584, 268, "300 times,")
    words(584, 288, "a new batch")
    note(320, 314, "Each forward pass has its backward pass. (128 tokens: a micro-batch of eight sequences.)")
}
