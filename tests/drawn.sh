#!/bin/sh
# drawn.sh BUILD - the data of each kind of figure, drawn as it is: from the runs'
# files to the figure's table, its caption and its SVG. And whatever a title, a
# label, a token, a column or a record holds is seen as it is, in every format, and
# nothing in it is executed. Nothing else looks into a picture.

build=$1
. tests/lib.sh
companion gnuplot "all figures" || { finish; exit; }
short="--steps 20 --test 16 --validate 16 -q --no-figures"
# One document has every figure for LaTeX: it compiles, with nothing too wide.
latex=
companion pdflatex "compiling figures for LaTeX" && latex=yes
printf '%s\n' '\documentclass[twocolumn]{article}' '\usepackage{color,graphicx}' \
    '\begin{document}' >figures.tex
# small FIGURE: narrower than a column, whatever its size.
small() {
    printf '\\graphicspath{{%s/}}\\resizebox{5cm}{!}{\\input{%s.tex}}\\par\n' "${1%/*}" "$1" >>figures.tex
}
# Each hostile text that is executed makes this file, somewhere.
unharmed() { [ -z "$(find . -name CANARY)" ] && ok || complain "$1: executed"; }

# --- names: that of a directory, which anybody may choose
cat >hostile <<'LIST'
it's "quoted" \ twice \\ and \n \x41 $(touch CANARY) ${HOME} `touch CANARY`
<touch CANARY
|touch CANARY
x'; system("touch CANARY"); y='
x"; system('touch CANARY'); y="
@touch @CANARY {=99 x} {Symbol a} x^2_{i} &{skip} ^_~#%&{}[]<>*+-=
% a comment # another %% %d %s %n
\input{CANARY} \end{document} \immediate\write18{touch CANARY} $x$ --- `` ''
]; system("touch CANARY") #
<script>stolen()<b>&amp;&lt; [x](javascript:stolen())
é ß “quote” – dash
LIST
"$qkv" compare -v standard -t reverse --lr 0.001,0.003 --seeds 1 $short -o grid >out 2>err || complain "compare"
number=0
while IFS= read -r text; do
    number=$((number + 1)) figure=title$number/figures/test_loss-lr-reverse
    mkdir named$number
    cp -r grid/*lr0.001* "named$number/$text"
    cp -r grid/*seed1* named$number
    "$qkv" plot named$number -o "title$number" --x lr --y test_loss --by run \
        --format svg,png,pdf,cairolatex -q >out 2>err && [ ! -s err ] && ok ||
        complain "title $number"
    seen=$(printf %s "$text" | tr ' "\\' ___ | sed "s/'/_/g; s/&/\&amp;/g; s/</\&lt;/g")
    [ "$(grep -cF -- ">$seen</text>" $figure.svg)" -eq 1 ] && ok || complain "not what is seen: $seen"
    cp $figure.svg before.svg
    (cd title$number/figures && gnuplot test_loss-lr-reverse.gp) 2>err &&
        cmp -s before.svg $figure.svg && ok || complain "title $number: drawn again, differs"
    small $figure-cairolatex
done <hostile
unharmed "a name"
text=$(printf '\033]0;owned\007')
refuses 2 'has a control character' \
    "$qkv" plot grid -o refused --x lr --y test_loss --gnuplot "$text" -q

# --- for a paper: as wide as asked, type that can be read, maths, a line for each variant
figure=made/figures/test_loss-lr-reverse
for pair in column:228.6 455:453.5 300.5:299.4; do
    "$qkv" plot grid -o made --x lr --y test_loss --size "${pair%:*}" --format pdf,svg -q 2>err ||
        complain "plot --size $pair"
    page=$(grep -a -o '/MediaBox *\[[^]]*' $figure.pdf | awk '{ print $(NF - 1) }')
    awk -v page="$page" -v asked="${pair#*:}" 'BEGIN { exit !(page <= asked + 0.5 && page > asked - 1.5) }' &&
        ok || complain "--size $pair: the page is $page points wide"
    # a pixel of SVG is 0.75 points
    grep -o 'font-size="[0-9.]*"' $figure.svg | awk -F '"' '$2 * 0.75 < 7 { exit 1 }' && ok ||
        complain "--size $pair: type under 7 points"
done
# a line of one's own: names, limits, and maths
"$qkv" plot grid -o made --x lr --y test_loss --size 240 --format svg,cairolatex -q \
    --gnuplot "raw = 1; xlabel = '\$W^Q\$'; keys[1] = 'ours'; heading = 1; title = 'a title'; ylim = '0 4'" 2>err && ok ||
    complain "plot with a line of gnuplot"
grep -q '>a title</text>' $figure.svg && grep -q '> 4<\|>4<' $figure.svg && grep -qF '$W^Q$' $figure-cairolatex.tex && ok ||
    complain "a line of gnuplot changes nothing"
refuses 1 'undefined variable: nothing' "$qkv" plot grid -o made --x lr --y test_loss --format svg -q \
    --gnuplot 'x = nothing'
"$qkv" plot grid -o made --x lr --y test_loss --log-y --format svg -q
grep -q '^ width="600"' $figure.svg && [ "$(grep -c '>[0-9.]*</tspan></text>' $figure.svg)" -ge 5 ] && ok ||
    complain "a figure for a page: its width, or the ticks of an axis under a decade"
"$qkv" plot grid -o made --x lr --y test_loss --log-y --format svg -q --gnuplot "ylim = '0 4'" 2>err &&
    grep -q '> 4<\|>4<' $figure.svg && ok || complain "limits from 0 on a logarithmic axis"
"$qkv" plot grid -o made --size column --format pdf,cairolatex -q
printf '\\graphicspath{{made/figures/}}\\noindent\\input{%s}%%\n\\par x\\par\n' \
    made/figures/curves-reverse-cairolatex.tex made/figures/parameters-cairolatex.tex >>figures.tex
printf '%s\n' '\noindent\includegraphics{{made/figures/curves-reverse}.pdf}' >>figures.tex
{
    printf 'name = "x"\ntitle = "x"\ncurves = 8\n'
    cat "$build/plots/style.gp"
    printf 'print look("%s"), " %s"\n' $(for v in "$build"/variants/*.so; do
        v=$(basename "$v" .so) && echo "$v $v"
    done)
    for v in standard per-head fused two-step two-step-tanh full-rank symmetric; do
        echo "print 'colour ', look('$v') == 100 ? 'black' : word(colours, (look('$v') - 101) % 7 + 1)"
    done
} >lines.gp
gnuplot lines.gp 2>lines && awk '/^colour/ { twice += colour[$2]++; next }
    NF == 2 { n++; i = $1 - 101; key = i < 0 ? "black" : i % 5 " " i % 12
    twice += seen[key]++; $1 > 138 && unknown++ } END { exit !(n >= 38 && !twice && !unknown) }' lines && ok ||
    complain "two variants share dash and marker or colour, or one has no line: $(sort -n lines | tr '\n' ' ')"

# --- the square of equiv: powers of ten, in a page's width
"$qkv" equiv -v standard,two-step,mla -t recall --steps 10 --d-model 16 -q -o square --format svg,cairolatex >out 2>err &&
    ! grep -q '[0-9]e-[0-9]' square/figures/equivalence.svg &&
    grep -q '>10</tspan>\|·10</tspan>' square/figures/equivalence.svg &&
    grep -q '10^{-[0-9]*}\$' square/figures/equivalence-cairolatex.tex && ok || complain "the square of equiv"

# --- tokens of a text
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    printf 'Az %% \\ ^ _ ~ # & { } $ < > " '"'"' ` | -- [ * @ é 漢 \t \033[31m\n'
done >text
"$qkv" compare -v standard -t text --file text --seeds 1 $short -o read >out 2>err
"$qkv" inspect read/text.standard* --attention -q -o read --format svg,cairolatex >out 2>err && [ ! -s err ] && ok ||
    complain "attention of a hostile text"
for token in % '\' ^ _ '~' '#' '&amp;' '{' '}' '$' '&lt;' '>' '\x22' ’ '`' ␣; do
    [ "$(grep -cF "<text>$token</text>" read/figures/attention.svg)" -gt 1 ] && ok ||
        complain "the token $token is not seen"
done
small read/figures/attention-cairolatex
printf '%s\n' '\end{document}' >>figures.tex
# typeset FILE: it compiles, with nothing too wide.
typeset() {
    [ "$latex" ] || return 0
    TEXINPUTS=.:made/figures: pdflatex -interaction=nonstopmode -halt-on-error "$1" >tex.log 2>&1 </dev/null &&
        ! grep -q Overfull tex.log && ok || complain "$1: $(grep -A3 '^!\|Overfull' tex.log)"
}
typeset figures.tex
unharmed "a title or a token, compiled"

# --- the words of a stranger's record
text='[x](javascript:alert) ![y](http://z/a.png) <b>&lt; www.a.b "q" \input{CANARY} ~^--$x$'
cp -r grid strange
printf 'train\tfrom=%s \\end{flushleft} 漢\n' "$text" >>strange/experiment.tsv
"$qkv" report strange -o page -q 2>err && ok || complain "report of a hostile record"
rm -f err
grep -v '^    ' page/report.md >words.md # all but code
! grep -q '^```' page/report.md && ! grep -q '[^\\]](j\|[^\\]](http\|[^\\]<b\|http://\|www\.a\|[^\\]&lt' words.md &&
    ! LC_ALL=C grep -q "$(printf '\033')" page/*.* && ok || complain "Markdown takes a record's words for its own"
if companion pandoc "a record's words in report.html"; then
    ! grep -q '<b>\|<a \|<img src="[^d]\|&lt;b&gt;&lt;' page/report.html && ok ||
        complain "HTML takes a record's words for its own"
    # It is one file that can be sent, with its figures in it.
    expect "report.html needs other files" [ -z "$(grep '<script\|src="[^d]\|href="[^#]' page/report.html)" ]
    for figure in page/figures/*.svg; do
        name=$(basename "$figure" .svg)
        sed -n 's/.*src="data:image\/svg+xml;base64,\([^"]*\)" alt="'"$name"'".*/\1/p' page/report.html |
            base64 -d | cmp - "$figure" && ok || complain "report.html: its $name is another one"
    done
