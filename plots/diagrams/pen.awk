# pen.awk - boxes, arrows and small matrices for the diagrams of the book. A script
# in plots/diagrams calls canvas first, then draws in pixels from the top left:
#
#     BEGIN {
#         canvas(640, 120)
#         box(100, 40, 70, 36, "qk", "W^Q", "3 x 2")
#         arrow(20, 40, 64, 40)
#     }
#
#     awk -f plots/diagrams/pen.awk -f NAME.awk >NAME.svg      make diagrams draws all
#
# The QK pair and its product M are blue ("qk"), the OV pair and its product N are
# orange ("ov"), in every diagram; what is not linear is violet ("bend"), what a
# diagram is not about is grey ("off"), tokens and results are white ("no"). Where Q, K
# and V are not the matter, green ("lit") is what to look at.

function canvas(width, height) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"d\" width=\"%d\" " \
        "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" " \
        "font-size=\"15\" text-anchor=\"middle\" xml:space=\"preserve\">\n" \
        "<style>.d .o{stroke:#505050;stroke-width:1.2}.d .a{stroke:#505050;stroke-width:1.4;fill:none}.d .g{" \
        "stroke:#505050;stroke-width:.5;fill:none}.d .qk{fill:#9AD0F0}.d .ov{" \
        "fill:#F3C767}.d .bend{fill:#E4C1E4}.d .off{fill:#EDEDED}.d .lit{" \
        "fill:#BFE3D0}.d .no{fill:#FFF}.d .clear{fill:none}.d .dash{stroke-dasharray:5 4}.d .s{font-size:13px;" \
        "fill:#404040}.d .bold{font-weight:bold}.d .bad{fill:#C02020}.d .good{" \
        "fill:#0A7040}.d .line{fill:none;stroke-width:2.5}</style>\n<defs>" \
        "<marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" " \
        "markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" " \
        "orient=\"auto\"><path d=\"M0,1 10,5 0,9z\" fill=\"#505050\"/></marker>" \
        "</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
        width, height, width, height, width, height
}
END { print "</svg>" }

# Words. ^ raises and _ lowers what follows, one character or what is in {}: W_i^Q. A \
# makes the character after it an ordinary one.
function escaped(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/>/, "\\&gt;", s)
    return s
}
function run(s, size, dx, dy) {
    if (s == "" || (!dx && !dy && !size))
        return s
    s = ">" s "</tspan>"
    if (dy)
        s = sprintf(" dy=\"%.3g\"", dy) s
    if (dx)
        s = sprintf(" dx=\"%.3g\"", dx) s
    if (size)
        s = sprintf(" font-size=\"%.3g\"", size) s
    return "<tspan" s
}
function markup(s, size,    i, c, part, plain, out, at, want, lowered) {
    s = escaped(s)
    at = 0 # how far below its line the last word was
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\\")
            plain = plain substr(s, ++i, 1)
        else if (c != "^" && c != "_")
            plain = plain c
        if (c != "^" && c != "_") {
            if (i < length(s))
                continue
        }
        if (plain != "") {
            out = out run(plain, 0, at < 0 && plain ~ /^'/ ? 0.1 * size : 0, -at)
            at = lowered = 0
            plain = ""
        }
        if (c != "^" && c != "_")
            break
        part = substr(s, ++i, 1)
        if (part == "{") {
            part = substr(s, i + 1)
            part = substr(part, 1, index(part, "}") - 1)
            i += length(part) + 1
        }
        want = (c == "^" ? -0.4 : 0.26) * size
        out = out run(part, 0.74 * size, c == "^" && lowered ? \
            -lowered * size : 0, want - at)
        lowered = c != "_" ? 0 : part ~ /^[ijl]$/ ? 0.24 : \
            length(part) > 2 ? 0.0001 : 0.38 * length(part)
        at = want
    }
    return out
}
# At (x, y), the words' middle; `how` is of the classes above, "start" and "end".
function words(x, y, s, how,    size, usual, more, i, n, part, class) {
    if (s == "")
        return
    size = usual = 15
    n = split(how, part, " ")
    for (i = 1; i <= n; i++) {
        if (part[i] == "start" || part[i] == "end")
            more = " text-anchor=\"" part[i] "\"" more
        else if (part[i] ~ /^[0-9]/)
            size = part[i]
        else
            class = class (class ? " " : "") part[i]
        if (part[i] == "s")
            size = usual = 13
    }
    if (class)
        more = more " class=\"" class "\""
    if (size != usual)
        more = more " font-size=\"" size "\""
    printf "<text x=\"%g\" y=\"%g\"%s>%s</text>\n", x, y + 0.35 * size, more,
        markup(s, size)
}
function note(x, y, s, how) { words(x, y, s, "s " how) }

