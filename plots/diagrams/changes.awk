# changes.awk - where the variants of lesson 14 change a head.

function pin(x, y, n) {
    printf "<circle cx=\"%g\" cy=\"%g\" r=\"12\" fill=\"#404040\"/>\n<text x=\"%g\" y=\"%g\" fill=\"#fff\" " \
        "font-size=\"14\">%d</text>\n", x, y, x, y + 5, n
}
function legend(x, y, n, words_) {
    pin(x, y, n)
    words(x + 20, y, words_, "start 14")
}
BEGIN {
    canvas(640, 322)
    flow(0, 8)
    pin(198, 26, 1)
    pin(236, 138, 2)
    pin(254, 168, 2)
    pin(340, 50, 3)
    pin(474, 50, 4)
    pin(412, 60, 5)
    pin(546, 166, 6)
    line(16, 216, 624, 216, "dash")
    legend(30, 238, 1, "before q: nonlinear query")
    legend(30, 266, 2, "at k and v: kv-shift, value residual")
    legend(30, 294, 3, "scores: talking heads, ALiBi")
    legend(356, 238, 4, "softmax: sink, differential")
    legend(356, 266, 5, "no softmax: linear attention")
    legend(356, 294, 6, "before W^O: gate")
}
