# panels.gp - curves in one or more panels: over steps with bands, against a
# setting or a result with error bars.
#
# data:    panel, series, x, then mean, low and high of the quantity
# $series: the names of the curves     xs: the values along x, where not steps
# $by, $xlabel: what the series and the x axis are
# $titles, $ylabels: for each panel its title and its axis title
# $panels: for each whether its axis is logarithmic, whether it is a share,
#          between 0 and 1, the range of its means, and levels to compare
#          with, "value name value name ..."
# ticks:   1 for a tick at each of xs
# longest_run: how far training went along x
# log_x:   1 for a logarithmic x axis
# columns, down: how the panels lie
# below:   how high the legend is where it stands below them, else 0

panels = |$panels|
curves = |$series|
array logs[panels]
array shares[panels]
array least[panels]
array most[panels]
do for [p=1:panels] {
    logs[p] = int(word($panels[p], 1))
    shares[p] = int(word($panels[p], 2))
    least[p] = real(word($panels[p], 3))
    most[p] = real(word($panels[p], 4))
}
array names[curves]
do for [i=1:curves] { names[i] = plain($series[i]) }
same = 1
do for [p=2:panels] { if ($ylabels[p] ne $ylabels[1]) { same = 0 } }
titled = 0
do for [p=1:panels] { if (strlen(plain($titles[p]))) { titled = 1 } }
# Panels of one quantity share its kind of axis; 1e-04 is wider than 0.5.
powers = 0
do for [p=1:panels] { if (logs[p]) { powers = 1 } }
alike = powers && same && strlen(plain($ylabels[1])) # bare panels differ in theirs
do for [p=1:panels] { if (alike && least[p] > 0) { logs[p] = 1 } }
powers = powers && panels > 1
legend = curves > 1
longest = strlen(plain($by[1]))
do for [i=1:curves] {
    if (strlen(names[i]) > longest) { longest = strlen(names[i]) }
}
left = 90. / width
narrow = width < 500
right = 1 - (!legend || below ? 20. : narrow ? 56. + 6.4 * longest : \
    86. + 8 * longest) / width
gap = (!same ? 92. : powers ? 76. : 56.) / width
wide = (right - left - gap * (columns - 1)) / columns
top = 1 - (titled ? 64. : 44.) / height
turned = ticks && words(xs) > 5 && columns > 1
bottom = (below + (turned ? 90. : 62.)) / height
vgap = (titled ? 86. : 66.) / height + (turned ? 28. / height : 0)
set pointintervalbox 0
tall = (top - bottom - vgap * (down - 1)) / down

first = 0
last = 0
if (words(xs)) {
    first = real(word(xs, 1))
    last = real(word(xs, words(xs)))
    room = words(xs) == 1 ? 1 : 0.04 * (last - first)
    if (log_x) { room = (last / first)**0.04 }
}
# 3.5k and 4.0k along x where 4k would be the name of both.
if (!words(xs)) { last = longest_run }
thousands = 1000.**floor(log10(abs(last) + 1) / 3)
digits = last - first < 8 * thousands && thousands > 1 ? "%.1s%c" : "%.0s%c"
# Bars of several series at one place are side by side.
aside(i) = words(xs) > 1 ? 0.007 * (i - (curves + 1) / 2.) : 0
apart(x_, i) = log_x ? x_ * (last / first)**aside(i) : \
    x_ + (last - first) * aside(i)
step = nice(longest_run / 4.) # about four ticks along training
# A column of a curve; a bound no lower than a logarithmic axis goes, and none
# where that has no place for the mean.
curve(p_, i) = column(1) == p_ && strcol(2) eq names[i]
at(p_, i, col) = curve(p_, i) ? column(col) : NaN
bound(p_, i, col) = logs[p_] && column(4) <= 0 || !curve(p_, i) ? NaN : \
    logs[p_] && column(col) <= 0 ? low : column(col)

