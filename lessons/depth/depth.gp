# depth.gp - how much of each mode is learned, a panel for each: `make depth` draws
# it. Thin lines are seeds, thick ones their mean.
#
# data: what `depth` prints        name: the figure's name, without .svg

height = 470
$title << END
|How much of each mode is learned: 5 seeds and their mean
END
load "plots/style.gp"

# Many steps fall on one place of a logarithmic axis: of each place, one.
place(step_) = int(30 * log10(step_))
drawn(step_) = step_ <= 50 || place(step_) != place(step_ - 5)
# The share of mode m_ that products of that depth have learned, by a seed or by all.
share(m_, depth_, seed_) = $1 == depth_ && (seed_ == 0 || $2 == seed_) && \
    $3 > 0 && drawn($3) ? column(4 + m_) : NaN

set datafile missing NaN
set multiplot
set logscale x
set xrange [5:4000]
set yrange [0:1.1]
set xtics (10, 100, 1000)
set ytics 0.2
unset key
do for [m=1:6] {
    column_ = (m - 1) % 3
    row_ = (m - 1) / 3
    set lmargin at screen 0.075 + 0.33 * column_
    set rmargin at screen 0.335 + 0.33 * column_
    set tmargin at screen 0.78 - 0.42 * row_
    set bmargin at screen 0.52 - 0.42 * row_
    set title sprintf("mode %d%s", m, m == 1 ? ", the largest" : "") offset 0,-0.6
    if (m == 5) { set xlabel "step" offset 0,0.5 } else { unset xlabel }
    plot for [d=1:3] for [s=1:5] data skip 1 using 3:(share(m, d, s)) \
            with lines linetype 100 + d dashtype solid linewidth 0.4, \
        for [d=1:3] data skip 1 using 3:(share(m, d, 0)) smooth unique \
            with lines linetype 100 + d
}
# The legend, as a plot of nothing.
unset logscale
unset border
unset tics
unset grid
unset xlabel
unset title
set label 1 title center at screen 0.5,0.965 font title_font
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:1]
set yrange [0:1]
set key at screen 0.5,0.935 center top horizontal Left reverse
plot for [d=1:3] NaN with lines linetype 100 + d title sprintf("depth %d", d)
unset multiplot
