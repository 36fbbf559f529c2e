# panels.gp - curves in one or more panels: over training with bands, against a
# setting or a result with error bars; and bars, where there are words along x.
#
# data:    panel, series, x, then mean, low and high of the quantity
# names:   the series in the data      keys: what they are called
# along:   what x is of: training, its step or FLOPs; a setting; a result of runs
# xlim, ylim: limits of axes, where given; one that begins at 0 is not logarithmic
# free_y:  1 for a y axis of its own in each panel; else those of one quantity share theirs
# log_x:   1 for a logarithmic x axis, 0 for none, where given
# by, xlabel: what the series and the x axis are
# titles, ylabels: for each panel its title and its axis title
# scales:  of each panel's axis: log, powers, which is log where the means are above 0
#          and span powers of ten, or share, between 0 and 1
# levels:  what each panel is compared with, "value name", or nothing
# ticks:   1 for a tick at each value along x, 0 for round ones, where given
# level_side: where the name of a level stands: right, or left, where that is given
# heading: 1 for the title above, which is the caption's in a paper

if (by eq "variant") { by = "" }
panels = |titles|
curves = |keys|
training = along eq "training"
if (!exists("level_side")) level_side = "right"
if (!exists("ticks")) ticks = worded || (along eq "setting" && words(xs) <= 10)
array logs[panels]
array shares[panels]
array least[panels]
array most[panels]
if (!exists("free_y")) free_y = 0
# What is drawn in the panels that share an axis: means, and the bars around them.
shared_(p_) = free_y ? int(column(1)) == p_ : ylabels[int(column(1))] eq ylabels[p_]
drawn(p_, col) = !shared_(p_) ? NaN : \
    training || !(abs(column(col)) < 1e300) ? column(4) : column(col)
above_(x_) = x_ > 0 ? x_ : column(4) > 0 ? column(4) : NaN
do for [p=1:panels] {
    shares[p] = scales[p] eq "share"
    stats data skip 1 using (drawn(p, 6)) nooutput
    most[p] = exists("STATS_records") && STATS_records ? STATS_max : 1
    stats data skip 1 using (abs(column(4)) < 1e300 ? drawn(p, 4) : NaN) nooutput
    logs[p] = logarithmic_(scales[p]) && most[p] > 0
    stats data skip 1 using (logs[p] ? above_(drawn(p, 5)) : drawn(p, 5)) nooutput
    least[p] = exists("STATS_records") && STATS_records ? STATS_min : 0
}
do for [i=1:curves] {
    line[i] = next_(strlen(by) ? 100 + i : look(word(names, i)), i - 1)
}
same = 1
do for [p=2:panels] { if (ylabels[p] ne ylabels[1]) { same = 0 } }
titled = 0
do for [p=1:panels] { if (strlen(titles[p])) { titled = 1 } }
# Panels of several quantities have these for titles.
above = !titled && !same
# Bars begin at 0; where an axis has none, there are points.
bars = worded && (exists("ylim") ? num(word(ylim, 1)) <= 0 : 1)
do for [p=1:panels] { if (logs[p]) { bars = 0 } }

# The range and the ticks of each panel's y axis.
array lows[panels]
array highs[panels]
array yticks[panels]
array tens[panels]
letters_ = 1
do for [p=1:panels] {
    low = logs[p] ? least[p] / 1.6 : least[p] - 0.08 * (most[p] - least[p])
    high = logs[p] ? most[p] * 1.6 : most[p] + 0.08 * (most[p] - least[p])
    if (!logs[p] && least[p] >= 0 && low < 0) { low = 0 }
    if (bars && low > 0) { low = 0 }
    if (bars && high < 0) { high = 0 }
    if (low == high && most[p] > 0) { low = 0; high = 1.15 * most[p] }
    if (shares[p]) {
        if (!logs[p] && least[p] >= 0) { low = 0 } # R^2 may be below 0
        high = most[p] > 0.8 ? 1.03 : most[p] > 0 ? 1.2 * most[p] : high
    }
    if (exists("ylim")) { low = num(word(ylim, 1)); high = num(word(ylim, 2)) }
    if (!(low < high)) { high = low + 1 }
    lows[p] = low
    highs[p] = high
    yticks[p] = logs[p] ? logarithmic(low, high, 5) : linear(low, high, 4)
    tens[p] = logs[p] && (low < 0.005 || high >= 1e5) && \
        yticks[p] eq powers_(low, high, 5)
    if (widest_(yticks[p], tens[p], 1) > letters_) {
        letters_ = widest_(yticks[p], tens[p], 1)
    }
}