fi
sed '1,/begin{document}/d' page/report.tex | grep -v '^\\input{[a-z]*/[a-z_-]*}$' >words.tex
cat page/tables/*.tex page/figures/*.tex >>words.tex
! grep -q '\\input\|\\end{verbatim}\|\\href\|\\url' words.tex && ok ||
    complain "LaTeX takes a record's words for its own"
(cd page && failed=0 && typeset report.tex && [ $failed -eq 0 ]) && ok || complain "report.tex of a hostile record"
unharmed "a record"

# --- the data of each kind of figure
"$qkv" compare -v standard,two-step -t reverse,recall --d-k 2,4 --seeds 3 $short --log-every 5 -o many >out 2>err || complain "compare"
plot() { "$qkv" plot many -o drawn -q --format svg "$@" 2>err && [ ! -s err ] && ok || complain "plot $*"; }
# rows FILE: the rows of a figure's data, without that of the names.
rows() { sed 1d "drawn/figures/$1.tsv"; }
# Options, the figure that they make, how many rows its data have, and words of its
# caption and of its picture.
while IFS='|' read -r options figure number caption seen; do
    plot $options
    [ -z "$number" ] || expect "$figure: not $number rows" [ "$(rows $figure | wc -l)" -eq "$number" ]
    expect "$figure.txt: not \"$caption\"" grep -q -- "$caption" "drawn/figures/$figure.txt"
    expect "$figure.svg: not \"$seen\"" grep -q -- "$seen" "drawn/figures/$figure.svg"
done <<'END'
--x flops --y test_loss|test_loss-flops|8||FLOPs of attention per token
--x test_loss --y test_accuracy --by variant,seed|test_accuracy-test_loss|24|one seed|>two-step,3<
--x variant --y test_accuracy|test_accuracy-variant|8||>two-step</text>
--x task --y test_accuracy --by d-k --where variant=standard|test_accuracy-task|4|mean of 3 seeds, 95% interval\. Drawn: test accuracy against task|>recall</text>
--x d-k --y test_accuracy --by seed|test_accuracy-d-k|24|one seed|recall, variant two-step
--x seed --y test_loss|test_loss-seed|24|one seed|>two-step</text>
--x run --y test_loss|test_loss-run|24|one seed|>two-step</text>
--map --x d-k --y test_loss|test_loss-d-k-map|8|mean of 3 seeds\. |>two-step</text>
--map --x d-k --y parameters|parameters-d-k-map|8|mean of 3 seeds\. |>3712<
END
expect "bars of tasks" [ "$(rows test_accuracy-task | cut -f2,3 | tr '\n\t' ', ')" = '2 recall,2 reverse,4 recall,4 reverse,' ]
# maps: numbers in their cells, axes sorted
first=$(rows test_loss-d-k-map | sed -n 1p | cut -f4)
expect "a cell of the map" grep -q ">$(printf %.3g "$first")<" drawn/figures/test_loss-d-k-map.svg
"$qkv" compare -v standard -t reverse --d-k 2,16,4 --lr 0.01,0.0005,0.003 --seeds 1 $short -o cells >out 2>err
"$qkv" plot cells -o cells --map --x d-k --by lr --y test_loss -q --format svg 2>err
expect "an axis of a map is not sorted" grep -q "^names = '0.0005 0.003 0.01'" cells/figures/test_loss-d-k-reverse-map.gp
expect "a map's values" [ "$(sed 1d cells/figures/test_loss-d-k-reverse-map.tsv | cut -f3 | uniq | tr '\n' ' ')" = '2 4 16 2 4 16 2 4 16 ' ]
plot --y loss --where variant=two-step
expect "one of the curves" [ "$(rows loss | cut -f2 | uniq)" = two-step ]
# several experiments in one figure
"$qkv" compare -v standard,fused -t recall --d-k 2 --seed 7 $short --log-every 5 -o more >out 2>err
"$qkv" plot many more -o drawn -q --format svg --y loss --by variant,seed 2>err && ok || complain "plot of two experiments"
expect "the other's run" grep -q '>fused,7</text>' drawn/figures/loss.svg
# whatever the kind, only seeds are averaged: what else varies makes figures of its own
for kind in '--x variant' '--x task' '--map --x d-k' '--x d-k' '--by task --x d-k'; do
    rm -rf drawn && plot $kind --y test_loss
    [ -z "$(grep -L "3 seeds" drawn/figures/*.txt)" ] && ok || complain "plot $kind averages more than seeds"
done
# a grid: 2 figures of curves and 1 of bars; small multiples in them
"$qkv" compare -v standard,two-step -t reverse,recall --d-k 2,4 --lr 0.001,0.003,0.01,0.03 --seeds 1 \
    --steps 10 --test 16 --validate 16 --log-every 5 -o multiples --format svg -q >out 2>err
expect "a grid of 2 x 4 makes other figures" [ "$(ls multiples/figures/*.svg | wc -l)" -eq 3 ]
expect "a grid of 2 x 4 on 2 tasks has not 4 panels" [ "$(cut -f1 multiples/figures/validation_loss.tsv | sort -un | tail -n 1)" -eq 4 ]
expect "it does not say how rates are chosen" grep -q 'best for the others in what is judged: test accuracy (standard 0' multiples/figures/validation_loss.txt

# --- a report has one choice of rates: its figure and its table agree to the last digit
# agree EXPERIMENT FIGURE: at each d_k the figure's test loss is the table's.
agree() {
    "$qkv" table "$1" --verdicts --tsv --columns task,variant,test_loss |
        sed -n 's/^recall.d-k\([0-9]*\)/\1/p' | sort >in-table
    awk -F '\t' 'NR > 1 { printf "%s\t%s\t%.3g\n", $3, $2, $4 }' "$2" | sort >in-figure
    [ -s in-table ] && expect "$2: not what the table shows" cmp in-table in-figure
}
# README's own example, with fewer seeds and steps; and the same as its table judges by itself.
sed -n '/^## A figure for a report/,/^## /s/^    qkv //p' "$top/README.md" >example
expect "README has no example of a report" [ "$(cut -d ' ' -f 1 example | tr '\n' ' ')" = 'compare plot table report ' ]
for judged in '' own; do
    rm -rf width width-report
    while read -r words; do
        case $words in
        compare*) words="$words --seeds 3 --steps 120 --test 64 --validate 64 -q --no-figures" ;;
        plot*) words="$words -o width" ;;
        esac
        [ ! "$judged" ] || words=$(printf %s "$words" | sed 's/ --judge [a-z_]*//')
        "$qkv" $words >out 2>err && ok || complain "README's qkv $words"
    done <example
    agree width width/figures/test_loss-d-k-recall.tsv
    agree width width-report/figures/test_loss-d-k-recall.tsv
    # The note of the tables and the caption name the criterion and the rates, in the same words.
    rates=$(sed -n 's/.*in what is judged: \(.*)\)\.$/\1/p' width-report/figures/test_loss-d-k-recall.txt)
    [ "$rates" ] && expect "the note has other rates than the caption" grep -qF "$rates" width-report/report.md
    [ "$judged" ] || expect "rates are not chosen by --judge" [ "${rates%% (*}" = 'test loss' ]
