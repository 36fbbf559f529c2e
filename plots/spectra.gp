# spectra.gp - the singular values of every head of a model, a panel for each layer.
#
# data:  layer, head, M or N, which singular value, its size over the largest
# shape: layers, heads, and how many singular values an M and an N have

layers = int(word(shape, 1))
heads = int(word(shape, 2))
k = int(word(shape, 3))
each = k + int(word(shape, 4))
across = layers < 3 ? layers : layers < 9 ? 3 : 6
down = (layers + across - 1) / across
if (!paper) { type = 14; width = 120 + (across > 3 ? 140 : 220) * across }
em = 1. * type
if (!exists("height")) { height = 7.5 * em + (width / across * 0.7 + 3.4 * em) * down; eval terminal(height) }
set logscale y
stats data skip 1 using ($5 > 1e-4 ? $5 : NaN) nooutput
set yrange [0.7 * STATS_min:1.3]
set xrange [0.5:(k > each - k ? k : each - k) + 0.5]
set ytics scale 0
set xtics nomirror scale 0
unset key
left = 5.4 * em / width
bottom = 5.2 * em / height
set multiplot layout down,across title said(title) noenhanced font title_font margins \
    screen left, 1 - em / width, bottom, 1 - 4 * em / height \
    spacing screen 1.2 * em / width, 4.2 * em / height
set label 1 "singular value, over the largest" at screen 1.2 * em / width,0.5 center rotate by 90
set label 2 "which one, the largest first: M blue, N orange; a line for each head" \
    at screen 0.5,1.2 * em / height center
rows(layer, head, from) = ((layer - 1) * heads + head - 1) * each + from
do for [p=1:layers] {
    set title sprintf("layer %d", p) offset 0,-0.6
    if ((p - 1) % across) {
        set ytics ("" 1, "" 0.1, "" 0.01, "" 0.001)
    } else {
        set ytics ("1" 1, "0.1" 0.1, "0.01" 0.01, "0.001" 0.001)
    }
    plot for [h=1:heads] data skip 1 every ::rows(p, h, k)::rows(p, h, each) - 1 using 4:5 \
            with lines linecolor rgb "#E69F00" linewidth 1, \
        for [h=1:heads] data skip 1 every ::rows(p, h, 0)::rows(p, h, k) - 1 using 4:5 \
            with lines linecolor rgb "#0072B2" linewidth 1
    unset label 1
    unset label 2
}
unset multiplot