# A box around (x, y) with its name, and below it its shape.
function block(x, y, w, h, colour, round) {
    printf "<rect class=\"o %s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"%s/>\n",
        colour, x - w / 2, y - h / 2, w, h, round ? " rx=\"" round "\"" : ""
}
function box(x, y, w, h, colour, name, shape) {
    block(x, y, w, h, colour, 3)
    words(x, y, name)
    if (shape != "")
        note(x, y + h / 2 + 11, shape)
}
# A box that is both: its left half QK, its right half OV.
function halves(x, y, w, h, name, shape) {
    block(x - w / 4, y, w / 2, h, "qk")
    block(x + w / 4, y, w / 2, h, "ov")
    words(x, y, name)
    if (shape != "")
        note(x, y + h / 2 + 11, shape)
}
# Lines: from point to point of "x,y x,y ..."; an arrow, a line, a path with corners.
function path(points, how) {
    printf "<polyline class=\"a%s\" points=\"%s\"%s/>\n", how ~ /dash/ ? " dash" : "",
        points, how ~ /blunt/ ? "" : " marker-end=\"url(#head)\""
}
function arrow(x, y, to, top, how) { path(x "," y " " to "," top, how) }
function line(x, y, to, top, how) { path(x "," y " " to "," top, how " blunt") }
function wide_arrow(x, y, to) {
    printf "<path fill=\"#505050\" d=\"M%g,%gH%gv-6l14,10 -14,10v-6H%gz\"/>\n",
        x, y - 4, to - 14, x
}
# A curve through "x,y x,y ..." in a colour; a bar from (x, y) upwards or to the right.
function curve(points, colour, dash) {
    printf "<polyline class=\"line\" stroke=\"%s\"%s points=\"%s\"/>\n", colour,
        dash ? " stroke-dasharray=\"" dash "\"" : "", points
}
function bar(x, y, w, h, colour) { block(x + w / 2, y + h / 2, w, h, colour) }
# A square for a share of 0 to 1, in the colours of plots/attention.gp.
function shade(x, y, w, v,    dark) {
    dark = v > 0.5 ? 2 * v - 1 : 0
    v = v > 0.5 ? 1 : 2 * v
    printf "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%02X%02X%02X\"/>\n",
        x, y, w, w, 255 - v * 169 - dark * 86, 255 - v * 75 - dark * 140,
        255 - v * 22 - dark * 143
}
function dot(x, y, r, fill) {
    printf "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%s\"/>\n", x, y, r, fill
}
# Refused: a cross; the same: a tick.
function cross(x, y, r) {
    r = r ? r : 9
    printf "<path d=\"M%g,%gl%g,%gm0,-%gl-%g,%g\" stroke=\"#C02020\" " \
        "stroke-width=\"3.5\" fill=\"none\"/>\n", x - r, y - r, 2 * r, 2 * r, 2 * r, 2 * r, 2 * r
}
function tick(x, y) {
    printf "<path d=\"M%g,%gl6,7 11,-15\" stroke=\"#0A7040\" stroke-width=\"3.5\" " \
        "fill=\"none\"/>\n", x - 9, y + 1
}

