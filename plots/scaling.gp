# scaling.gp - how something grows with something else: a panel for each axis,
# logarithmic both ways, with a line through the points that were fitted, and the
# exponent in the colour of its line.
#
# data:     axis, who, x, seconds, bytes
# fits:     axis, who, quantity, exponent, its interval, factor, and the x from
#           which the points were fitted
# quantity: seconds or bytes          axes_: those that have a panel
# whos:     whose lines there are      $ylabel: what is drawn

inks = "#000000 #D55E00 #0072B2"
shapes = "7 4 8"
signs = "● □ △"
column_ = quantity eq "bytes" ? 5 : 4
unit = quantity eq "bytes" ? 1e6 : 1e-3
panels = words(axes_)
if (!paper) { type = 14 }
em = 1. * type
across = 2
down = (panels + across - 1) / across
left = 5.2 * em
right = 1.6 * em
gap = 4.6 * em
wide = (width - left - right - gap * (across - 1)) / across
tall = 0.62 * wide
head = (paper ? 0.3 : 2.2) * em + 1.6 * em
below_ = 3.4 * em
height = head + down * (tall + below_)
eval terminal(height)
what(axis_) = axis_ eq "tokens" ? "tokens T" : axis_ eq "width" ? "width d" : \
    axis_ eq "runs" ? "finished runs, answered" : axis_ eq "seeds" ? \
    "seeds of an experiment" : axis_
row_of(axis_, who_) = strcol(1) eq axis_ && strcol(2) eq who_
above_(y_) = y_ > 0 ? y_ : NaN # what has a place on a logarithmic axis
y_of(axis_, who_) = row_of(axis_, who_) && strcol(column_) ne "NA" ? \
    above_(column(column_) / unit) : NaN
fit_of(axis_, who_, col) = row_of(axis_, who_) && strcol(3) eq quantity ? \
    column(col) : NaN
set multiplot
if (!paper) {
    set label 90 title center at screen 0.5, 1 - 1.1 * em / height font title_font
}
set label 91 said($ylabel[1]) center rotate by 90 at screen 1.0 * em / width, 0.5
do for [i=1:words(whos)] {
    named = word(signs, i)." ".word(whos, i)
    set label 91 + i named left textcolor rgb word(inks, i) \
        at screen (width / 2. + (i - 1 - 0.5 * words(whos)) * 6 * em) / width, \
        1 - (head - 0.9 * em) / height
}
unset key
set logscale xy
do for [p=1:panels] {
    axis = word(axes_, p)
    set lmargin at screen (left + (p - 1) % across * (wide + gap)) / width
    set rmargin at screen (left + (p - 1) % across * (wide + gap) + wide) / width
    set tmargin at screen 1 - (head + (p - 1) / across * (tall + below_)) / height
    set bmargin at screen 1 - (head + (p - 1) / across * (tall + below_) + tall) / height
    set xlabel what(axis) offset 0,0.5
    set autoscale
    stats data skip 1 using (strcol(1) eq axis ? column(3) : NaN):\
        (strcol(1) eq axis && strcol(column_) ne "NA" ? \
        above_(column(column_) / unit) : NaN) nooutput
    if (!exists("STATS_min_y")) { # nothing to draw
        STATS_min_x = 1.
        STATS_max_x = 1.
        STATS_min_y = 1.
        STATS_max_y = 1.
    }
    from = STATS_min_x
    to = STATS_max_x
    low = STATS_min_y / 2
    high = STATS_max_y * (1 + 2 * words(whos))
    if (high < 30 * low) { # what does not grow
        more = sqrt(30 * low / high)
        low = low / more
        high = high * more
    }
    set xtics ()
    apart = axis eq "runs" ? 10 : 4
    do for [i=0:int(log(to / from) / log(apart) + 1e-6)] {
        set xtics add (number(from * apart**i, 0) from * apart**i)
    }
    yticks = logarithmic(low, high, 4)
    set ytics enhanced ()
    do for [i=1:words(yticks)] {
        set ytics add (number(num(word(yticks, i)), 0) num(word(yticks, i)))
    }
    array slope[3]
    array factor[3]
    array first[3]
    do for [i=1:words(whos)] {
        slope[i] = NaN
        factor[i] = NaN
        first[i] = NaN
        unset label 79 + i
        stats fits skip 1 using (fit_of(axis, word(whos, i), 4)) nooutput
        if (!exists("STATS_records")) { continue }
        slope[i] = STATS_mean
        stats fits skip 1 using (fit_of(axis, word(whos, i), 6)) nooutput
        off = STATS_mean - slope[i]
        stats fits skip 1 using (fit_of(axis, word(whos, i), 7)) nooutput
        factor[i] = STATS_mean / unit
        stats fits skip 1 using (fit_of(axis, word(whos, i), 8)) nooutput
        first[i] = STATS_mean
        set label 79 + i sprintf("exponent %.2f ± %.2f", slope[i], off) left \
            at graph 0.04, graph 1.02 - 0.12 * i textcolor rgb word(inks, i)
    }
    set xrange [from / 1.3:to * 1.3]
    set yrange [low:high]
    plot for [i=1:words(whos)] data skip 1 \
        using 3:(y_of(axis, word(whos, i))) with points \
        pointtype int(word(shapes, i)) linecolor rgb word(inks, i) linewidth 1.6, \
        for [i=1:words(whos)] [x=from:to] (x < first[i] ? NaN : factor[i] * x**slope[i]) \
        with lines linecolor rgb word(inks, i) linewidth 1.6
    unset label 90
    unset label 91
    do for [i=1:words(whos)] { unset label 91 + i }
}
unset multiplot