done
expect "judged by itself, the table has one criterion" [ "$(printf %s "$rates" | grep -c 'accuracy (.*steps (\|steps (.*accuracy (')" -eq 1 ]

# Tasks or symbols that are compared have no guess in common: none is shown as that of all.
"$qkv" compare -v standard -t reverse,sort --by task --seed 0,1 $short -o tasks >out 2>err
expect "a report of tasks" "$qkv" report tasks -q -o tasks-told
[ -z "$(grep 'guessing\|on )' tasks-told/report.md)" ] && [ -s tasks-told/tables/all-tasks.tex ] &&
    grep -qx '.input{tables/all-tasks}' tasks-told/report.tex && ok || complain "the table of all tasks"
expect "two columns of one name" [ "$(head -n 1 out | cut -f 1,2)" = 'group	task' ]
"$qkv" compare -v standard -t sort --symbols 2,4 --by symbols --seeds 2 $short -o symbols --markdown >out 2>err
expect "a guess of two alphabets" grep -qx sort out
# An axis of answers that are numbers and of others names both measures, and no unit of one.
"$qkv" compare -v standard -t reverse,subset --by task --seeds 1 $short -o measures >out 2>err
"$qkv" plot measures --x variant --by task --y test_loss,test_accuracy -o drawn -q --format svg 2>err
expect "an axis of two measures" grep -q "^array ylabels.* = .'test loss', 'test accuracy or R^2'" drawn/figures/curves-variant.gp
# A setting that is 0 in some runs is not what it is in the others.
expect "a report leaves out seed 0, or runs without an MLP" grep -q 'seed 0, 1;.* mlp 0, 4;' tasks-told/report.md

