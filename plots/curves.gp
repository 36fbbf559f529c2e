# curves.gp - curves over steps, one panel for each quantity, with bands.
#
# data:   series, step, then mean, low and high of each quantity
# series: the names of the curves      ys: the quantities
# ylabels, logs, least, most: for each quantity its axis title, whether the axis
#         is logarithmic, and the range of its means
# marks:  for each quantity "value name value name ...": levels to compare with

panels = words(ys)
left = 90. / width
right = 1 - 190. / width
gap = 82. / width
wide = (right - left - gap * (panels - 1)) / panels
if (dumb) { panels = 1 } else { set multiplot title title offset 0,-0.3 }
do for [p=1:panels] {
    y = word(ys, p)
    col = 3 * p
    set xlabel "step"
    set ylabel ylabels[p] offset 0.3,0
    set xrange [0:*]
    set yrange [*:*]
    unset logscale y
    set format y "%g"
    if (logs[p]) { set logscale y; set format y "%.0e" }
    low = logs[p] ? least[p] / 1.6 : least[p] - 0.08 * (most[p] - least[p])
    high = logs[p] ? most[p] * 1.6 : most[p] + 0.08 * (most[p] - least[p])
    if (low < high) { set yrange [low:high] }
    if (strstrt(y, "accuracy")) {
        low = 0
        high = most[p] > 0.8 ? 1.02 : 1.2 * most[p]
        set yrange [low:high]
    }
    unset label
    unset arrow
    if (p == panels && !dumb) {
        set key at screen 0.995,0.88 right top vertical Left reverse \
            samplen 3.2 spacing 1.25 title by
    } else {
        unset key
    }
    if (dumb) {
        set title ylabels[p]."; ".title
        unset ylabel
        set key outside top center horizontal
        if (words(series) == 1) { unset key }
    } else {
        set lmargin at screen left + (p - 1) * (wide + gap)
        set rmargin at screen left + (p - 1) * (wide + gap) + wide
        set tmargin at screen 0.88
        set bmargin at screen 0.16
        do for [m=1:words(marks[p])/2] {
            level = real(word(marks[p], 2 * m - 1))
            caption = word(marks[p], 2 * m)
            if (level < low || level > high) { continue }
            set arrow m from graph 0, first level to graph 1, first level nohead \
                back linecolor rgb "#888888" linewidth 1 dashtype (4,4)
            set label m caption at graph 0.985, first level right offset 0,0.5 \
                textcolor rgb "#666666" font ",10"
        }
    }
    if (dumb) {
        plot for [i=1:words(series)] data skip 1 \
            using (of(word(series, i), 2)):(of(word(series, i), col)) \
            with lines title word(series, i)
    } else {
        plot for [i=1:words(series)] data skip 1 \
            using (of(word(series, i), 2)):(of(word(series, i), col + 1)):\
                  (of(word(series, i), col + 2)) \
            with filledcurves linetype look(word(series, i), i) \
            fillstyle transparent solid 0.15 noborder notitle, \
            for [i=1:words(series)] data skip 1 \
            using (of(word(series, i), 2)):(of(word(series, i), col)) \
            with lines linetype look(word(series, i), i) \
            title word(series, i)
    }
}
if (!dumb) { unset multiplot }
