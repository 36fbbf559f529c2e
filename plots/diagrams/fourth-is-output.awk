# fourth-is-output.awk - the fourth matrix of the question, and where attention has it.

function line_of(y, name, third, fourth) {
    words(14, y, name, "start bold")
    box(230, y, 176, 40, "off", "softmax(s q k')")
    words(334, y, "×", "20")
    box(382, y, 60, 40, "off", third)
    words(436, y, "×", "20")
    box(494, y, 70, 40, "ov", fourth)
}
BEGIN {
    canvas(640, 180)
    line_of(38, "asked for", "V", "W'")
    line_of(138, "attention", "v", "W^O")
    line(489, 64, 489, 112)
    line(499, 64, 499, 112)
    tick(536, 88)
    note(556, 88, "the same", "start good")
}
