# keys-circle.awk - eight keys on a circle: rank 2 finds any one of them, not any set.

function cx(i) { return 150 + 96 * cos(6.283185307 * (i - 1) / 8) }
function cy(i) { return 150 - 96 * sin(6.283185307 * (i - 1) / 8) }
BEGIN {
    canvas(640, 334)
    printf "<circle cx=\"150\" cy=\"150\" r=\"96\" class=\"g\"/>\n"
    want = 3
    for (i = 1; i <= 8; i++) {
        score[i] = cos(6.283185307 * (i - want) / 8)
        printf "<circle cx=\"%g\" cy=\"%g\" r=\"12\" class=\"o %s\"/>\n", cx(i), cy(i), (i == want ? "qk" : "off")
        note(cx(i), cy(i), i)
    }
    printf "<path d=\"M150,150L%g,%g\" stroke=\"#0072B2\" stroke-width=\"3\" marker-end=\"url(#head)\"/>\n",
        150 + 0.78 * (cx(want) - 150), 150 + 0.78 * (cy(want) - 150)
    words(166, 118, "query", "start")
    words(150, 22, "keys of width 2", "bold")
    words(470, 22, "scores of that query", "bold")
    line(326, 150, 620, 150)
    for (i = 1; i <= 8; i++) {
        x = 336 + (i - 1) * 35
        high = 84 * score[i]
        if (high ^ 2 > 1e-9)
            bar(x, high > 0 ? 150 - high : 150, 24, high > 0 ? high : -high, i == want ? "qk" : "off")
        note(x + 12, 252, i)
    }
    words(470, 276, "key")
    note(320, 300, "The key that the query points at has the highest score; its neighbours come next.")
    note(320, 318, "No query finds keys 1 and 5 together and no others: that takes a higher rank.")
}