# Along x.
first = 1
last = words(xs)
if (!worded) {
    stats data skip 1 using 3 nooutput
    first = STATS_min
    last = STATS_max
}
if (!exists("log_x")) { log_x = !training && !worded && first > 0 && last >= 8 * first }
if (worded || last <= 0 || (exists("xlim") && num(word(xlim, 1)) <= 0)) { log_x = 0 }
if (log_x) { stats data skip 1 using ($3 > 0 ? $3 : NaN) nooutput; first = STATS_min }
if (training && last == 0) { last = 1 }
room = worded ? 0.55 : first == last ? 1 : 0.04 * (last - first)
if (log_x) { room = last > first ? (last / first)**0.04 : 1.5 }
from = log_x ? first / room : training ? 0 : first - room
to = training ? last : log_x ? last * room : last + room
if (exists("xlim")) { from = num(word(xlim, 1)); to = num(word(xlim, 2)) }

# How the panels lie. Margins are in type; a letter is about 0.6 wide.
if (!paper) { type = 14 }
em = 1. * type
across = int(width / em / 13.5)
across = across > panels ? panels : across < 1 ? 1 : across
broadest = 1 # of the panels' titles
do for [p=1:panels] {
    letters = strlen(above ? ylabels[p] : titles[p])
    if (letters > broadest) { broadest = letters }
}
# Those too broad for a panel have two lines, which LaTeX does not give them.
title_room(n_) = (width - 5 * em) / n_ - 2 * em
lines_ = tex ? 1 : 1.8 # two are seldom of one length
if (across > 2 && 0.58 * em * broadest > lines_ * title_room(across)) { across = 2 }
if (across > 1 && 0.58 * em * broadest > lines_ * title_room(across)) { across = 1 }
# Ticks at many values need wide panels.
if (panels > 1 && across > 2 && words(xs) > 5) { across = 2 }
# And more than five rows would not fit a page.
if (panels > 5 * across && width / em / (across + 1) > 9) { across = across + 1 }
down = (panels + across - 1) / across
across = (panels + down - 1) / down
longest = 0
do for [i=1:curves] {
    if (strlen(keys[i]) > longest) { longest = strlen(keys[i]) }
}
legend = curves > 1 && !named_along
item = (0.58 * longest + 3.6) * em
beside_ = int((width - em) / item)
beside_ = beside_ < 1 ? 1 : beside_ > curves ? curves : beside_
rows = (curves + beside_ - 1) / beside_
beside_ = (curves + rows - 1) / rows
said_by = strlen(by) ? 1 : 0
if (!exists("heading")) heading = !paper
head = (heading ? 2.2 + 1.4 * two_lines : 0.3) * em
key_high = legend ? (1.22 * (rows + said_by) + 0.6) * em : 0
left = ((!above ? 2.1 : 0.5) + 0.62 * letters_ + 0.8) * em
right = 1.4 * em
gap = (0.62 * letters_ + 1.8) * em
wide = (width - left - right - gap * (across - 1)) / across
xticks = ticks ? xs : log_x ? logarithmic(from, to, 5) : \
    linear(from, to, int(wide / em / 4) > 5 ? 5 : int(wide / em / 4) < 2 ? 2 : int(wide / em / 4))
tens_x = log_x && !ticks && (first < 0.005 || last >= 1e5) && \
    xticks eq powers_(from, to, 5)
xletters_ = worded ? 0 : widest_(xticks, tens_x, 1)
do for [i=1:worded ? words(xs) : 0] {
    if (strlen(word(xs, i)) > xletters_) { xletters_ = strlen(word(xs, i)) }
}
turned = words(xticks) * (xletters_ + 1) * 0.62 * em > wide
below_ = turned ? (0.9 + 0.45 * xletters_) * em : 1.6 * em
named = titled || above
wrapped = named && across > 1 && 0.58 * em * broadest > title_room(across) ? 1 : 0
blank_(s_, n) = n < 1 || s_[n:n] eq " " ? n : blank_(s_, n - 1)
break_(s_, n) = strstrt(s_, ", ") ? strstrt(s_, ", ") + 1 : blank_(s_, n)
wrap_(s_, n) = strlen(s_) <= n || break_(s_, n) < 1 ? s_ : \
    s_[1:break_(s_, n) - 1]."\n".s_[break_(s_, n) + 1:*]