# --- what is asked for wrongly, and leaves nothing
while IFS='|' read -r words options; do
    refuses 2 "$words" "$qkv" plot many -o nothing -q --format svg $options
done <<'END'
the values of variant are standard, two-step|--where variant=mqa
give a name and its value|--where d-k
--map: it has no effect without --x|--map
no run has a setting or result of that name|--x d-k --y test_loss --by quantity
END
expect "what is refused leaves files" [ -z "$(find nothing -type f 2>/dev/null)" ]

"$qkv" plot many -o own --x d-k --y test_loss --format svg -q --gnuplot 'free_y = 1' 2>err
{ sed '/^set style data lines/q' own/figures/test_loss-d-k.gp; echo 'print highs[1] == highs[2]'; } >own/figures/own.gp
expect 'free_y: two panels share an axis' [ "$(cd own/figures && gnuplot own.gp 2>&1)" = 0 ]

# --- a logarithmic axis, and what has no place on it
for accuracy in '-$3' 'NR == 2 ? 0 : $3'; do
    rm -rf zero
    cp -r grid zero
    for log in zero/*/log.tsv; do
        awk -F '\t' -v OFS='\t' "NR > 1 { \$3 = $accuracy } 1" "$log" >x && mv x "$log"
    done
    "$qkv" plot zero -o zero --y accuracy --log-y --gnuplot 'log_x = 1' --format svg >out 2>err &&
        ! grep -v '^qkv: ' err && ok || complain "plot --log-y where an accuracy is $accuracy"
done

# --- what a reader would be misled by
# A cell of a map whose seeds did not get there has all their steps, and says so.
cp -r cells far
for run in far/*d-k16*; do sed -i 's/^solved_at.*/solved_at	9/; s/\(accuracy\)	.*/\1	1/' "$run/result.tsv"; done
"$qkv" plot far -o far --map --x d-k --by lr --y solved_at -q --format svg 2>err
expect "a cell says 20 for >20" [ "$(grep -c '>>20<' far/figures/solved_at-d-k-reverse-map.svg)" -eq 6 ]
# A variant that diverged took fewer steps than were asked, and is not quicker; its mean is a gap.
# spoil EXPERIMENT RUNS EDIT: edits the results of its runs whose names have RUNS.
spoil() { for run in "$1"/*"$2"*; do sed -i "$3" "$run/result.tsv"; done; }
"$qkv" compare -v standard,two-step -t reverse --seeds 3 $short -o fell >out 2>err
spoil fell two-step 's/^steps.*/steps	9/; s/^solved_at.*/solved_at	nan/; s/^\(.*loss\|.*accuracy\)	.*/\1	nan/'
spoil fell standard 's/^test_accuracy.*/test_accuracy	-3/; s/^test_loss.*/test_loss	1/'
# drawn_of EXPERIMENT Y WORDS: the figure of Y along the variants has these words in its caption.
drawn_of() {
    figure=drawn/figures/${2%,*}-variant-reverse
    case $2 in *,*) figure=drawn/figures/curves-variant-reverse ;; esac
    "$qkv" plot $1 -o drawn -q --format svg --x variant --y $2 2>err && [ ! -s err ] && ok || complain "plot $1 $2: $(cat err)"
    expect "$figure.txt: not \"$3\"" grep -qF -- "$3" $figure.txt
}
drawn_of fell solved_at 'median of 3 seeds, smallest to largest. '
expect "what diverged is quicker" [ "$(sed 1d $figure.tsv | cut -f 4 | uniq)" = 20 ]
expect "what diverged has no line" grep -q "^array levels.*'20 unsolved'" $figure.gp
drawn_of fell test_loss,solved_at \
    '3 seeds, 95% interval; steps: median of 3 seeds, smallest to largest; gaps where a seed has no value'
