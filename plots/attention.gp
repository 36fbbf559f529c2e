# attention.gp - a map of weights for each head, a row of maps for each place.
#
# data:  head, row, column, token that is the query, that is the key, weight
# heads: for each whose tokens are queries, and keys, 0 for the array firsts, 1 for
#        seconds; and its name

across = |heads| < 2 ? 1 : 2
down = (|heads| + across - 1) / across
each = across == 1 ? 400 : 290
if (!paper) { width = 74 + each * across }
if (!exists("height")) { height = 75 + (each + 15) * down; eval terminal(height) }
colon = strstrt(title, ": ")
if (across == 1 && colon) { title = title[1:colon]."\n".title[colon + 2:*] }
set multiplot layout down,across title said(title) noenhanced font title_font margins \
    screen 60. / width, 1 - 64. / width, 75. / height, 1 - 70. / height \
    spacing screen 50. / width, 66. / height
set palette defined (0 "#FFFFFF", 0.5 "#56B4E9", 1 "#00285A")
set cbrange [0:1]
set colorbox user origin screen 1 - 52. / width, screen 75. / height \
    size screen 12. / width, screen 1 - 145. / height
set cbtics 0,1 scale 0 offset -0.6,0
set cblabel "weight" offset -1.8,0
unset key
unset grid
set border 31 linewidth 0.6
set tics scale 0
small(n) = sprintf(",%g", n > 32 ? 3 : n > 24 ? 6 : n > 16 ? 7 : scale_ * 11)
if (!exists("seconds")) { array seconds[1] = [''] }
token(two_, i) = format(said(two_ ? seconds[i] : firsts[i]))
queries(p) = int(word(heads[p], 1))
keys(p) = int(word(heads[p], 2))
first = 0
do for [p=1:|heads|] {
    set title heads[p][5:*] offset 0,-0.7
    wide = keys(p) ? |seconds| : |firsts|
    high = queries(p) ? |seconds| : |firsts|
    by_column = small(wide)
    by_row = small(high)
    set xtics rotate by 90 right font by_column offset 0,0.2
    set ytics font by_row offset 0.6,0
    set xtics ()
    set ytics ()
    do for [i=1:wide] { set xtics add (token(keys(p), i) i - 1) }
    do for [i=1:high] { set ytics add (token(queries(p), i) i - 1) }
    set xrange [-0.5:wide - 0.5]
    set yrange [high - 0.5:-0.5]
    if (p > |heads| - across) { set xlabel "key" offset 0,0.8 } \
    else { unset xlabel }
    unset label 1
    if (p % across == 1 || across == 1) {
        set label 1 "query" at screen 12. / width, graph 0.5 center rotate by 90
    }
    plot data skip 1 every ::first::first + high * wide - 1 \
        using 3:2:($3 - 0.5):($3 + 0.5):($2 - 0.5):($2 + 0.5):6 \
        with boxxyerror fillstyle solid 1 noborder linecolor palette
    unset colorbox
    first = first + high * wide
}
unset multiplot