wrap(s_) = wrapped ? wrap_(s_, int(title_room(across) / 0.58 / em) + 1) : s_
vgap = below_ + (named ? 1.9 + 2.8 * wrapped : 0.8) * em
top = head + key_high + (named ? 1.7 + 1.7 * wrapped : 0.6) * em
bottom = below_ + 1.9 * em
tall = (down > 1 || across > 1 ? 0.8 : 0.55) * wide
room = (720 - top - bottom - vgap * (down - 1)) / down # on a page, above a caption
room = paper && room < 18 * em ? room : 18 * em
tall = tall > room ? room : tall < 8 * em ? 8 * em : tall
if (exists("height")) { tall = (height - top - bottom - vgap * (down - 1)) / down } \
else { height = top + down * tall + vgap * (down - 1) + bottom }
eval terminal(height)
screen_x(x_) = x_ / (1. * width)
screen_y(y_) = 1 - y_ / (1. * height) # from the top

# Along words those of several series are side by side. A number is where it is.
each_wide = named_along ? 0.7 : 0.8 / curves
apart(x_, i) = worded && !named_along ? x_ + each_wide * (i - (curves + 1) / 2.) : x_
# Where a row is along x.
place_of_(s_, i) = i > words(xs) || word(xs, i) eq s_ ? i : place_of_(s_, i + 1)
along(n_) = worded ? place_of_(strcol(3), 1) : column(3)
# A column of a curve; a bound no lower than a logarithmic axis goes, and none
# where that has no place for the mean. Where a mean spans powers of ten, its interval
# is that of its logarithm, as many times above it as below: the standard error of the
# one is that of the other, relative to it (the delta method).
curve(p_, i) = column(1) == p_ && strcol(2) eq word(names, i)
at(p_, i, col) = !curve(p_, i) ? NaN : col == 3 ? along(0) : column(col)
aside_(n_) = column(6) + column(5) > 2 * column(4) ? column(6) - column(4) : column(4) - column(5)
bound(p_, i, col) = logs[p_] && column(4) <= 0 || !curve(p_, i) ? NaN : \
    logs[p_] && scales[p_] eq "powers" ? column(4) * exp((2 * col - 11) * aside_(0) / column(4)) : \
    logs[p_] && column(col) <= 0 ? lows[p_] : column(col)
# Over steps about six markers a curve, not two of neighbours at one place.
stats data skip 1 using 1 nooutput
each = int(STATS_records / (6. * panels * curves))
each = each < 1 ? 1 : each
# Along a logarithmic axis, the rows next to six places.
near_(x_, i, k) = k > 6 ? 0 : abs(x_ - first * (last / first)**((k + 1. * i / \
    (curves + 1)) / 7)) * each * 6.1 <= 0.5 * last ? 1 : near_(x_, i, k + 1)
marked(p_, i) = (log_x ? !near_(column(3), i, 0) : \
    (int(column(0)) + i * (each > curves ? each / curves : 1)) % each) ? NaN : \
    at(p_, i, 4)

