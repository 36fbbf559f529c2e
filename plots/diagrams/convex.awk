# convex.awk - a head's result lies between the values, whatever the scores.

function px(u) { return 70 + 90 * u }
function py(u) { return 290 - 80 * u }
BEGIN {
    canvas(640, 330)
    two_tokens()
    line(px(0), py(0), px(3), py(0))
    line(px(0), py(0), px(0), py(3.4))
    for (i = 1; i <= 3; i++) {
        note(px(i) - (i == 3 ? 4 : 0), py(0) + 14, i)
        note(px(0) - 12, py(i), i)
    }
    printf "<path d=\"M%g,%gL%g,%g\" stroke=\"#F3C767\" stroke-width=\"9\"/>\n", px(V[1, 1]),
        py(V[1, 2]), px(V[2, 1]), py(V[2, 2])
    for (i = 1; i <= 2; i++) {
        dot(px(V[i, 1]), py(V[i, 2]), 7, "#505050")
        words(px(V[i, 1]) + (i == 2 ? 16 : -16), py(V[i, 2]) + (i == 2 ? -14 : 24),
            sprintf("v_%d = (%d, %d)", i, V[i, 1], V[i, 2]), "start")
    }
    for (i = 1; i <= 2; i++) {
        printf "<circle cx=\"%g\" cy=\"%g\" r=\"7\" class=\"o bend\"/>\n", px(HEAD[i, 1]), py(HEAD[i, 2])
        words(352, 70 + 74 * i, sprintf("%s:  %s v_1 + %s v_2", i == 1 ? "the" : "cat", shown(P[i, 1], "%.2f"), shown(P[i, 2], "%.2f")), "start")
        note(352, 94 + 74 * i, sprintf("= (%.2f, %.2f)", HEAD[i, 1], HEAD[i, 2]), "start")
        path(sprintf("346,%g %g,%g", 70 + 74 * i, px(HEAD[i, 1]) + 12, py(HEAD[i, 2]) + (i == 1 ? 6 : 1)), "dash")
    }
    words(352, 40, "Weights are positive and sum to 1,", "start")
    words(352, 60, "so every mix is on the orange line.", "start")
    words(352, 286, "No mix lies outside it.", "start")
}
