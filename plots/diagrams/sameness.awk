# sameness.awk - an interval against a margin: better, worse, the same, undecided.

function px(u) { return 330 + 120 * u }
function interval(y, name, what, low, high, how) {
    words(16, y - 8, name, "start bold " how)
    note(16, y + 12, what, "start")
    printf "<path d=\"M%g,%gH%gM%g,%gv16M%g,%gv16\" stroke=\"#404040\" stroke-width=\"3\" fill=\"none\"/>\n",
        px(low), y, px(high), px(low), y - 8, px(high), y - 8
    dot(px((low + high) / 2), y, 6, "#404040")
}
BEGIN {
    canvas(640, 426)
    words(px(0) + 40, 20, "difference from the baseline, with its 95% interval")
    printf "<rect x=\"%g\" y=\"44\" width=\"%g\" height=\"326\" fill=\"#CFE8DC\"/>\n", px(-1), px(1) - px(-1)
    line(px(0), 44, px(0), 370)
    line(px(-1), 44, px(-1), 370, "dash")
    line(px(1), 44, px(1), 370, "dash")
    note(px(0), 384, "0")
    note(px(-1), 384, "−margin")
    note(px(1), 384, "+margin")
    interval(80, "better", "all above 0", 0.5, 2.2, "good")
    interval(144, "worse", "all below 0", -1.3, -0.4, "bad")
    interval(208, "the same", "inside the margin", -0.5, 0.4, "")
    interval(272, "also the same", "excludes 0, but inside", 0.2, 0.8, "")
    interval(336, "undecided", "includes 0, too wide", -0.7, 1.9, "")
    note(320, 412, "“No difference found” is not “the same”: for that, the 90% interval must fit inside the margin.")
}
