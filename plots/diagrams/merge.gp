# merge.gp - four matrices are stored, two products are used.
#
#     gnuplot plots/diagrams/merge.gp >merge.svg         make diagrams draws them all
#
# Left: one head of standard attention as it is written. Right: the same function
# with each pair of matrices multiplied out. The QK pair and its product M are blue,
# the OV pair and its product N orange, in every diagram of the book.

set terminal svg size 900,420 font "sans-serif,14" enhanced background rgb "white"
set margins 0, 0, 0, 0
unset border
unset tics
unset key
set xrange [0:90]
set yrange [1:43]

qk = "#9AD0F0"
ov = "#F3C767"
grey = "#EDEDED"
n = 0

# A box around (x, y), with its shape on the right below; and an arrow.
box(x, y, w, colour, name, shape) = sprintf( \
    "n = n + 1; set object n rectangle center %g,%g size %g,4.6 fillcolor rgb '%s' \
    fillstyle solid 1 border linecolor rgb '#505050' linewidth 1.2; \
    set label \"%s\" at %g,%g center front; \
    set label \"%s\" at %g,%g left front font 'sans,11' textcolor rgb '#505050'", \
    x, y, w, colour, name, x, y, shape, x + w / 2. + 0.5, y - 1.4)
text(x, y, words) = sprintf("set label \"%s\" at %g,%g center", words, x, y)
line(x, y, to, top) = sprintf("set arrow from %g,%g to %g,%g linewidth 1.3 \
    linecolor rgb '#505050' size 0.8,20 filled", x, y, to, top)

eval text(22, 41, "stored: four matrices, 1024 parameters")
eval text(7, 3, "x (queries)")
eval text(27, 3, "y (keys, values)")
eval box(7, 11, 7, qk, "W^Q", "32 x 8")
eval box(21, 11, 7, qk, "W^K", "32 x 8")
eval box(35, 11, 7, ov, "W^V", "32 x 8")
eval box(14, 21, 17, grey, "softmax(s q k')", "")
eval box(35, 21, 9, grey, "times v", "")
eval box(35, 30, 7, ov, "W^O", "8 x 32")
eval text(35, 37.5, "output")
eval line(7, 4.3, 7, 8.5)
eval line(25, 4.3, 22, 8.5)
eval line(29, 4.3, 34, 8.5)
eval line(7, 13.5, 12, 18.5)
eval line(21, 13.5, 16, 18.5)
eval line(35, 13.5, 35, 18.5)
eval line(22.7, 21, 30.3, 21)
eval line(35, 23.5, 35, 27.5)
eval line(35, 32.5, 35, 36)

set arrow from 46.5,21 to 52,21 linewidth 5 linecolor rgb "#505050" size 1.6,30 filled
eval text(49, 24, "multiply")

eval text(71, 41, "used: two products, 896 really there")
eval text(57, 3, "x (queries)")
eval text(74, 3, "y (keys, values)")
eval box(62, 11, 15, qk, "M = W^Q W^{K}'", "")
eval box(82, 11, 14, ov, "N = W^V W^O", "")
set label "32 x 32, rank 8" at 62.8,16 left font "sans,11" textcolor rgb "#505050"
set label "32 x 32, rank 8" at 81.2,16 right font "sans,11" textcolor rgb "#505050"
eval box(62, 21, 17, grey, "softmax(s x M y')", "")
eval box(82, 21, 11, grey, "times y N", "")
eval text(82, 37.5, "the same output")
eval line(58, 4.3, 60, 8.5)
eval line(72, 4.3, 65, 8.5)
eval line(76, 4.3, 79, 8.5)
eval line(62, 13.5, 62, 18.5)
eval line(82, 13.5, 82, 18.5)
eval line(70.7, 21, 76.3, 21)
eval line(82, 23.5, 82, 36)

plot NaN