small = narrow ? ",9" : ",12"
# Numbers that are written with a power of ten, and take more room.
tiny(p_) = logs[p_] && (least[p_] < 0.01 || most[p_] >= 1e5)
if (narrow && !dumb && !tex) { set tics font ",9"; set key font ",9" }
if (!dumb) { set multiplot title title font small offset 0,-0.3 }
do for [p=1:panels] {
    set xlabel said($xlabel[1]) offset 0,0.3 font small
    set ylabel (same && p % columns != 1 && columns > 1 ? "" : said($ylabels[p])) \
        offset (tiny(p) ? -0.4 : 0.3),0 font small
    set title said($titles[p]) offset 0,-0.6 font small
    if (words(xs)) {
        if (log_x) {
            set logscale x
            set xrange [first / room:last * room]
        } else {
            set xrange [first - room:last + room]
        }
        if (ticks) {
            set xtics ()
            do for [i=1:words(xs)] {
                set xtics add (word(xs, i) real(word(xs, i)))
            }
            if (turned) { set xtics rotate by 45 right }
        } else {
            set format x digits
        }
    } else {
        set xrange [0:longest_run]
        if (log_x) { set logscale x; set xrange [*:longest_run] } \
        else { set xtics step }
        if (longest_run > 9999) { set format x (step < thousands ? "%.1s%c" : "%.0s%c") }
    }
    set yrange [*:*]
    unset logscale y
    set format y "%g"
    set ytics autofreq
    if (logs[p]) {
        set logscale y
        set format y (tiny(p) ? "%.0e" : "%g")
    }
    low = logs[p] ? least[p] / 1.6 : least[p] - 0.08 * (most[p] - least[p])
    high = logs[p] ? most[p] * 1.6 : most[p] + 0.08 * (most[p] - least[p])
    if (low == high && most[p] > 0) { low = 0; high = 1.15 * most[p] }
    if (low < high) { set yrange [low:high] }
    if (shares[p]) {
        if (!logs[p]) { low = 0 }
        high = most[p] > 0.8 ? 1.02 : 1.2 * most[p]
        if (high > low) { set yrange [low:high] }
    }
    if (logs[p] && high < 300 * low) { # fewer than three powers of ten
        set ytics ()
        do for [e=floor(log10(low)):ceil(log10(high))] {
            do for [digit in "1 2 5"] {
                set ytics add (sprintf("%g", digit * 10.**e) digit * 10.**e)
            }
        }
    }
    unset label
    unset arrow
    if (p == 1 && !dumb && legend) {
        set key vertical maxrows 40 Left reverse samplen (narrow ? 2 : 3.2) \
            spacing 1.25 title said($by[1])
        if (below) {
            set key at screen (narrow ? 0.02 : left),((below + 4.) / height) left top
        } \
        else { set key at screen 0.995,(top + 0.005) right top }
    } else {
        unset key
    }
    if (dumb) {
        set title plain($ylabels[p])."; ".title
        unset ylabel
        set key outside top center horizontal
        if (curves == 1) { unset key }
    } else {
        column_ = (p - 1) % columns
        row_ = (p - 1) / columns
        set lmargin at screen left + column_ * (wide + gap)
        set rmargin at screen left + column_ * (wide + gap) + wide
        set tmargin at screen top - row_ * (tall + vgap)
        set bmargin at screen top - row_ * (tall + vgap) - tall
        do for [m=3:words($panels[p])/2] {
            level = real(word($panels[p], 2 * m - 1))
            caption = word($panels[p], 2 * m)
            if (level < low || level > high) { continue }
            set arrow m from graph 0, first level to graph 1, first level nohead \
                back linecolor rgb "#888888" linewidth 1 dashtype (4,4)
            set label m caption at graph 0.985, first level right offset 0,0.5 \
                textcolor rgb "#666666" font ",10"
        }
    }
    if (dumb) {
        plot for [i=1:curves] data skip 1 \
            using (at(p, i, 3)):(at(p, i, 4)) \
            with lines title said($series[i])
    } else {
        if (!words(xs)) {
            plot for [i=1:curves] data skip 1 \
                using (at(p, i, 3)):\
                      (bound(p, i, 5)):(bound(p, i, 6)) \
                with filledcurves linetype look(names[i], i) \
                fillstyle transparent solid 0.15 noborder notitle, \
                for [i=1:curves] data skip 1 \
                using (at(p, i, 3)):(at(p, i, 4)) \
                with lines linetype look(names[i], i) \
                title said($series[i])
        } else {
            plot for [i=1:curves] data skip 1 \
                using (apart(at(p, i, 3), i)):\
                      (at(p, i, 4)):\
                      (bound(p, i, 5)):(bound(p, i, 6)) \
                with yerrorbars linetype look(names[i], i) \
                dashtype 1 pointtype 7 pointsize 0.9 notitle, \
                for [i=1:curves] data skip 1 \
                using (apart(at(p, i, 3), i)):\
                      (at(p, i, 4)) \
                with lines linetype look(names[i], i) \
                title said($series[i])
        }
    }
}
if (!dumb) { unset multiplot }
