# style.gp - what all figures share: sizes, terminals, colours, dashes, markers.
#
# A figure's script NAME.gp is a few lines of its own (data, texts, numbers),
# then this file, then one of the others here, all in one, so that
#     gnuplot NAME.gp                          draws NAME.svg
#     gnuplot -e "term='pdf'" NAME.gp          draws NAME.pdf
#     gnuplot -e "term='pdf'; size='column'" NAME.gp   as wide as a paper's column
# works wherever NAME.gp and NAME.tsv lie together. Change the look of every
# figure here, that of one figure in its NAME.gp.

if (!exists("term")) term = "svg"
tex = term eq "cairolatex"
if (!exists("out")) {
    out = name.(tex ? "-".term.".tex" : ".".term)
}

# `size` is how wide a figure is: column, that of LaTeX's article in two columns, or
# LaTeX's points, '240': 72.27 to the inch, as \the\columnwidth prints them.
paper = exists("size") # where a caption is the title
if (paper) { width = (size eq "column" ? 229.5 : real(size)) * 96 / 72.27 }

# Widths, heights and type are in 1/96 inch, a pixel of a page. Type is 9 pt in a
# paper, so that an index of 0.8 of it has 7. (pdfcairo takes a point for 1/72 inch
# where fontscale is 0.75; lines and markers are then as large as in the SVG.)
if (!exists("type")) type = 12
if (!exists("width")) width = 600
resolution = paper ? 3.125 : 2 # of a PNG: 300 points to the inch, or 192
terminal(height_) = \
    term eq "svg" ? sprintf("set terminal svg size %d,%d enhanced \
font 'sans-serif,%g' background rgb 'white'", width, height_, type) : \
    term eq "png" ? sprintf("set terminal pngcairo size %d,%d enhanced \
font 'sans,%g' fontscale %g linewidth %g pointscale %g", resolution * width, \
        resolution * height_, 0.75 * type, resolution, resolution, resolution) : \
    term eq "pdf" ? sprintf("set terminal pdfcairo size %.4fin,%.4fin enhanced \
font 'sans,%g' fontscale 0.75 linewidth 1.5 pointscale 1.1", width / 96., \
        height_ / 96., 0.75 * type) : \
    sprintf("set terminal cairolatex pdf \
size %.4fin,%.4fin colortext \
header '\\fontsize{%g}{%g}\\selectfont' linewidth 2 pointscale 0.8", \
        width / 96., height_ / 96., 0.75 * type, 0.9 * type)
set output out
if (exists("height")) { eval terminal(height) }

# LaTeX takes a text as it is where raw is set; else what means something there is
# escaped, half by half, since gnuplot's functions have no loops. Labels of tics are
# formats, in which % is %%.
if (!exists("raw")) raw = 0
special_ = '\#$%&_{}~^<>|"'
escaped_ = '\textbackslash{} \# \$ \% \& \_ \{ \} \textasciitilde{} \textasciicircum{} '.\
    '\textless{} \textgreater{} \textbar{} \char34{}'
latex_(s_) = s_ eq "␣" ? '\textvisiblespace{}' : strlen(s_) > 1 ? latex_(s_[1:strlen(s_) / 2]).latex_(s_[strlen(s_) / 2 + 1:*]) : \
    strlen(s_) && strstrt(special_, s_) ? word(escaped_, strstrt(special_, s_)) : s_
said(s_) = tex && !raw ? latex_(s_) : s_
format(s_) = strstrt(s_, "%") ? s_[1:strstrt(s_, "%")]."%".\
    format(s_[strstrt(s_, "%") + 1:*]) : s_
set title noenhanced
set xlabel noenhanced
set key noenhanced
set xtics noenhanced
set ytics noenhanced
# A title that is too long for the figure is written smaller, and where even that is too
# long, in two lines.
part_ = strstrt(title, "; ")
two_lines = part_ && !tex && strlen(title) > (width - 20) / 6.2 ? 1 : 0
letters = !two_lines ? strlen(title) : part_ > strlen(title) - part_ ? part_ : strlen(title) - part_
if (two_lines) { title = title[1:part_]."\n".title[part_ + 2:*] }
title_size = 0.62 * type * letters < width - 20 ? type : \
    int((width - 20) / 0.62 / letters)
