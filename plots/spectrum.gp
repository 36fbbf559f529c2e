# spectrum.gp - singular values of s M_i (left) and N_i (right), a curve a head.
#
# data:  matrix (M or N), head (block.head), index, value
# heads: the heads             most: how many singular values there could be

count = words(heads)
legend = count > 1 && count <= 16 ? (1.3 * ceil(count / 8.) + 1.6) * type : 0
if (!exists("height")) { height = 270 + legend; eval terminal(height) }
left = 60. / width
right = 1 - 16. / width
gap = 50. / width
wide = (right - left - gap) / 2
at(matrix_, head_, col) = strcol(1) eq matrix_ && strcol(2) eq head_ ? \
    column(col) : NaN
set xrange [0.5:most + 0.5]
set xlabel "its place, from the largest" offset 0,0.6
set ylabel "singular value" offset 1.4,0
if (dumb) { set title title } else { set multiplot }
do for [p=1:dumb ? 1 : 2] {
    matrix = word("M N", p)
    if (!dumb) {
        set title (tex ? (p == 1 ? "$s M_i$" : "$N_i$") : p == 1 ? "s M_i" : "N_i").\
            (p == 1 ? ": the QK matrix" : ": the OV matrix") enhanced offset 0,-0.6
        set lmargin at screen left + (p - 1) * (wide + gap)
        set rmargin at screen left + (p - 1) * (wide + gap) + wide
        set tmargin at screen 1 - (56. + legend) / height
        set bmargin at screen 50. / height
        unset label
        if (p == 1) {
            set label 1 said(title) at screen 0.5,(1 - 14. / height) center \
                font title_font noenhanced
        }
    }
    unset key
    set yrange [*:*] # or what is beyond the other panel's is not counted
    stats data skip 1 using (strcol(1) eq matrix ? column(4) : NaN) nooutput
    set yrange [0:1.1 * largest(0)]
    if (p == 2) { unset ylabel }
    plot for [i=1:count] data skip 1 \
        using (at(matrix, word(heads, i), 3)):(at(matrix, word(heads, i), 4)) \
        with linespoints linetype 101 + (i - 1) % 60 notitle
}
if (!dumb && legend > 0) {
    unset label
    unset title
    unset xlabel
    unset border
    unset tics
    unset grid
    set yrange [0:1]
    set lmargin at screen 0
    set rmargin at screen 1
    set label 1 "block.head" at screen 0.5,(1 - 32. / height) center
    set key at screen 0.5,(1 - 40. / height) center top horizontal maxcols 8 \
        Left reverse samplen 2 spacing 1.2
    plot for [i=1:count] NaN with linespoints linetype 101 + (i - 1) % 60 \
        title word(heads, i)
}
if (!dumb) { unset multiplot }
