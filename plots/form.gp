# form.gp - a matrix M as a picture, a point for each entry.
#
# data: row, column, entry. The colours end at three standard deviations, so that a few
# large entries do not make all others white.

if (!paper) { type = 14; width = 560 }
stats data skip 1 using 3 nooutput
most = STATS_stddev > 0 ? 3 * STATS_stddev : 1
stats data skip 1 using 2 name "COLUMNS" nooutput
d = COLUMNS_max
if (!exists("height")) { height = 0.9 * width; eval terminal(height) }
set title said(title) noenhanced font title_font
set palette defined (-1 "#0072B2", 0 "white", 1 "#D55E00")
set cbrange [-most:most]
set cbtics scale 0
set cblabel "colours end at three standard deviations"
set xrange [0.5:d + 0.5]
set yrange [d + 0.5:0.5]
set size ratio 1
set margins 9, 11, 3.2, 2 # left, right, below, above
set tics scale 0
unset grid
unset key
set border 31 linewidth 0.6
set xlabel "entry of the key's token"
set ylabel "entry of the query's token"
plot data skip 1 using 2:1:3 with image