# Matrices: set(A, "1 0 1 / 0 2 1") is (2 x 3). cells draws one with its upper left
# corner at (x, y), each entry in a square of `side`; grid draws one without entries.
function set(A, s,    row, cell, i, j) {
    A["r"] = split(s, row, "/")
    for (i = 1; i <= A["r"]; i++) {
        A["c"] = split(row[i], cell, " ")
        for (j = 1; j <= A["c"]; j++)
            A[i, j] = cell[j] + 0
    }
}
function product(P, A, B,    i, j, k) {
    if (A["c"] != B["r"]) {
        print "pen.awk: these matrices do not fit" >"/dev/stderr"
        exit 1
    }
    P["r"] = A["r"]
    P["c"] = B["c"]
    for (i = 1; i <= P["r"]; i++)
        for (j = 1; j <= P["c"]; j++) {
            P[i, j] = 0
            for (k = 1; k <= A["c"]; k++)
                P[i, j] += A[i, k] * B[k, j]
        }
}
function transpose(T, A,    i, j) {
    T["r"] = A["c"]
    T["c"] = A["r"]
    for (i = 1; i <= T["r"]; i++)
        for (j = 1; j <= T["c"]; j++)
            T[i, j] = A[j, i]
}
function product_t(P, A, B,    T) {
    transpose(T, B)
    product(P, A, T)
}
function softmax(P, A,    i, j, sum) {
    P["r"] = A["r"]
    P["c"] = A["c"]
    for (i = 1; i <= A["r"]; i++) {
        sum = 0
        for (j = 1; j <= A["c"]; j++)
            sum += exp(A[i, j])
        for (j = 1; j <= A["c"]; j++)
            P[i, j] = exp(A[i, j]) / sum
    }
}
function same(A, B,    i, j) {
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= A["c"]; j++)
            if (A[i, j] != B[i, j])
                return 0
    return A["r"] == B["r"] && A["c"] == B["c"]
}
function near(A, B,    i, j) { # to rounding
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= A["c"]; j++)
            if ((A[i, j] - B[i, j]) ^ 2 > 1e-18)
                return 0
    return A["r"] == B["r"] && A["c"] == B["c"]
}
function row_of(R, A, i,    j) {
    R["r"] = 1
    R["c"] = A["c"]
    for (j = 1; j <= A["c"]; j++)
        R[1, j] = A[i, j]
}
function shown(v, form,    s) {
    s = sprintf(form ? form : "%.4g", v)
    if (s ~ /^-?0?\.?0*$/)
        s = "0"
    sub(/^0\./, ".", s)
    sub(/^-0\./, "-.", s)
    sub(/^-/, "−", s)
    return s
}
function grid(x, y, r, c, side, colour,    i, d) {
    block(x + c * side / 2, y + r * side / 2, c * side, r * side, colour)
    for (i = 1; i < r; i++)
        d = d sprintf("M%g,%gh%g", x, y + i * side, c * side)
    for (i = 1; i < c; i++)
        d = d sprintf("M%g,%gv%g", x + i * side, y, r * side)
    if (d)
        printf "<path class=\"g\" d=\"%s\"/>\n", d
}
# The colour of a value between -2 and 2, and beyond: orange above 0, blue below.
function tint(v,    s) {
    s = (v < 0 ? -v : v) / 2
    s = 0.75 * (s > 1 ? 1 : s)
    return v < 0 ? sprintf("#%02X%02X%02X", 255 - 255 * s, 255 - 141 * s, 255 - 77 * s) : \
        sprintf("#%02X%02X%02X", 255 - 38 * s, 255 - 140 * s, 255 - 242 * s)
}
function heat(x, y, A,    i, j, w) {
    w = side ? side : 28
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= A["c"]; j++)
            printf "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                x + (j - 1) * w, y + (i - 1) * w, w, w, tint(A[i, j])
    grid(x, y, A["r"], A["c"], w, "clear")
}
function cells(x, y, A, colour, form,    i, j, w) {
    w = side ? side : 28
    grid(x, y, A["r"], A["c"], w, colour)
    for (i = 1; i <= A["r"]; i++)
        for (j = 1; j <= A["c"]; j++)
            note(x + (j - 0.5) * w, y + (i - 0.5) * w, shown(A[i, j], form))
}
# Row i of them in another colour, over what cells drew.
function cells_row(x, y, A, i, colour, form,    R) {
    row_of(R, A, i)
    cells(x, y + (i - 1) * (side ? side : 28), R, colour, form)
}
# The same with its name above, in the middle.
function named(x, y, name, A, colour, form) {
    words(x + A["c"] * (side ? side : 28) / 2, y - 14, name)
    cells(x, y, A, colour, form)
}

