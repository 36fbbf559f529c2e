# dot-product.awk - what a dot product measures: how far a key reaches along a query.

function px(u) { return 60 + 56 * u }
function py(u) { return 192 - 56 * u }
function vector(a, b, colour) {
    printf "<path d=\"M%g,%gL%g,%g\" stroke=\"%s\" stroke-width=\"3\" marker-end=\"url(#head)\"/>\n",
        px(0), py(0), px(a), py(b), colour
}
function key(i,    y) {
    vector(K[i, 1], K[i, 2], "#56B4E9")
    line(px(K[i, 1]), py(K[i, 2]), px(K[i, 1]), py(0), "dash")
    words(px(K[i, 1]) - 20, py(K[i, 2]) - 16, sprintf("k_%d = (%d, %d), \"%s\"", i, K[i, 1], K[i, 2], i == 1 ? "the" : "cat"), "start")
    y = 48 + 70 * i
    words(356, y - 60, sprintf("q_1 · k_%d = %d × %d + %d × %d = %d", i, Q[1, 1], K[i, 1],
        Q[1, 2], K[i, 2], S[1, i]), "start")
    note(356, y - 37, sprintf("k_%d reaches %g along q_1, whose length is %g.", i, K[i, 1], Q[1, 1]), "start")
}
BEGIN {
    canvas(640, 276)
    two_tokens()
    if (Q[1, 2] != 0)
        exit 1
    line(px(0), py(0), px(4.4), py(0))
    for (i = 0; i <= 4; i++)
        note(px(i), py(0) + 14, i)
    vector(Q[1, 1], Q[1, 2], "#0072B2")
    words(px(1), py(0) + 40, sprintf("q_1 = (%d, %d), of \"the\"", Q[1, 1], Q[1, 2]))
    key(1)
    key(2)
    words(356, 194, "A score is large where a key is long", "start")
    words(356, 214, "in the direction of the query.", "start")
    note(320, 260, "A key at a right angle to the query has score 0, whatever its length.")
}