scale_ = term eq "svg" ? 1 : 0.75
title_font = tex ? "" : sprintf(",%g", scale_ * (title_size < 10 ? 10 : title_size))

# Each variant has one line in every figure: a colour, a dash and a marker. No two
# share dash and marker, so a grey print tells them apart. Colours that the
# colour-blind tell apart: Wong, Nature Methods 8, 441 (2011). The baseline is
# black and solid; those that may coincide with it are dashed, so that both are
# seen. In the order of their numbers neighbours differ in all three. Of 60 lines
# 38 are those of variants here; a name from elsewhere has one of the others.
colours = "#D55E00 #0072B2 #009E73 #E69F00 #56B4E9 #CC79A7 #8C7F00"
markers = "5 9 13 11 4 8 6 12 10 2 1 3"
set dashtype 1 (14,5)
set dashtype 2 (3,4)
set dashtype 3 (14,4,3,4)
set dashtype 4 (7,5)
known = "full-rank two-step per-head fused symmetric"
known = known." two-step-tanh gqa mla mla-absorbed scale-outside"
known = known." linear shared-qk mqa shared-kv unscaled"
known = known." gated shared-qkv identity wide symmetric-data"
known = known." differential collaborative no-wq no-wv-wo biased"
known = known." talking-heads qk-norm gqa-qk-norm mfa tpa"
known = known." window sink mla-rope value-residual kv-shift nonlinear-query v-from-k two-step-narrow"
set linetype 100 linecolor rgb "#000000" linewidth 2.4 dashtype solid pointtype 7
do for [i=0:59] {
    set linetype 101 + i linecolor rgb word(colours, i % 7 + 1) linewidth 1.6 \
        pointtype int(word(markers, i % 12 + 1))
    if (i % 5) { set linetype 101 + i dashtype i % 5 } \
    else { set linetype 101 + i dashtype solid }
}
find(word_, i) = i > words(known) || word(known, i) eq word_ ? i : find(word_, i + 1)
hash(s_, n_) = strlen(s_) ? hash(s_[2:*], (31 * n_ + \
    strstrt("abcdefghijklmnopqrstuvwxyz0123456789-_.", s_[1:1])) % 9973) : n_
# The line of a variant.
look(word_) = word_ eq "standard" ? 100 : 100 + (find(word_, 1) <= words(known) ? \
    find(word_, 1) : words(known) + 1 + hash(word_, 0) % (60 - words(known)))
# That of the i-th of `curves` names, which no earlier one has; up to seven have
# colours of their own, too.
array line[500]
like_(n_, m_) = n_ == m_ || (n_ > 100 && m_ > 100 && (n_ - m_) % 7 == 0 && curves < 8)
free_(n_, i) = i < 1 ? n_ : like_(line[i], n_) ? 0 : free_(n_, i - 1)
next_(n_, i) = i >= 60 || free_(n_, i) ? n_ : \
    next_(n_ >= 160 ? 101 : n_ + 1, i)

# How far ticks are apart that are to be about x apart: 1, 2 or 5 times a power of
# ten.
nice_(x_, power_) = x_ / power_ < 1.5 ? power_ : x_ / power_ < 3.5 ? 2 * power_ : \
    x_ / power_ < 7.5 ? 5 * power_ : 10 * power_
nice(x_) = nice_(x_, 10**floor(log10(x_)))

# A word as a number; gnuplot 5.4 takes 1.0e-05, not 1e-05.
exponent_(s_) = strstrt(s_, "e")
num(s_) = exponent_(s_) && !strstrt(s_, ".") ? real(s_[1:exponent_(s_) - 1].".0".\
    s_[exponent_(s_):*]) : real(s_)

# A number at an axis: 20k, 0.05; 2 x 10^-5 where it is below 0.001 or above ten
# million, or `ten` of its axis says so.
power_(x_) = int(floor(log10(abs(x_)) + 1e-9))
front_(x_) = sprintf("%.4g", x_ / 10.**power_(x_))
raised_(f_, e_) = tex ? sprintf("$%s10^{%d}$", f_ eq "1" ? "" : f_."\\cdot ", e_) : \
    sprintf("%s10^{%s%d}", f_ eq "1" ? "" : f_."·", e_ < 0 ? "−" : "", abs(e_))
