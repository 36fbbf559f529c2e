# map.gp - a colour for each pair of values of two settings, in one or more
# panels; and its number, where a cell has room for that.
#
# data, names, keys, titles, ylabels, scales, levels, by, xlabel, ylim, heading: as in
# panels.gp; a row for each of keys, a column for each value along x
# Rows that are numbers have the lowest at the bottom.

panels = |titles|
rows = |keys|
upward = strstrt("0123456789", names[1:1])
columns_ = words(xs)
place(s_, i) = i > rows ? NaN : word(names, i) eq s_ ? (upward ? i : rows + 1 - i) : \
    place(s_, i + 1)
column_of(s_, i) = i > columns_ ? NaN : word(xs, i) eq s_ ? i : column_of(s_, i + 1)

# The colours of all panels.
stats data skip 1 using 4 nooutput
high = exists("STATS_records") && STATS_records ? STATS_max : 1
logs = logarithmic_(scales[1]) && high > 0
stats data skip 1 using (logs && $4 <= 0 ? NaN : $4) nooutput
low = exists("STATS_records") && STATS_records ? STATS_min : 0
if (exists("ylim")) { low = num(word(ylim, 1)); high = num(word(ylim, 2)) }
if (!(low < high)) { high = low + (low == 0 ? 1 : 0.1 * abs(low)) }
scale = logs ? logarithmic(low, high, 5) : linear(low, high, 4)
tens = logs && (low < 0.005 || high >= 1e5)
share(v_) = logs ? log(v_ / low) / log(high / low) : (v_ - low) / (high - low)
set palette defined (0 "#440154", 1 "#482878", 2 "#3E4A89", 3 "#31688E", \
    4 "#26828E", 5 "#1F9E89", 6 "#35B779", 7 "#6DCD59", 8 "#B4DE2C", 9 "#FDE725")

# How the panels lie, as in panels.gp.
if (!paper) { type = 14 }
em = 1. * type
longest = 1
do for [i=1:rows] {
    if (strlen(keys[i]) > longest) { longest = strlen(keys[i]) }
}
widest = 1
do for [i=1:columns_] {
    if (strlen(word(xs, i)) > widest) { widest = strlen(word(xs, i)) }
}
titled = 0
do for [p=1:panels] { if (strlen(titles[p])) { titled = 1 } }
across = int((width - 14 * em) / em / 10)
across = across > panels ? panels : across < 1 ? 1 : across
down = (panels + across - 1) / across
across = (panels + down - 1) / down
if (!exists("heading")) heading = !paper
left = (2.3 + 0.62 * longest) * em
right = (5.2 + 0.62 * widest_(scale, tens, 1)) * em
gap = 1.2 * em
wide = (width - left - right - gap * (across - 1)) / across
cell = wide / columns_
turned = (widest + 1) * 0.62 * em > cell
below_ = turned ? (0.9 + 0.45 * widest) * em : 1.4 * em
top = (heading ? 2.2 : 0.3) * em + (titled ? 1.7 : 0.6) * em
bottom = below_ + 1.8 * em
vgap = (titled ? 1.9 : 0.8) * em + (panels % across ? below_ : 0)
tall = rows * (cell < 1.7 * em ? 1.7 * em : cell > 3 * em ? 3 * em : cell)
if (exists("height")) { tall = (height - top - bottom - vgap * (down - 1)) / down } \
else { height = top + down * tall + vgap * (down - 1) + bottom }
eval terminal(height)
screen_x(x_) = x_ / (1. * width)
screen_y(y_) = 1 - y_ / (1. * height) # from the top
# A median that is all the steps there were is of seeds that needed more.
shown(v_) = (word(levels[int(column(1))], 2) eq "unsolved" && \
    v_ >= num(word(levels[int(column(1))], 1)) ? ">" : "").\
    sprintf(v_ == floor(v_) ? "%.9g" : "%.3g", v_)
stats data skip 1 using (strlen(shown(column(4)))) nooutput
numbered = cell > 0.62 * (STATS_max + 0.6) * em && tall / rows > 1.3 * em

unset key
unset grid
set border 31 linewidth 0.6
set tics scale 0
set xrange [0.5:columns_ + 0.5]
set yrange [0.5:rows + 0.5]
set cbrange [low:high]
if (logs) { set logscale cb }
set multiplot
do for [p=1:panels] {
    row_ = (p - 1) / across
    column_ = (p - 1) % across
    set xtics noenhanced ()
    set ytics noenhanced ()
    do for [i=1:columns_] {
        set xtics add ((row_ == down - 1 || p + across > panels ? \
            format(said(word(xs, i))) : "") i)
    }
    if (turned) { set xtics rotate by 45 right }
    do for [i=1:rows] {
        set ytics add ((column_ == 0 ? format(said(keys[i])) : "") \
            place(word(names, i), 1))
    }
    unset label
    unset object
    unset colorbox
    x = left + column_ * (wide + gap)
    y = top + row_ * (tall + vgap)
    set lmargin at screen screen_x(x)
    set rmargin at screen screen_x(x + wide)
    set tmargin at screen screen_y(y)
    set bmargin at screen screen_y(y + tall)
    set title said(titles[p]) noenhanced offset 0,-0.6
    set object 1 rectangle from graph 0,0 to graph 1,1 behind \
        fillcolor rgb "#DDDDDD" fillstyle solid noborder
    if (p == 1) {
        middle = top + (down * tall + (down - 1) * vgap) / 2
        set label 91 said(xlabel) center noenhanced \
            at screen screen_x((left + width - right) / 2),screen_y(height - 0.8 * em)
        set label 92 said(by) center rotate by 90 noenhanced \
            at screen screen_x(0.9 * em),screen_y(middle)
        set label 94 said(ylabels[1]) center rotate by 90 noenhanced \
            at screen screen_x(width - 0.9 * em),screen_y(middle)
        if (heading) {
            set label 93 said(title) center noenhanced font title_font \
                at screen 0.5,screen_y(1.1 * em)
        }
        set colorbox user noborder origin screen screen_x(width - right + em),\
            screen screen_y(height - bottom) size screen screen_x(em),\
            screen (height - top - bottom) / height
        set cbtics enhanced offset -0.5,0 ()
        do for [i=1:words(scale)] {
            set cbtics add (number(num(word(scale, i)), tens) num(word(scale, i)))
        }
    }
    here(n_) = column(1) == p && (!logs || column(4) > 0)
    plot data skip 1 using (here(0) ? column_of(strcol(3), 1) : NaN):(place(strcol(2), 1)):\
        (0.5):(0.5):(here(0) ? column(4) : NaN) with boxxyerror fillstyle solid 1 noborder \
        linecolor palette, \
        for [n=1:numbered ? 1 : 0] data skip 1 using \
        (here(0) ? column_of(strcol(3), 1) : NaN):\
        (place(strcol(2), 1)):(shown(column(4))):\
        (share(column(4)) < 0.55 ? 0xFFFFFF : 0) \
        with labels noenhanced textcolor rgb variable
}
unset multiplot
