# bars.gp - parameter counts as bars: attention, of which the real ones are solid,
# and the rest beside it.
#
# data:   group, a panel; variant, a row from the top; attention, rest, real (or nan)

known(n_) = strcol(5) ne "nan"
solid(panel_) = in(panel_, known(0) ? 5 : 3)
figures(n_) = known(0) && column(5) < column(3) ? \
    sprintf(" %d of %d", column(5), column(3)) : sprintf(" %d", column(3))
in(panel_, col) = strcol(1) eq panel_ ? column(col) : NaN
panels = ""
rows = ""
stats data skip 1 using (panels = listed_(panels, strcol(1)), \
    rows = listed_(rows, strcol(2)), 0) nooutput
number = words(panels)
count = words(rows)
row_(s_, i) = i > count || word(rows, i) eq s_ ? i : row_(s_, i + 1)
row(n_) = row_(strcol(2), 1)
longest = 0
do for [r=1:count] { if (strlen(word(rows, r)) > longest) { longest = strlen(word(rows, r)) } }
stats data skip 1 using (strlen(figures(0))) nooutput
digits = largest(0)
stats data skip 1 using ($3 + $4) nooutput
top = largest(0)
labelled = exists("STATS_max") ? 1 : 0 # gnuplot 5.4 crashes at labels of nothing

# As many panels side by side as have room for a bar and the number at its end; each
# row of them begins with the labels.
em = 1. * type
left = (1 + 0.6 * longest) * em
numbers_ = (0.58 * digits + 0.5) * em
gap = 1.5 * em
across = int((width - left) / (numbers_ + 6 * em + gap))
across = across < 1 ? 1 : across > number ? number : across
down = (number + across - 1) / across
across = (number + down - 1) / down
wide = (width - left - gap * across) / across
head = (paper ? 0.3 : 2.2) * em
each_high = (1.7 * count + 4) * em
if (exists("height")) { each_high = (height - head) / down } \
else { height = head + each_high * down; eval terminal(height) }
right = top * wide / (wide - numbers_)

set style fill solid noborder
set xrange [0:right]
set yrange [count + 0.5:0.5]
set xtics nice(right / (wide / em / 5 > 5 ? 5 : wide / em / 5))
set format x "%.0s%c"
unset ytics
set grid noytics xtics linetype 1 linecolor rgb "#E4E4E4" linewidth 0.6
set multiplot
do for [p=1:number] {
    unset label
    if (p % across == 1 || across == 1) {
        do for [r=1:count] {
            set label r said(word(rows, r)) at 0,r right offset -0.8,0 noenhanced
        }
    }
    if (p == 1 && !paper) {
        set label count + 1 said(title) at screen 0.5,(1 - 1.1 * em / height) center \
            noenhanced font title_font
    }
    x = left + (p - 1) % across * (wide + gap)
    y = head + (p - 1) / across * each_high
    set title said(word(panels, p)) offset 0,-0.6
    set lmargin at screen x / width
    set rmargin at screen (x + wide) / width
    set tmargin at screen 1 - (y + 1.6 * em) / height
    set bmargin at screen 1 - (y + each_high - 2.4 * em) / height
    panel = word(panels, p)
    plot data skip 1 using (in(panel, 3) * 0.5):(row(0)):(in(panel, 3) * 0.5):(0.36) \
            with boxxyerror linecolor rgb "#A9D3EE" notitle, \
        '' skip 1 using (solid(panel) * 0.5):(row(0)):(solid(panel) * 0.5):(0.36) \
            with boxxyerror linecolor rgb "#0072B2" notitle, \
        '' skip 1 using (in(panel, 3) + in(panel, 4) * 0.5):(row(0)):\
            (in(panel, 4) * 0.5):(0.36) with boxxyerror \
            linecolor rgb "#C8C8C8" notitle, \
        for [n=1:labelled] data skip 1 using (in(panel, 3) + in(panel, 4)):(row(0)):\
            (figures(0)) with labels left noenhanced \
            textcolor rgb "#0072B2" notitle
}
unset multiplot
