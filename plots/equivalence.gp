# equivalence.gp - a square: each trained variant, written as each other one.
#
# data:  from, to, row, column, largest relative difference of logits, kind
#        (2 the same function, 1 the nearest there is, 0 none)
# $names: the variants, in rows from the top and in columns

number = |$names|
longest = 0
do for [i=1:number] {
    if (strlen(plain($names[i])) > longest) { longest = strlen(plain($names[i])) }
}
of_kind(k_, col) = int(column(6)) == k_ ? column(col) : NaN
shown(x_) = x_ >= 0.1 ? sprintf("%.1f", x_) : x_ == 0 ? "0" : sprintf("%.0e", x_)
if (dumb) { set title title } else {
    set label 1 title at screen 0.5,(1 - 22. / height) center
}
set xrange [0.5:number + 0.5]
set yrange [number + 0.5:0.5]
set xtics ()
set ytics ()
do for [i=1:number] {
    set xtics add (format(said($names[i])) i)
    set ytics add (format(said($names[i])) i)
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
array colour[3] = ["#8FD1BC", "#F4CE85", "#E4E4E4"]
array kind[3] = ["the same function", "the nearest there is", "none"]
array begins[3] = [-240., -65., 125.]
set style fill solid noborder
if (dumb) { set key outside bottom center horizontal } else {
    unset key
    do for [i=1:3] {
        x = 0.5 + begins[i] / width
        y = 16. / height
        set object i rectangle center screen x,y size screen 14. / width,14. / height \
            fillcolor rgb colour[i] fillstyle solid noborder
        set label 1 + i kind[i] at screen x + 14. / width,y left
    }
}
plot for [k=2:0:-1] data skip 1 using (of_kind(k, 4)):3:(0.46):(0.42) \
        with boxxyerror linecolor rgb colour[3 - k] title kind[3 - k], \
    '' skip 1 using (int(column(6)) ? column(4) : NaN):3:\
        (shown(column(5))) with labels notitle
