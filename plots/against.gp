# against.gp - how far two checkpoints are apart: a panel for M and one for N, a row for
# each layer and a column for each head.
#
# data: layer, head, the head that it was compared with, distance of M, of N; NaN: not
# known. The colours end at the largest distance, but not beyond 1.41, that of two random
# matrices of one size, and not below 0.01, so that rounding is not seen.

if (!paper) { type = 14; width = 760 }
em = 1. * type
stats data skip 1 using 1 name "LAYERS" nooutput
stats data skip 1 using 2 name "HEADS" nooutput
stats data skip 1 using ($4 > $5 ? $4 : $5) name "APART" nooutput
most = APART_max > sqrt(2) ? sqrt(2) : APART_max < 0.01 ? 0.01 : APART_max
layers = int(LAYERS_max)
heads = int(HEADS_max)
left = 4.2 * em / width
right = 1 - 6.4 * em / width
gap = 1.6 * em / width
wide = (right - left - gap) / 2
cell = wide * width / heads
cell = cell > 2.2 * em ? 2.2 * em : cell < 0.7 * em ? 0.7 * em : cell
if (!exists("height")) { height = 6.8 * em + cell * layers; eval terminal(height) }
set palette defined (0 "white", 0.35 "#9ECAE1", 0.7 "#3182BD", 1 "#08306B")
set cbrange [0:most]
set cbtics most / 4 format "%.2g" scale 0
set xrange [0.5:heads + 0.5]
set yrange [layers + 0.5:0.5]
set tics scale 0
set xtics 1, heads > 16 ? 4 : heads > 8 ? 2 : 1
set ytics 1, layers > 24 ? 4 : layers > 12 ? 2 : 1
unset grid
unset key
set border 31 linewidth 0.6
set tmargin at screen 1 - 3.4 * em / height
set bmargin at screen 3.2 * em / height
set label 1 said(title) at screen 0.5,1 - 1.1 * em / height center noenhanced font title_font
set label 2 "head" at screen left + wide + gap / 2,0.9 * em / height center
set label 3 "layer" at screen 1.1 * em / width,0.5 center rotate by 90
set object 1 rectangle from graph 0,0 to graph 1,1 behind \
    fillcolor rgb "#DDDDDD" fillstyle solid noborder
set multiplot
set lmargin at screen left
set rmargin at screen left + wide
set title "M" offset 0,-0.6
unset colorbox
plot data skip 1 using 2:1:4 with image pixels
unset label
set lmargin at screen left + wide + gap
set rmargin at screen right
set title "N"
set format y ""
set colorbox user origin screen right + em / width,screen 3.2 * em / height \
    size screen em / width,screen 1 - 6.6 * em / height
plot data skip 1 using 2:1:5 with image pixels
unset multiplot