set style data lines
set multiplot
set label 90 "" at screen 0,0 noenhanced
do for [p=1:panels] {
    if (log_x) { set logscale x }
    set xrange [from:to]
    set xtics enhanced ()
    if (worded) { set xtics noenhanced scale 0 }
    do for [i=1:words(xticks)] {
        set xtics add ((worded ? format(said(word(xs, i))) : \
            number(num(word(xticks, i)), tens_x)) worded ? i : num(word(xticks, i)))
    }
    if (turned) { set xtics rotate by 45 right }
    unset logscale y
    if (logs[p]) { set logscale y }
    set yrange [lows[p]:highs[p]]
    set ytics enhanced ()
    do for [i=1:words(yticks[p])] {
        set ytics add (number(num(word(yticks[p], i)), tens[p]) \
            num(word(yticks[p], i)))
    }
    unset label
    unset arrow
    unset key
    column_ = (p - 1) % across
    row_ = (p - 1) / across
    x = left + column_ * (wide + gap)
    y = top + row_ * (tall + vgap)
    set lmargin at screen screen_x(x)
    set rmargin at screen screen_x(x + wide)
    set tmargin at screen screen_y(y)
    set bmargin at screen screen_y(y + tall)
    name_ = above ? ylabels[p] : titles[p]
    set title wrap(said(name_)) noenhanced offset 0,-0.6
    if (p == 1) {
        middle = top + (down * tall + (down - 1) * vgap) / 2
        set label 91 said(xlabel) center noenhanced \
            at screen screen_x((left + width - right) / 2),screen_y(height - 0.9 * em)
        if (!above) {
            set label 92 said(ylabels[1]) center rotate by 90 noenhanced \
                at screen screen_x(1.05 * em),screen_y(middle)
        }
        if (heading) {
            set label 93 said(title) center noenhanced font title_font \
                at screen 0.5,screen_y(1.1 * em)
        }
    }
    level = words(levels[p]) ? num(word(levels[p], 1)) : NaN
    # Bars would hide its name; panels of one quantity and one level have it once.
    if (level >= lows[p] && level <= highs[p] && !(bars && level < most[p])) {
        set arrow 1 from graph 0, first level to graph 1, first level nohead \
            back linecolor rgb "#888888" linewidth 1 dashtype (4,4)
        near = logs[p] ? log(highs[p] / level) / log(highs[p] / lows[p]) : \
            (highs[p] - level) / (highs[p] - lows[p])
        if (p == 1 || titles[p] eq titles[1] || !same) {
            set label 1 levels[p][strlen(word(levels[p], 1)) + 2:*] \
                at graph (level_side eq "left" ? 0.015 : 0.985), first level @level_side \
                offset 0,(near * tall < 1.3 * em ? -0.6 : 0.5) \
                textcolor rgb "#555555" noenhanced
        }
    }
    # Of each kind of mark the curves that have it, all or none. Intervals are in front of
    # bars, and behind curves; there each has wider ends than the one that may hide it.
    bands = training ? curves : 0
    boxes = bars ? curves : 0
    lines = worded ? 0 : curves
    markers_ = !training && !bars ? curves : 0
    sparse = training ? curves : 0
    behind = training || bars ? 0 : curves
    before = bars ? curves : 0
    plot for [i=1:bands] data skip 1 \
        using (at(p, i, 3)):(bound(p, i, 5)):(bound(p, i, 6)) \
        with filledcurves linetype line[i] \
        fillstyle transparent solid 0.15 noborder notitle, \
        for [i=1:boxes] data skip 1 \
        using (apart(at(p, i, 3), i)):(at(p, i, 4) / 2):(0.45 * each_wide):\
              (abs(at(p, i, 4)) / 2) \
        with boxxyerror linetype line[i] dashtype solid linewidth 1 \
        fillstyle transparent solid 0.4 border notitle, \
        for [i=1:behind] data skip 1 \
        using (apart(at(p, i, 3), i)):(bound(p, i, 5)):(0):\
              (bound(p, i, 6) - bound(p, i, 5)) \
        with vectors heads size screen 0.004 + 0.002 * (curves - i),90 linetype line[i] \
        dashtype solid linewidth 1.2 notitle, \
        for [i=1:lines] data skip 1 \
        using (apart(at(p, i, 3), i)):(at(p, i, 4)) smooth unique \
        with lines linetype line[i] notitle, \
        for [i=1:markers_] data skip 1 \
        using (apart(at(p, i, 3), i)):(at(p, i, 4)) \
        with points linetype line[i] notitle, \
        for [i=1:sparse] data skip 1 \
        using (at(p, i, 3)):(marked(p, i)) \
        with points linetype line[i] notitle, \
        for [i=1:before] data skip 1 \
        using (apart(at(p, i, 3), i)):(bound(p, i, 5)):(0):\
              (bound(p, i, 6) - bound(p, i, 5)) \
        with vectors heads size screen 0.005,90 linetype 100 \
        dashtype solid linewidth 1.2 notitle
}
if (legend) { # above the panels, as a plot of nothing
    unset label
    unset arrow
    unset title
    unset logscale
    unset border
    unset xtics
    unset ytics
    unset grid
    set xrange [0:1]
    set yrange [0:1]
    set lmargin at screen 0
    set rmargin at screen 1
    set label 1 said(by) center noenhanced at screen 0.5,screen_y(head + 0.6 * em)
    # a row is 1.22 em; that of a terminal is 1.5 in SVG, 1.16 by cairo, 1 in TeX
    leading = term eq "svg" ? 0.82 : tex ? 1.2 : 1.05
    set key at screen 0.5,screen_y(head + 1.22 * said_by * em) center top horizontal \
        maxcols beside_ Left reverse samplen 2.2 spacing leading
    if (bars) { # an empty one of two loops would have a place in the key
        plot for [i=1:curves] NaN with boxes linetype line[i] \
            dashtype solid linewidth 1 fillstyle transparent solid 0.4 border \
            title said(keys[i])
    } else {
        plot for [i=1:curves] NaN with linespoints linetype line[i] \
            title said(keys[i])
    }
}
unset multiplot
