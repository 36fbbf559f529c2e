# form-star.awk - one form between all variants, instead of a conversion for each pair.

function ring(cx, cy, r, star,    i, j, a, b) {
    for (i = 0; i < 8; i++) {
        a = 6.283185307 * i / 8
        if (star)
            line(cx + 0.78 * r * cos(a), cy + 0.78 * r * sin(a), cx + 34 * cos(a), cy + 28 * sin(a))
        else
            for (j = i + 1; j < 8; j++) {
                b = 6.283185307 * j / 8
                line(cx + r * cos(a), cy + r * sin(a), cx + r * cos(b), cy + r * sin(b))
            }
    }
    for (i = 0; i < 8; i++) {
        a = 6.283185307 * i / 8
        printf "<circle cx=\"%g\" cy=\"%g\" r=\"17\" class=\"o off\"/>\n", cx + r * cos(a), cy + r * sin(a)
    }
}
BEGIN {
    canvas(640, 332)
    n = 8
    ring(150, 150, 104, 0)
    ring(480, 150, 104, 1)
    halves(480, 150, 84, 44, "M_i, N_i")
    words(150, 288, sprintf("each into each: %d conversions", n * (n - 1)))
    words(480, 288, sprintf("each from the form: %d", n))
    note(320, 318, "Probing finds the form of any variant; fit writes any form in a variant's matrices.")
}
