# against.gp - a final quantity against a setting, mean and interval.
#
# data:   series, x, then mean, low and high of the quantity
# series: the names of the curves      log_x, log_y: 1 for a log axis
# xs:     the values along x

set title title
set xlabel xlabel
set ylabel ylabel
first = real(word(xs, 1))
last = real(word(xs, words(xs)))
room = words(xs) == 1 ? 1 : 0.04 * (last - first)
set xrange [first - room:last + room]
if (log_x) {
    set logscale x
    room = (last / first)**0.04
    set xrange [first / room:last * room]
}
set xtics ()
do for [i=1:words(xs)] { set xtics add (word(xs, i) real(word(xs, i))) }
if (log_y) { set logscale y; set format y "%.0e" }
if (strstrt(ylabel, "accuracy")) { set yrange [0:1.02] }
if (dumb) {
    set key outside top center horizontal
    plot for [i=1:words(series)] data skip 1 \
        using (of(word(series, i), 2)):(of(word(series, i), 3)) \
        with linespoints title word(series, i)
} else {
    set key outside right top Left reverse samplen 3.2 spacing 1.25 title by
    plot for [i=1:words(series)] data skip 1 \
        using (of(word(series, i), 2)):(of(word(series, i), 3)):\
              (of(word(series, i), 4)):(of(word(series, i), 5)) \
        with yerrorbars linetype look(word(series, i), i) pointtype 7 \
        pointsize 0.6 notitle, \
        for [i=1:words(series)] data skip 1 \
        using (of(word(series, i), 2)):(of(word(series, i), 3)) \
        with lines linetype look(word(series, i), i) title word(series, i)
}
