# style.gp - what all figures share: terminals, colours, dashes.
#
# A figure's script NAME.gp is a few lines of its own (data, texts, numbers),
# then this file, then one of the others here, all in one, so that
#     gnuplot NAME.gp                          draws NAME.svg
#     gnuplot -e "term='pdf'" NAME.gp          draws NAME.pdf
# works wherever NAME.gp and NAME.tsv lie together. Change the look of every
# figure here, that of one figure in its NAME.gp.

# `size` is column (one of two of a paper), page (as wide as its text) or slide.

if (!exists("term")) term = "svg"
if (!exists("width")) width = 900
if (!exists("height")) height = 380
if (exists("size")) {
    if (!exists("down")) { down = 1 }
    if (size eq "column" && exists("columns")) { columns = 1 }
    width = size eq "column" ? 420 : size eq "page" ? 720 : 960
    height = size eq "slide" ? 540 : exists("$rows") ? height : \
        (size eq "column" ? 300 : 340) * (0.25 + 0.75 * down)
    if (exists("below") && size ne "slide") { height = height + below }
}
tex = term eq "tikz" || term eq "cairolatex"
if (!exists("out")) {
    out = name.(tex ? "-".term.".tex" : ".".term)
}

dumb = term eq "dumb"
if (term eq "svg") {
    set terminal svg size width,height font "sans,12" noenhanced \
        background rgb "white" linewidth 1
}
if (term eq "png") {
    set terminal pngcairo size 2*width,2*height font "sans,12" \
        noenhanced fontscale 2 linewidth 1.8
}
if (term eq "pdf") {
    set terminal pdfcairo size width/100.,height/100. font "sans,10" \
        noenhanced
}
if (term eq "tikz") {
    eval sprintf("set terminal tikz size %.2fin,%.2fin font '\\footnotesize'", \
        width / 100., height / 100.)
}
if (term eq "cairolatex") {
    set terminal cairolatex pdf size width/100.,height/100.
}
if (dumb) {
    set terminal dumb noenhanced size 79,17
} else {
    set output out
}

# A text is a line of a block: | and the text; where LaTeX takes another one for
# it, a tab and that. Nothing in a block is a command of gnuplot's. Labels of tics
# are formats, in which % is %%.
plain(line_) = strstrt(line_, "\t") ? line_[2:strstrt(line_, "\t") - 1] : \
    line_[2:*]
said(line_) = tex && strstrt(line_, "\t") ? line_[strstrt(line_, "\t") + 1:*] : \
    plain(line_)
format(s_) = strstrt(s_, "%") ? s_[1:strstrt(s_, "%")]."%".\
    format(s_[strstrt(s_, "%") + 1:*]) : s_
title = said($title[1])
# A title that is too long for the figure is written smaller.
letters = strlen(plain($title[1]))
title_size = 8.4 * letters < width - 20 ? 12 : int((width - 20) / 0.7 / letters)
title_font = tex ? "" : sprintf(",%d", title_size < 6 ? 6 : title_size)

# One colour and one dash for each variant, the same in every figure. Colours
# that the colour-blind tell apart: Wong, Nature Methods 8, 441 (2011). The
# baseline is black and solid; those that coincide with it are drawn over it
# with gaps, so that both are seen.
array ink[8] = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", \
                "#CC79A7", "#0072B2", "#B8A800"]
known = "standard per-head fused two-step two-step-tanh full-rank symmetric"
known = known." mqa gqa mla mla-absorbed wide shared-qk identity"
known = known." scale-outside unscaled symmetric-data collaborative"
known = known." shared-kv shared-qkv no-wq no-wv-wo linear gated"
known = known." qk-norm gqa-qk-norm biased talking-heads differential mfa"
known = known." window sink tpa mla-rope value-residual"

set linetype 1 linecolor rgb ink[1] linewidth 3.0 dashtype 1
set linetype 2 linecolor rgb ink[2] linewidth 1.8 dashtype (7,15)
set linetype 3 linecolor rgb ink[3] linewidth 3.0 dashtype (3,8)
set linetype 4 linecolor rgb ink[4] linewidth 2.0 dashtype 1
set linetype 5 linecolor rgb ink[5] linewidth 2.0 dashtype (9,4)
set linetype 6 linecolor rgb ink[6] linewidth 2.0 dashtype 1
set linetype 7 linecolor rgb ink[7] linewidth 2.0 dashtype 1
do for [i=8:14] {
    set linetype i linecolor rgb ink[i-6] linewidth 2.0 dashtype (16,4,4,4)
}
do for [i=15:20] {
    set linetype i linecolor rgb ink[i-13] linewidth 2.0 dashtype (5,5)
}
do for [i=1:8] {
    set linetype 20+i linecolor rgb ink[i] linewidth 2.0 dashtype 1
    set linetype 28+i linecolor rgb ink[i] linewidth 2.0 dashtype (6,4)
}
do for [i=37:50] {
    set linetype i linecolor rgb ink[2 + (i - 37) % 7] linewidth 2.0 \
        dashtype (12,3,3 + 3 * (i > 43),3)
}

# The linetype of a series: its own where it is known by name, else by place.
find(word_, i) = i > words(known) ? 0 : \
    word(known, i) eq word_ ? (i < 21 ? i : i + 16) : find(word_, i + 1)
look(word_, i) = find(word_, 1) ? find(word_, 1) : 21 + i % 16

# How far ticks are apart that are to be about x apart: 1, 2 or 5 times a power of
# ten.
nice_(x_, power_) = x_ / power_ < 1.5 ? power_ : x_ / power_ < 3.5 ? 2 * power_ : \
    x_ / power_ < 7.5 ? 5 * power_ : 10 * power_
nice(x_) = nice_(x_, 10**floor(log10(x_)))

# A cell as a number where the row is of that series.
of(word_, col) = strcol(1) eq word_ ? column(col) : NaN

set datafile separator tab
set datafile commentschars ""
set datafile missing "nan"
set tics nomirror
set border 3
if (!dumb) { set grid ytics linetype 1 linecolor rgb "#E4E4E4" linewidth 0.6 }
