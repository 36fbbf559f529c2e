# distances.gp - a map of scores for each head (down) and distance (across).
#
# data:   head, distance, token that is the query, that is the key, score
# heads, tokens: how many there are; distances: which

stats data skip 1 using (abs(column(5))) nooutput
most = largest(0)
across = words(distances)
if (!dumb) {
    set multiplot layout heads,across title title noenhanced font title_font margins \
        screen 62. / width, 1 - 66. / width, 50. / height, 1 - 62. / height \
        spacing screen 14. / width, 18. / height
}
set palette defined (-1 "#B2182B", -0.5 "#F4A582", 0 "#FFFFFF", \
    0.5 "#92C5DE", 1 "#053061")
set cbrange [-most:most]
set colorbox user origin screen 1 - 54. / width, screen 50. / height \
    size screen 12. / width, screen 1 - 112. / height
set cbtics scale 0 offset -0.6,0
set cblabel "score" offset -1.8,0
unset key
unset grid
unset xtics
unset ytics
set border 31 linewidth 0.6
set xrange [-0.5:tokens - 0.5]
set yrange [tokens - 0.5:-0.5]
do for [p=1:dumb ? 1 : heads * across] {
    head = (p - 1) / across + 1
    column_ = (p - 1) % across + 1
    if (dumb) { set title title } else {
        if (head == 1) {
            set title "distance ".word(distances, column_) offset 0,-0.7
        } else { unset title }
    }
    if (head == heads) { set xlabel "key" offset 0,0.5 } else { unset xlabel }
    unset label 1
    if (column_ == 1) {
        set label 1 sprintf("head %d, query", head) at screen 16. / width, \
            graph 0.5 center rotate by 90
    }
    first = (p - 1) * tokens * tokens
    plot data skip 1 every ::first::first + tokens * tokens - 1 \
        using 4:3:($4 - 0.5):($4 + 0.5):($3 - 0.5):($3 + 0.5):5 \
        with boxxyerror fillstyle solid 1 noborder linecolor palette
    unset colorbox
}
if (!dumb) { unset multiplot }
