# one-head-merged.gp - the same two tokens through the two products, M and N.

load "plots/diagrams/pen.gp"
eval canvas(760, 400)

eval text(65, 380, "x")
eval cells(20, 366, 2, 3, white, x)
eval arrow(116, 336, 168, 336)
eval line(134, 336, 134, 118)
eval arrow(134, 118, 168, 118)

eval text(223, 380, "M = W^Q W^K '")
eval cells(178, 366, 3, 3, qk, m)
eval text(223, 176, "N = W^V W^O")
eval cells(178, 162, 3, 3, ov, n_product)

eval arrow(278, 322, 400, 322)
eval text(450, 366, "scores = x M x'")
eval cells(420, 352, 2, 2, grey, scores)
eval arrow(488, 322, 546, 322)
eval note(517, 333, "softmax")
eval text(592, 366, "weights")
eval cells(562, 352, 2, 2, bend, weights)

eval arrow(278, 126, 400, 126)
eval text(455, 176, "x N")
eval cells(410, 162, 2, 3, ov, product(x, n_product, 2, 3, 3))
eval line(592, 284, 592, 218)
eval line(592, 218, 680, 218)
eval arrow(680, 218, 680, 192)
eval arrow(506, 132, 620, 132)
eval text(675, 80, "the same output")
eval cells(630, 162, 2, 3, white, rounded(product(shares, product(x, n_product, 2, 3, 3), 2, 2, 3)))

eval note(380, 26, "M and N are (3 x 3), but each has rank 2, the width of its pair.")
plot NaN
