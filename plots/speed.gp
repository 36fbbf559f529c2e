# speed.gp - GFLOP/s of matmul, attend and training steps against their size.
#
# data: series, FLOPs of one call, GFLOP/s; the series "peak" has one line

stats data skip 1 using (of("peak", 3)) nooutput
peak = STATS_max
names = "matmul attend 'training step' 'attention layer'"
set title title
set logscale x
set format x "%.0s%c"
set xlabel "FLOPs of one call"
set ylabel "GFLOP/s"
set yrange [0:peak * 1.12]
set arrow 1 from graph 0, first peak to graph 1, first peak nohead \
    linecolor rgb "#888888" linewidth 1 dashtype (4,4)
set label 1 sprintf("multiply-adds in registers: %.0f", peak) \
    at graph 0.01, first peak offset 0,0.6 textcolor rgb "#666666"
if (dumb) { unset arrow 1; unset label 1 }
set pointsize 1.3
set grid noytics
set key outside right top Left reverse
plot for [i=1:4] data skip 1 \
    using (of(word(names, i), 2)):(of(word(names, i), 3)) \
    with points pointtype (i == 1 ? 6 : i == 2 ? 4 : i == 3 ? 7 : 5) \
    linecolor rgb ink[i == 1 ? 1 : i == 2 ? 7 : i == 3 ? 5 : 4] \
    title word(names, i)