expect "a curve with a gap is not named" grep -qF '(gaps: two-step).' $figure.txt
expect "a title too long for a line" grep -q '>reverse: mean of 3 seeds, 95% interval;</text>' $figure.svg
# An R^2 below 0 is seen; bars beside a logarithmic axis are points.
drawn_of fell test_accuracy 'mean of 3'
expect "a share below 0 is cut" [ "$(cd drawn/figures && { sed '/^set style data lines/q' "${figure##*/}.gp"; echo 'print lows[1] <= -3'; } | gnuplot 2>&1)" = 1 ]
spoil fell two-step 's/^\(test_loss\|test_accuracy\).*/\1	0.00001/'
rm -r fell/*two-step*seed3*
drawn_of fell test_accuracy,test_loss 'mean of up to 3 seeds, 95% interval (of fewer than 3: smallest to largest). '
# A number along x is where it is, however many curves there are; up to seven have a colour each.
"$qkv" compare -v standard,per-head,scale-outside,two-step -t reverse --lr 0.001,0.003 --seeds 1 $short -o four >out 2>err
"$qkv" plot four -o four --x lr --y test_loss -q --format svg 2>err
cd four/figures || exit 1
sed '/^set style data lines/q' test_loss-lr-reverse.gp >places.gp
printf 'print apart(0.003, %d), " place"\nprint line[%d] == 100 ? 7 : (line[%d] - 101) %% 7, " colour"\n' 1 1 1 2 2 2 3 3 3 4 4 4 >>places.gp
expect "dodged, or two of a colour" [ "$(gnuplot places.gp 2>&1 | sort -u | sed 's/.* //' | uniq -c | tr -dc 0-9)" = 14 ]
cd ../..
# Another command's tasks are in the same directory: their parameters stay drawn.
"$qkv" compare -v standard -t recall --seeds 1 ${short% --no-figures} --format svg -o twice >out 2>err
"$qkv" compare -v standard -t reverse --seeds 1 ${short% --no-figures} --size column --format svg -o twice >out 2>err
expect "parameters of another task are lost" [ "$(sed 1d twice/figures/parameters.tsv | cut -f1 | sort | tr '\n' ' ')" = 'recall reverse ' ]
# The caption has every rate that is shown: that of seed 2 is not the best of all.
"$qkv" compare -v standard -t reverse --lr 0.001,0.01 --seeds 3 --judge test_accuracy $short -o other >out 2>err
for run in '0.001*seed1 0.4' '0.001*seed2 0.6' '0.001*seed3 0.6' '0.01*seed1 1' '0.01*seed2 0' '0.01*seed3 0.5'; do
    for its in other/*lr${run% *}*; do sed -i "s/^validation_accuracy.*/validation_accuracy	${run#* }/" "$its/result.tsv"; done
done
"$qkv" plot other -o drawn --x variant --y test_loss -q --format svg 2>err
expect "a rate is not named" grep -qF 'test accuracy (standard 0.001 to 0.01).' drawn/figures/test_loss-variant-reverse.txt
# A variant without a width has a bar beside those of each width.
"$qkv" compare -v standard,identity -t reverse --d-k 2,4 --lr 0.001,0.003 --seeds 1 --steps 0 -q --format svg -o widths >out 2>err
expect "bars of two widths" [ "$(sed 1d widths/figures/parameters.tsv | cut -f 1,2 | tr '\t\n' '  ')" = \
    'reverse.d-k2 standard reverse.d-k2 identity reverse.d-k4 standard reverse.d-k4 identity ' ]
# Factors of the same weights are numbers along x; of other weights, each value is a word.
"$qkv" compare -v standard -t reverse --init W_Q=0.1,W_Q=2,W_K=0.1 --seeds 1 $short -o start >out 2>err
for inits in init=W_Q=0.1,init=W_Q=2:0.1,2, init=W_Q=0.1,init=W_K=0.1:W_K=0.1,W_Q=0.1,; do
    "$qkv" plot start -o drawn --x init --y test_loss --where "${inits%:*}" -q --format svg 2>err
    expect "places of ${inits%:*}" [ "$(sed 1d drawn/figures/test_loss-init-reverse.tsv | cut -f 3 | tr '\n' ,)" = "${inits#*:}" ]
done
# In a column no number of a bar is cut off: each begins where there is room for it.
wide=$(sed -n 's/^ width="\([0-9]*\)".*/\1/p' twice/figures/parameters.svg)
expect "a bar's number is cut off" awk -v wide="$wide" '/translate\(/ { split($0, at, /translate\(|,/) }
    /> [0-9]+ of [0-9]+</ { n++; text = $0; gsub(/<[^>]*>/, "", text); cut += at[2] + 7 * length(text) > wide }
    END { exit cut || !n }' twice/figures/parameters.svg

# --- no gnuplot, and one that fails
mkdir bin
printf '#!/bin/sh\n%s\n' "printf '\\n\\n   ^\\n\"x.gp\" line 3: \\033[31mbad\\n' >&2; exit 1" >bin/gnuplot
chmod +x bin/gnuplot
refuses 1 'line 3: ?[31mbad' env PATH="$work/bin:$PATH" "$qkv" plot grid -o ill --format svg
expect "a failed picture stays" [ -z "$(ls ill/figures | grep svg)" ]
rm bin/gnuplot
env PATH="$work/bin" "$qkv" plot grid -o ill --format svg >out 2>err
[ $? -eq 0 ] && grep -q 'gnuplot is not installed' err && ok || complain "no gnuplot"

finish
