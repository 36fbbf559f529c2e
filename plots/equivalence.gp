# equivalence.gp - a square: each trained variant, written as each other one.
#
# data:  from, to, row, column, largest relative difference of logits, kind
#        (2 the same function, 1 the nearest there is, 0 none)
# names: the variants, in rows from the top and in columns

number = words(names)
longest = 0
do for [n in names] { if (strlen(n) > longest) { longest = strlen(n) } }
of_kind(k_, col) = int(column(6)) == k_ ? column(col) : NaN
shown(x_) = x_ >= 0.1 ? sprintf("%.1f", x_) : x_ == 0 ? "0" : \
    sprintf("1e%d", int(floor(log10(x_) + 0.5)))
set title title
set xrange [0.5:number + 0.5]
set yrange [number + 0.5:0.5]
set xtics ()
set ytics ()
do for [i=1:number] {
    set xtics add (written(word(names, i)) i)
    set ytics add (written(word(names, i)) i)
}
set xtics rotate by 35 right scale 0
set ytics scale 0
set grid noytics noxtics
set border 0
if (dumb) { set lmargin longest + 2 } else {
    set lmargin at screen (24. + 8 * longest) / width
    set rmargin at screen 1 - 30. / width
    set tmargin at screen 1 - 50. / height
    set bmargin at screen (66. + 5 * longest) / height
}
set style fill solid noborder
set key at screen 0.5,0.02 center bottom horizontal maxrows 1 samplen 1
plot data skip 1 using (of_kind(2, 4)):3:(0.46):(0.42) with boxxyerror \
        linecolor rgb "#8FD1BC" title "the same function", \
    '' skip 1 using (of_kind(1, 4)):3:(0.46):(0.42) with boxxyerror \
        linecolor rgb "#F4CE85" title "the nearest there is", \
    '' skip 1 using (of_kind(0, 4)):3:(0.46):(0.42) with boxxyerror \
        linecolor rgb "#E4E4E4" title "none", \
    '' skip 1 using (int(column(6)) ? column(4) : NaN):3:\
        (shown(column(5))) with labels notitle