# The two tokens of the book, d_model = 3, and one head of width 2, in whole numbers;
# its scale is 1.
function two_tokens(    XN) {
    set(X, "1 0 1 / 0 2 1")
    set(WQ, "1 0 / 0 1 / 1 0")
    set(WK, "0 1 / 1 0 / 1 1")
    set(WV, "1 0 / 0 1 / 1 1")
    set(WO, "1 0 1 / 0 2 0")
    product(Q, X, WQ)
    product(K, X, WK)
    product(V, X, WV)
    product_t(S, Q, K)
    softmax(P, S)
    product(HEAD, P, V)
    product(OUT, HEAD, WO)
    product_t(M, WQ, WK)
    product(N, WV, WO)
}
function inverse(B, A,    det) { # (2 x 2)
    det = A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1]
    B["r"] = B["c"] = 2
    B[1, 1] = A[2, 2] / det
    B[2, 2] = A[1, 1] / det
    B[1, 2] = -A[1, 2] / det
    B[2, 1] = -A[2, 1] / det
}

# One head, from its tokens to its output, `top` pixels down: with the shapes of all, 320
# pixels high; without, 230.
function flow(shapes, top,    a, b, c) {
    a = top + 36
    b = a + (shapes ? 96 : 66)
    c = b + (shapes ? 110 : 76)
    box(46, a, 44, 36, "no", "x", shapes ? "n × d_{model}" : "")
    box(46, (b + c) / 2, 44, 36, "no", "y", shapes ? "m × d_{model}" : "")
    box(150, a, 62, 38, "qk", "W^Q", shapes ? "d_{model} × d_k" : "")
    box(150, b, 62, 38, "qk", "W^K", shapes ? "d_{model} × d_k" : "")
    box(150, c, 62, 38, "ov", "W^V", shapes ? "d_{model} × d_v" : "")
    arrow(70, a, 116, a)
    arrow(70, (b + c) / 2 - 8, 116, b + 6)
    arrow(70, (b + c) / 2 + 8, 116, c - 6)
    box(236, a, 36, 32, "qk", "q", shapes ? "n × d_k" : "")
    box(236, b, 36, 32, "qk", "k", shapes ? "m × d_k" : "")
    box(236, c, 36, 32, "ov", "v", shapes ? "m × d_v" : "")
    arrow(183, a, 215, a)
    arrow(183, b, 215, b)
    arrow(183, c, 215, c)
    box(340, (a + b) / 2, 84, 38, "no", "s q k'", shapes ? "scores, n × m" : "")
    arrow(256, a + 4, 298, (a + b) / 2 - 8)
    arrow(256, b - 4, 298, (a + b) / 2 + 8)
    box(474, (a + b) / 2, 84, 38, "bend", "softmax",
        shapes ? "weights, n × m" : "")
    arrow(384, (a + b) / 2, 428, (a + b) / 2)
    box(474, c, 92, 38, "ov", "weights v", shapes ? "n × d_v" : "")
    arrow(256, c, 424, c)
    arrow(474, (a + b) / 2 + (shapes ? 40 : 21), 474, c - 22)
    box(590, c, 62, 38, "ov", "W^O", shapes ? "d_v × d_{model}" : "")
    arrow(522, c, 555, c)
    box(590, b - (shapes ? 24 : 33), 64, 36, "no", "output", shapes ? "n × d_{model}" : "")
    arrow(590, c - 21, 590, b + (shapes ? 18 : -13))
}
