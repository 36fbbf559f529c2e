# equivalence.gp - a square: each trained variant, written as each other one.
#
# data:  from, to, whether it is the same, largest relative difference of logits

variants = ""
stats data skip 1 using (variants = listed_(variants, strcol(2)), 0) nooutput
count = words(variants)
place_(s_, i) = i > count || word(variants, i) eq s_ ? i : place_(s_, i + 1)
row(n_) = place_(strcol(1), 1)
column_(n_) = place_(strcol(2), 1)
kind_(n_) = strcol(3) eq "exact" ? 2 : strcol(3) eq "nearest" ? 1 : 0
stats data skip 1 using (kind_(0) ? 1 : 0) nooutput
labelled = STATS_max # gnuplot 5.4 crashes at labels of nothing
longest = 0
do for [i=1:count] {
    if (strlen(word(variants, i)) > longest) { longest = strlen(word(variants, i)) }
}
if (!paper) { type = 14 }
em = 1. * type
left = (1 + 0.6 * longest) * em
cell = (width - left - 0.8 * em) / count
if (cell < 3.2 * em) { cell = 3.2 * em; width = left + 0.8 * em + count * cell }
top = (paper ? 0.4 : 2.4) * em
foot = (3.4 + 0.36 * longest) * em
if (!exists("height")) { height = top + foot + 2.2 * em * count }
eval terminal(height)
of_kind(k_) = kind_(0) == k_ ? column_(0) : NaN
# Where cells are narrow, the nearest power of ten.
shown(x_) = x_ >= 0.1 ? sprintf("%.1f", x_) : x_ == 0 ? "0" : \
    cell < 3.9 * em ? raised_("1", int(floor(log10(x_) + 0.5))) : \
    number(num(sprintf("%.0e", x_)), 0)
if (!paper) {
    set label 1 said(title) at screen 0.5,(1 - 1.1 * em / height) center noenhanced \
        font title_font
}
set xrange [0.5:count + 0.5]
set yrange [count + 0.5:0.5]
set xtics ()
set ytics ()
do for [i=1:count] {
    set xtics add (format(said(word(variants, i))) i)
    set ytics add (format(said(word(variants, i))) i)
}
set xtics rotate by 35 right scale 0
set ytics scale 0
set grid noytics noxtics
set border 0
set lmargin at screen left / width
set rmargin at screen 1 - 0.8 * em / width
set tmargin at screen 1 - top / height
set bmargin at screen foot / height
array colour[3] = ["#8FD1BC", "#F4CE85", "#E4E4E4"]
array kind[3] = ["the same function", "the nearest there is", "none"]
array begins[3] = [0, 11.6, 24.2] # in type, of 29 in all
set style fill solid noborder
unset key
do for [i=1:3] {
    x = 0.5 + (begins[i] - 14.5) * em / width
    y = 0.8 * em / height
    set object i rectangle center screen x + 0.5 * em / width,y \
        size screen em / width,em / height \
        fillcolor rgb colour[i] fillstyle solid noborder
    set label 1 + i kind[i] at screen x + 1.5 * em / width,y left
}
plot for [k=2:0:-1] data skip 1 using (of_kind(k)):(row(0)):(0.46):(0.42) \
        with boxxyerror linecolor rgb colour[3 - k] title kind[3 - k], \
    for [n=1:labelled] data skip 1 using (kind_(0) ? column_(0) : NaN):\
        (row(0)):(shown(column(4))) with labels enhanced notitle
