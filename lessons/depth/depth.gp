# depth.gp - how much of each mode is learned, a panel for each number of factors: `make
# depth` draws it. The means of five seeds; the larger the mode, the darker its line.
#
# data: what `depth` prints        name: the figure's name, without .svg

height = 300
title = 'A single matrix learns all modes at once, a product the strongest first'
load "plots/style.gp"

# Many steps fall on one place of a logarithmic axis: of each place, one.
place(step_) = int(30 * log10(step_))
drawn(step_) = step_ <= 50 || place(step_) != place(step_ - 5)
# The share of mode m_ that products of that depth have learned.
share(m_, depth_) = $1 == depth_ && $3 > 0 && drawn($3) ? column(4 + m_) : NaN
shades = "#0B2A4A #14507F #2A78B0 #559FD0 #8CC1E3 #BBDDF2"
modes = "4 2 1 1/2 1/4 1/8"
panels = "'one matrix' 'two factors' 'three factors'"

set datafile missing NaN
set multiplot
set logscale x
set xrange [5:4000]
set yrange [0:1.1]
set xtics (10, 100, 1000)
set ytics 0.2
set tmargin at screen 0.78
set bmargin at screen 0.17
set xlabel "step" offset 0,0.5
set label 2 "share learned" center rotate by 90 at screen 0.018,0.475
unset key
do for [d=1:3] {
    set lmargin at screen 0.09 + 0.325 * (d - 1)
    set rmargin at screen 0.34 + 0.325 * (d - 1)
    set title word(panels, d) offset 0,-0.6
    if (d == 2) { unset label 2 }
    plot for [m=1:6] data skip 1 using 3:(share(m, d)) smooth unique \
        with lines linecolor rgb word(shades, m) linewidth 2 dashtype solid
}
# The legend, as a plot of nothing.
unset logscale
unset border
unset tics
unset grid
unset xlabel
unset title
set label 1 title center at screen 0.5,0.96 font title_font
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:1]
set yrange [0:1]
set key at screen 0.5,0.925 center top horizontal Left reverse samplen 1.5 width -1
plot for [m=1:6] NaN with lines linecolor rgb word(shades, m) linewidth 2 title "mode ".word(modes, m)
unset multiplot
