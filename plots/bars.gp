# bars.gp - parameter counts as bars: attention, of which the real ones are solid,
# and the rest beside it.
#
# data:   panel, label, attention, rest, row, real (or NA)
# $panels: the panels' names         $rows: the labels, from the top

known(n_) = strcol(6) ne "NA"
solid(panel_) = in(panel_, known(0) ? 6 : 3)
figures(n_) = known(0) && column(6) < column(3) ? \
    sprintf(" %d of %d", column(6), column(3)) : sprintf(" %d", column(3))
in(panel_, col) = strcol(1) eq panel_ ? column(col) : NaN
number = |$panels|
count = |$rows|
longest = 0
do for [r=1:count] {
    if (strlen(plain($rows[r])) > longest) { longest = strlen(plain($rows[r])) }
}
narrow = width < 500
left = (24. + 0.64 * type * longest) / width
gap = 22. / width
wide = (1 - 14. / width - left - gap * (number - 1)) / number
stats data skip 1 using (known(0) ? 1 : 0) nooutput
pairs = STATS_max > 0
stats data skip 1 using ($3 + $4) nooutput
top = largest(0)
labelled = exists("STATS_max") ? 1 : 0 # gnuplot 5.4 crashes at labels of nothing

room = (narrow ? 1.8 : 1.45) + (pairs ? 0.45 : 0) # for the number at a bar's end
apart = nice(top * room / (narrow ? 2 : 3)) # about three ticks

set style fill solid noborder
set xrange [0:top * room]
set yrange [count + 0.5:0.4]
set xtics apart
set format x "%.0s%c"
unset ytics
if (dumb) {
    set lmargin longest + 2
} else {
    set grid noytics xtics linetype 1 linecolor rgb "#E4E4E4" linewidth 0.6
    set multiplot title (paper ? "" : title) noenhanced font title_font offset 0,-0.3
}
do for [p=1:number] {
    panel = plain($panels[p])
    unset label
    if (p == 1 || dumb) {
        do for [r=1:count] {
            set label r said($rows[r]) at 0,r right offset -0.8,0 noenhanced
        }
    }
    if (dumb) {
        set title "parameters of attention: ".panel
    } else {
        set title panel offset 0,-0.6
        set lmargin at screen left + (p - 1) * (wide + gap)
        set rmargin at screen left + (p - 1) * (wide + gap) + wide
        set tmargin at screen 1 - (paper ? 30. : 64.) / height
        set bmargin at screen 40. / height
    }
    plot data skip 1 using (in(panel, 3) * 0.5):5:(in(panel, 3) * 0.5):(0.36) \
            with boxxyerror linecolor rgb "#A9D3EE" notitle, \
        '' skip 1 using (solid(panel) * 0.5):5:(solid(panel) * 0.5):(0.36) \
            with boxxyerror linecolor rgb "#0072B2" notitle, \
        '' skip 1 using (in(panel, 3) + in(panel, 4) * 0.5):5:\
            (in(panel, 4) * 0.5):(0.36) with boxxyerror \
            linecolor rgb "#C8C8C8" notitle, \
        for [n=1:labelled] data skip 1 using (in(panel, 3) + in(panel, 4)):5:\
            (figures(0)) with labels left noenhanced \
            textcolor rgb "#0072B2" notitle
}
if (!dumb) { unset multiplot }
