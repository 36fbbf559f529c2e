# pen.gp - boxes, arrows and small matrices for the diagrams of the book: a
# script in plots/diagrams loads it and calls canvas first, then draws in pixels,
# from the bottom left:
#
#     load "plots/diagrams/pen.gp"
#     eval canvas(760, 300)
#     eval box(100, 60, 70, 34, qk, "W^Q")
#     eval arrow(100, 20, 100, 43)
#     plot NaN
#
# The QK pair and its product M are blue, the OV pair and its product N orange, in
# every diagram; what is not linear is yellow, what a diagram is not about is grey.

set margins 0, 0, 0, 0
unset border
unset tics
unset key

qk = "#9AD0F0"
ov = "#F3C767"
bend = "#FFF3A8"
grey = "#EDEDED"
white = "#FFFFFF"
ink = "#404040"
n = 0

canvas(width, height) = sprintf("set terminal svg size %d,%d font 'sans-serif,14' \
    enhanced background rgb 'white'; set xrange [0:%d]; set yrange [0:%d]", \
    width, height, width, height)

# Words around (x, y), or to the right of it; small ones for shapes and notes.
text(x, y, words) = sprintf("set label \"%s\" at %g,%g center front", words, x, y)
left(x, y, words) = sprintf("set label \"%s\" at %g,%g left front", words, x, y)
note(x, y, words) = sprintf("set label \"%s\" at %g,%g center front \
    font 'sans-serif,12' textcolor rgb '%s'", words, x, y, ink)
aside(x, y, words) = sprintf("set label \"%s\" at %g,%g left front \
    font 'sans-serif,12' textcolor rgb '%s'", words, x, y, ink)

# A box around (x, y) with its name; arrows and lines from one point to another.
plain(x, y, w, h, colour) = sprintf("n = n + 1; set object n rectangle \
    center %g,%g size %g,%g fillcolor rgb '%s' fillstyle solid 1 \
    border linecolor rgb '#505050' linewidth 1.2", x, y, w, h, colour)
box(x, y, w, h, colour, name) = plain(x, y, w, h, colour)."; ".text(x, y, name)
stroke(x, y, to, top, width) = sprintf("set arrow from %g,%g to %g,%g front \
    linewidth %g linecolor rgb '#505050' ", x, y, to, top, width)
arrow(x, y, to, top) = stroke(x, y, to, top, 1.3)."size 7,20 filled"
line(x, y, to, top) = stroke(x, y, to, top, 1.3)."nohead"
thick(x, y, to, top) = stroke(x, y, to, top, 4)."size 14,25 filled"
cross(x, y) = sprintf("set label \"×\" at %g,%g center front \
    font 'sans-serif,30' textcolor rgb '#D00000'", x, y)

# A matrix is a string of its entries, row by row: "1 0 1 0 2 1" is (2 x 3) or
# (3 x 2). `cells` draws it with its upper left corner at (x, y), each entry in a
# square of `side`; `product` is A B, A (r x m), B (m x c).
side = 30.
cell(x, y, colour, words) = plain(x, y, side, side, colour)."; ". \
    sprintf("set label '%s' at %g,%g center front font 'sans-serif,12'", words, x, y)
cells_(x, y, r, c, colour, m, k) = k == r * c ? "" : \
    cell(x + (k % c + 0.5) * side, y - (k / c + 0.5) * side, colour, word(m, k + 1))."; ". \
    cells_(x, y, r, c, colour, m, k + 1)
cells(x, y, r, c, colour, m) = cells_(x, y, r, c, colour, m, 0)
dot(a, b, m, c, i, j) = \
    (sum [k = 1 : m] word(a, i * m + k) * word(b, (k - 1) * c + j + 1))
product_(a, b, r, m, c, k) = k == r * c ? "" : \
    sprintf("%.4g ", dot(a, b, m, c, k / c, k % c)).product_(a, b, r, m, c, k + 1)
product(a, b, r, m, c) = product_(a, b, r, m, c, 0)
transpose_(a, r, c, k) = k == r * c ? "" : \
    word(a, k % r * c + k / r + 1)." ".transpose_(a, r, c, k + 1)
transposed(a, r, c) = transpose_(a, r, c, 0)

# The two tokens of the book, d_model = 3, and one head of width 2, in whole
# numbers; its scale is 1.
x = "1 0 1  0 2 1"
w_q = "1 0  0 1  1 0"
w_k = "0 1  1 0  1 1"
w_v = "1 0  0 1  1 1"
w_o = "1 0 1  0 2 0"
q = product(x, w_q, 2, 3, 2)
k = product(x, w_k, 2, 3, 2)
v = product(x, w_v, 2, 3, 2)
scores = product(q, transposed(k, 2, 2), 2, 2, 2)
m = product(w_q, transposed(w_k, 3, 2), 3, 2, 3)
n_product = product(w_v, w_o, 3, 2, 3)
share(i, j) = 1 / (1 + exp(word(scores, 2 * i + 2 - j) - word(scores, 2 * i + 1 + j)))
weights = sprintf("%.2f %.2f %.2f %.2f", share(0, 0), share(0, 1), share(1, 0), share(1, 1))
shares = sprintf("%.6f %.6f %.6f %.6f", share(0, 0), share(0, 1), share(1, 0), share(1, 1))
rounded_(a, k) = k > words(a) ? "" : sprintf("%.1f ", real(word(a, k))).rounded_(a, k + 1)
rounded(a) = rounded_(a, 1)
head = product(shares, v, 2, 2, 2)
out = product(head, w_o, 2, 2, 3)