number(x_, ten) = x_ == 0 ? "0" : ten || abs(x_) < 0.99e-3 || abs(x_) >= 1e7 ? \
    raised_(front_(x_), power_(x_)) : abs(x_) >= 1e6 ? \
    sprintf("%.4gM", x_ / 1e6) : abs(x_) >= 1e4 ? sprintf("%.4gk", x_ / 1e3) : \
    sprintf("%.6g", x_)
# Is an axis of that scale logarithmic, of the means of which stats were made?
spans_(n_) = exists("STATS_records") && STATS_records && STATS_min > 0 && \
    STATS_max > 30 * STATS_min
logarithmic_(scale_) = (scale_ eq "log" || scale_ eq "powers" && spans_(0)) && \
    !(exists("ylim") && num(word(ylim, 1)) <= 0)

# About how many letters wide that is.
wide_(x_, ten) = strstrt(number(x_, ten), "10^{") ? 2.2 + 0.8 * \
    strlen(sprintf("%d", power_(x_))) + (front_(x_) eq "1" ? 0 : \
    strlen(front_(x_)) + 0.6) : strlen(number(x_, ten))
widest_(list_, ten, i) = i > words(list_) ? 0 : \
    wide_(num(word(list_, i)), ten) > widest_(list_, ten, i + 1) ? \
    wide_(num(word(list_, i)), ten) : widest_(list_, ten, i + 1)

# The places of about n_ ticks from low_ to high_, with blanks between.
linear_(x_, step_, high_) = x_ > high_ + 1e-6 * step_ ? "" : \
    sprintf("%.10g ", abs(x_) < 1e-6 * step_ ? 0 : x_).linear_(x_ + step_, step_, high_)
apart_(low_, high_, n_) = nice((high_ - low_) / (1. * n_))
linear(low_, high_, n_) = linear_(apart_(low_, high_, n_) * \
    ceil(low_ / apart_(low_, high_, n_) - 1e-6), apart_(low_, high_, n_), high_)
digit_(low_, high_, x_) = x_ >= low_ * 0.999999 && x_ <= high_ * 1.000001 ? \
    sprintf("%.10g ", x_) : ""
decades_(low_, high_, e_, by_) = 10.**e_ > high_ ? "" : \
    digit_(low_, high_, 10.**e_).decades_(low_, high_, e_ + by_, by_)
fine_(low_, high_, e_) = 10.**e_ > high_ ? "" : digit_(low_, high_, 10.**e_).\
    digit_(low_, high_, 2 * 10.**e_).digit_(low_, high_, 5 * 10.**e_).\
    fine_(low_, high_, e_ + 1)
first_(x_) = int(floor(log10(x_) + 1e-9))
powers_(low_, high_, n_) = decades_(low_, high_, first_(low_), \
    1 + int((log10(high_) - log10(low_)) / (n_ + 1)))
# On a logarithmic axis: powers of ten; 1, 2 and 5 times these; or, where even of
# these there are fewer than three, as on a linear one.
logarithmic(low_, high_, n_) = words(powers_(low_, high_, n_)) >= 3 ? \
    powers_(low_, high_, n_) : words(fine_(low_, high_, first_(low_))) >= 3 ? \
    fine_(low_, high_, first_(low_)) : linear(low_, high_, n_)

# What stats has found last, for an axis from 0; 1 where it has found nothing.
largest(n_) = exists("STATS_max") && STATS_max > 0 ? STATS_max : 1

set datafile separator tab
set datafile commentschars ""
set datafile missing "nan"

# A list of words with one more, which it may have.
listed_(list_, s_) = strstrt(" ".list_." ", " ".s_." ") ? list_ : \
    list_.(strlen(list_) ? " " : "").s_
# Has a word no letter that no number has?
numeric(s_) = !strlen(s_) || (strstrt("0123456789.-+e", s_[1:1]) && numeric(s_[2:*]))
# The values along x in the data; whether they are words; and whether each series is
# named there, so that it needs no legend.
xs = ""
worded = 0
named_along = exists("along")
if (named_along) {
    stats data skip 1 using (xs = listed_(xs, strcol(3)), \
        named_along = named_along && strcol(2) eq strcol(3), 0) nooutput
    do for [i=1:words(xs)] { if (!numeric(word(xs, i))) { worded = along eq "setting" } }
}
set tics nomirror
set border 3
set pointsize 0.6
set grid ytics linetype 1 linecolor rgb "#E4E4E4" linewidth 0.6
