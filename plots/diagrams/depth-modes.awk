# depth-modes.awk - a product of two matrices learns its strong modes sooner: the closed
# solutions of Saxe et al. 2013, for modes of strength 4, 2, 1 and 1/2.

function px(at, t) { return at + 250 * t / 10 }
function py(u) { return 230 - 170 * u }
function frame(at, title) {
    words(at + 125, 20, title, "bold")
    line(at, py(0), at + 256, py(0))
    line(at, py(0), at, py(1.08))
    note(at + 125, py(0) + 20, "time")
    note(at - 8, py(1), "all", "end")
    note(at - 8, py(0), "0", "end")
}
BEGIN {
    canvas(640, 306)
    n = split("4 2 1 0.5", s, " ")
    split("#101010 #606060 #909090 #B8B8B8", colour, " ")
    frame(50, "one matrix W")
    frame(370, "a product W = A B")
    start = 0.02
    for (i = 1; i <= n; i++) {
        one = two = ""
        half = 0
        for (t = 0; t <= 10.001; t += 0.125) {
            one = one sprintf("%.5g,%.5g ", px(50, t), py(1 - (1 - start / s[i]) * exp(-t)))
            e = exp(2 * s[i] * t)
            u = e / (e - 1 + s[i] / start)
            two = two sprintf("%.5g,%.5g ", px(370, t), py(u))
            if (!half && u >= 0.8)
                half = t
        }
        curve(one, colour[i])
        curve(two, colour[i])
        words(px(370, half) + 6, py(1.09), s[i], "bold 13")
    }
    words(120, py(0.6), "modes 4, 2, 1, 0.5:", "start 13")
    words(120, py(0.49), "all at once", "start 13")
    note(320, 280, "How much of each mode is learned. The step of a product grows with what it has already,")
    note(320, 298, "so strong modes come early and weak ones late; one matrix learns all at one rate.")
}
