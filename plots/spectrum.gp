# spectrum.gp - singular values of s M_i (left) and N_i (right), a curve a head.
#
# data:  matrix (M or N), head (block.head), index, value
# heads: the heads             most: how many singular values there could be

left = 80. / width
right = 1 - 120. / width
gap = 70. / width
wide = (right - left - gap) / 2
at(matrix_, head_, col) = strcol(1) eq matrix_ && strcol(2) eq head_ ? \
    column(col) : NaN
set xrange [0.5:most + 0.5]
set yrange [0:*]
set xlabel "its place, from the largest"
set ylabel "singular value" offset 0.5,0
if (dumb) {
    set title title
} else {
    set multiplot title title font title_font offset 0,-0.3
}
do for [p=1:dumb ? 1 : 2] {
    matrix = word("M N", p)
    if (!dumb) {
        set title p == 1 ? "s M_i: what looks at what" : \
            "N_i: what is carried over" offset 0,-0.6
        set lmargin at screen left + (p - 1) * (wide + gap)
        set rmargin at screen left + (p - 1) * (wide + gap) + wide
        set tmargin at screen 1 - 62. / height
        set bmargin at screen 56. / height
    }
    if (p == 2 && words(heads) <= 16) {
        set key at screen 0.995,0.8 right top Left reverse samplen 2 \
            spacing 1.2 title "block.head"
    } else {
        unset key
    }
    plot for [i=1:words(heads)] data skip 1 \
        using (at(matrix, word(heads, i), 3)):(at(matrix, word(heads, i), 4)) \
        with linespoints linetype 20 + 1 + i % 16 pointtype 7 pointsize 0.4 \
        title word(heads, i)
}
if (!dumb) { unset multiplot }
