#!/bin/sh
# drawn.sh BUILD - the data of each kind of figure, drawn as it is: from the runs'
# files to the figure's table, its caption and its SVG. And whatever a title, a
# label, a token, a column or a record holds is seen as it is, in every format, and
# nothing in it is executed. Nothing else looks into a picture.

build=$1
. tests/lib.sh
command -v gnuplot >/dev/null || { echo "drawn: skipped, no gnuplot here"; exit 0; }
short="--steps 20 --test 16 --validate 16 -q --no-figures"
# One document has every figure for LaTeX: it compiles, with nothing too wide.
latex=pdflatex
command -v pdflatex >/dev/null && kpsewhich gnuplot-lua-tikz.sty >/dev/null &&
    gnuplot -e 'set terminal tikz' 2>/dev/null || latex=
[ "$latex" ] || echo "drawn: no pdflatex with gnuplot's tikz here: figures are not compiled" >&2
printf '%s\n' '\documentclass[twocolumn]{article}' '\usepackage{graphicx,gnuplot-lua-tikz}' \
    '\begin{document}' >figures.tex
# small FIGURE: narrower than a column, whatever its size.
small() {
    printf '\\graphicspath{{%s/}}\\resizebox{5cm}{!}{\\input{%s.tex}}\\par\n' "${1%/*}" "$1" >>figures.tex
}
# Each hostile text that is executed makes this file, somewhere.
unharmed() { [ -z "$(find . -name CANARY)" ] && ok || complain "$1: executed"; }

# --- titles and labels
cat >hostile <<'LIST'
it's "quoted" \ twice \\ and \n \x41 $(touch CANARY) ${HOME} `touch CANARY`
<touch CANARY
|touch CANARY
x'; system("touch CANARY"); y='
x"; system('touch CANARY'); y="
@touch @CANARY {/=99 x} {/Symbol a} x^2_{i} &{skip} ^_~#%&{}[]<>*+-=
% a comment # another %% %d %s %n
\input{CANARY} \end{document} \immediate\write18{touch CANARY} $x$ --- `` ''
END
|END $title << END
<script>alert(1)</script><b>&amp;&lt; [x](javascript:alert(1))
שלום 漢字 🙂 ﬁ é ß ð þ ł → ␣ “quote” – dash
LIST
"$qkv" compare -v standard -t reverse --lr 0.001,0.003 --seeds 1 $short -o grid >out 2>err ||
    complain "compare"
number=0
while IFS= read -r text; do
    number=$((number + 1)) figure=title$number/figures/test_loss-lr-reverse
    "$qkv" plot grid -o "title$number" --x lr --y test_loss --title "$text" \
        --labels "$text,$text" --format svg,png,pdf,dumb,tikz,cairolatex -q >out 2>err && [ ! -s err ] && ok ||
        complain "title $number"
    seen=$(printf %s "$text" | sed 's/&/\&amp;/g; s/</\&lt;/g')
    [ "$(grep -cF -- ">$seen</text>" $figure.svg)" -eq 3 ] && ok || complain "not what is seen: $seen"
    cp $figure.svg before.svg
    (cd title$number/figures && gnuplot test_loss-lr-reverse.gp) 2>err &&
        cmp -s before.svg $figure.svg && ok || complain "title $number: drawn again, differs"
    small $figure-tikz
    small $figure-cairolatex
done <hostile
unharmed "a title"
grep -qF 'U+6F22' $figure-*.tex && ! grep -F 'U+00E9' $figure-*.tex && ok ||
    complain "letters that not every font has are numbers for pdflatex, and no others"
for text in "$(printf '\033]0;owned\007')" "$(printf '\302\233 red')" "$(printf 'bad\377byte')"; do
    refuses 2 'qkv: --title: it has a control character' \
        "$qkv" plot grid -o refused --x lr --y test_loss --title "$text" -q
done

# --- for a paper: as wide as asked, type that can be read, maths, a line for each variant
figure=made/figures/test_loss-lr-reverse
for pair in column:228.6 page:453.5 300.5pt:299.4; do
    "$qkv" plot grid -o made --x lr --y test_loss --size "${pair%:*}" --format pdf,svg -q 2>err ||
        complain "plot --size $pair"
    page=$(grep -a -o '/MediaBox *\[[^]]*' $figure.pdf | awk '{ print $(NF - 1) }')
    awk -v page="$page" -v asked="${pair#*:}" 'BEGIN { exit !(page <= asked + 0.5 && page > asked - 1.5) }' &&
        ok || complain "--size $pair: the page is $page points wide"
    # a pixel of SVG is 0.75 points
    grep -o 'font-size="[0-9.]*"' $figure.svg | awk -F '"' '$2 * 0.75 < 7 { exit 1 }' && ok ||
        complain "--size $pair: type under 7 points"
done
"$qkv" plot grid -o made --x lr --y test_loss --size column --labels 'd_k of x,R^2 on (W^Q)' \
    --title 'my_d_k is d_k' --by d-k --format svg,tikz -q 2>err && ok || complain "plot of maths"
grep -q '>d</tspan>.*>k</tspan>' $figure.svg && ! grep -q 'R^2\|W^Q' $figure.svg && grep -qF '>my_d_k is d_k<' $figure.svg &&
    grep -qF '$R^2$ on ($W^Q$)' $figure-tikz.tex && ok || complain "maths is literal, or a name is maths"
"$qkv" plot grid -o made --x lr --y test_loss --log-y --format svg -q
grep -q '^ width="600"' $figure.svg && [ "$(grep -c '>[0-9.]*</tspan></text>' $figure.svg)" -ge 5 ] && ok ||
    complain "a figure for a page: its width, or the ticks of an axis under a decade"
"$qkv" plot grid -o made --size column --format pdf,tikz -q
printf '\\graphicspath{{made/figures/}}\\noindent\\input{%s}%%\n\\par x\\par\n' \
    made/figures/*-tikz.tex >>figures.tex
printf '%s\n' '\noindent\includegraphics{{made/figures/curves-reverse.lr0.001}.pdf}' >>figures.tex
{
    printf 'name = "x"\n$title << END\n|x\nEND\n'
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
    twice += seen[key]++; $1 > 137 && unknown++ } END { exit !(n >= 38 && !twice && !unknown) }' lines && ok ||
    complain "two variants share dash and marker or colour, or one has no line: $(sort -n lines | tr '\n' ' ')"

# --- the square of equiv: powers of ten, in a page's width
"$qkv" equiv -v standard,two-step,mla -t recall --steps 10 --d-model 16 -q -o square --format svg,tikz >out 2>err &&
    ! grep -q '[0-9]e-[0-9]' square/figures/equivalence.svg &&
    grep -q '>10</tspan>\|·10</tspan>' square/figures/equivalence.svg &&
    grep -q '10^{-[0-9]*}\$' square/figures/equivalence-tikz.tex && ok || complain "the square of equiv"

# --- tokens of a text
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    printf 'Az %% \\ ^ _ ~ # & { } $ < > " '"'"' ` | -- [ * @ é 漢 \t \033[31m\n'
done >text
"$qkv" compare -v standard -t text --file text --seeds 1 $short -o read >out 2>err
"$qkv" inspect read/text.standard* --attention -q -o read --format svg,tikz >out 2>err && [ ! -s err ] && ok ||
    complain "attention of a hostile text"
for token in % '\' ^ _ '~' '#' '&amp;' '{' '}' '$' '&lt;' '>' '\x22' "'" '`' ␣; do
    [ "$(grep -cF "<text>$token</text>" read/figures/attention.svg)" -gt 1 ] && ok ||
        complain "the token $token is not seen"
done
small read/figures/attention-tikz
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
if command -v pandoc >/dev/null; then
    ! grep -q '<b>\|<a \|<img src="[^d]\|&lt;b&gt;&lt;' page/report.html && ok ||
        complain "HTML takes a record's words for its own"
fi
sed '1,/begin{document}/d' page/report.tex | grep -v '^\\input{[a-z]*/[a-z_-]*}$' >words.tex
cat page/tables/*.tex page/figures/*.tex >>words.tex
! grep -q '\\input\|\\end{verbatim}\|\\href\|\\url' words.tex && ok ||
    complain "LaTeX takes a record's words for its own"
(cd page && failed=0 && typeset report.tex && [ $failed -eq 0 ]) && ok || complain "report.tex of a hostile record"
unharmed "a record"

# --- the data of each kind of figure
"$qkv" compare -v standard,two-step -t reverse,recall --d-k 2,4 --seeds 3 $short --log-every 5 -o many >out 2>err ||
    complain "compare"
plot() { "$qkv" plot many -o drawn -q --format svg "$@" 2>err && [ ! -s err ] && ok || complain "plot $*"; }
# rows FILE: the rows of a figure's data, without that of the names.
rows() { sed 1d "drawn/figures/$1.tsv"; }
# along training: tokens, FLOPs (three times those of a forward pass), seconds
run=$(ls -d many/reverse.two-step.d-k2.*seed1.*)
fact() { awk -F '\t' -v key="$1" '$1 == key { print $2 }' "$run/result.tsv" "$run/timing.tsv"; }
tokens=$((20 * 32 * 16))
for x in tokens:$tokens flops:$((3 * tokens * $(fact flops))) seconds:$(fact seconds); do
    "$qkv" plot "$run" -o drawn -q --format svg --x ${x%:*} --y loss 2>err &&
        [ "$(rows loss-${x%:*}-reverse | tail -n 1 | cut -f3)" = "${x#*:}" ] && ok || complain "plot --x $x"
done
# Options, the figure that they make, how many rows its data have, and words of its
# caption and of its picture.
while IFS='|' read -r options figure number caption seen; do
    plot $options
    [ -z "$number" ] || expect "$figure: not $number rows" [ "$(rows $figure | wc -l)" -eq "$number" ]
    expect "$figure.txt: not \"$caption\"" grep -q -- "$caption" "drawn/figures/$figure.txt"
    expect "$figure.svg: not \"$seen\"" grep -q -- "$seen" "drawn/figures/$figure.svg"
done <<'END'
--x tokens --y loss --log-x --xlim 2000,20000|loss-tokens-recall.d-k2|||>5000<
--x flops --y test_loss|test_loss-flops-recall|4||FLOPs of attention per token
--x test_loss --y test_accuracy --spread seeds|test_accuracy-test_loss-recall-seeds|12||
--x variant --y test_accuracy|test_accuracy-variant-recall.d-k2|2||>two-step</text>
--x task --y test_accuracy,solved_at --by d-k --show 4,2|test_accuracy-task-variantstandard|4|d-k 4: reverse [.0-9]*, recall [.0-9]*; d-k 2: reverse|
--x d-k --y test_accuracy --spread seeds --facet task|test_accuracy-d-k-by-task-seeds|32|reverse: standard from [.0-9]* to [.0-9]*, two-step from [.0-9]* to [.0-9]*\. recall: standard from|each of 3 seeds, and their median
--map --x d-k --y test_loss --facet task|test_loss-d-k-by-task-map|8|reverse: lowest [.0-9]* (d-k [24], [a-z-]*), highest |
--x d-k --y test_accuracy --xlim 0,5 --ylim 0.25,0.75|test_accuracy-d-k-recall|4|What is beyond the limits of the axes is not drawn|>0.3<
END
expect "beyond a limit" [ "$(grep -c '>0.8<' drawn/figures/test_accuracy-d-k-recall.svg)" -eq 0 ]
# of seeds that are drawn, the median is one of them, and stands between their ends
rows test_accuracy-d-k-by-task-seeds | awk -F '\t' '{ place = $1 " " $2 " " $3 }
    $7 { value[place] = value[place] " " $4 }
    !$7 { split(value[place], v, " "); n = 0; medians++
        for (i = 1; i <= 3; i++) n += v[i] == $4
        if (!n || $5 > $4 || $6 < $4) wrong++ }
    END { exit wrong || medians != 8 }' && ok || complain "the median of seeds"
expect "bars of tasks" [ "$(rows test_accuracy-task-variantstandard | cut -f2,3 | tr '\n\t' ', ')" = '4 1,4 2,2 1,2 2,' ]
# maps: numbers in their cells, axes sorted
first=$(rows test_loss-d-k-by-task-map | sed -n 1p | cut -f4)
expect "a cell of the map" grep -q ">$(printf %.3g "$first")<" drawn/figures/test_loss-d-k-by-task-map.svg
"$qkv" compare -v standard -t reverse --d-k 2,16,4 --lr 0.01,0.0005,0.003 --seeds 1 $short -o cells >out 2>err
"$qkv" plot cells -o cells --map --x d-k --by lr --y test_loss -q --format svg 2>err
for axis in 'words: 2 4 16 ' 'series: 0.0005 0.003 0.01 '; do
    expect "an axis of a map is not sorted" [ "$(grep -A 3 "${axis%%:*} << END" cells/figures/test_loss-d-k-reverse-map.gp |
        tr -dc '.0-9\n' | tr '\n' ' ')" = "${axis#*:}" ]
done
expect "a map on a terminal" [ "$("$qkv" plot many -o drawn -q --format dumb --map --x d-k --y test_loss 2>err |
    grep -c 'two-step |.*[0-9]')" -eq 2 ]
# which, in which order, and what they are called: lines stay those of the values
plot --y loss --show two-step,standard --rename 'standard=theirs,two-step=ours & "co"' --facet d-k
expect "an order of one's own" [ "$(rows loss-step-by-d-k-recall | cut -f2 | uniq | head -n 2 | tr '\n' ' ')" = 'two-step standard ' ]
expect "a name of one's own" grep -q '>ours &amp; "co"</text>' drawn/figures/loss-step-by-d-k-recall.svg
expect "a name in a caption" grep -q 'd_k 2: ours & "co" from' drawn/figures/loss-step-by-d-k-recall.txt
# panels of a quantity share their axes
plot --x d-k --y solved_at,test_loss --facet task
[ "$(sed -n '/panels << END/,/^END/p' drawn/figures/test_loss-d-k-by-task.gp | sed '1d;$d' | cut -d' ' -f1-4 | sort -u | wc -l)" -eq 1 ] &&
    ok || complain "panels have axes of their own"
# several experiments: which one a curve is of
"$qkv" compare -v standard,fused -t recall --d-k 2 --lr 0.01 --seed 7 $short --log-every 5 -o more >out 2>err
"$qkv" plot many more -o drawn -q --format svg --y loss --by variant,experiment --rename more=ours 2>err && ok ||
    complain "plot of two experiments"
expect "an experiment's name" grep -q '>fused, ours</text>' drawn/figures/loss-step-recall.d-k2.svg
# whatever the kind, only seeds are averaged: what else varies makes figures of its own
for kind in '--x variant' '--x task' '--map --x d-k' '--x d-k' '--x variant --spread seeds' '--by task --x d-k'; do
    rm -rf drawn && plot $kind --y test_loss
    least=3 && case $kind in *seeds*) least='each of 3' ;; esac
    [ -z "$(grep -L "$least seeds" drawn/figures/*.txt)" ] && ok || complain "plot $kind averages more than seeds"
done
# a grid: 2 figures of curves, 3 along lr, for each task, and 1 of bars; small multiples in them
"$qkv" compare -v standard,two-step -t reverse,recall --d-k 2,4 --lr 0.001,0.003,0.01,0.03 --seeds 1 \
    --steps 10 --test 16 --validate 16 --log-every 5 -o multiples --format svg -q >out 2>err
expect "a grid of 2 x 4 makes other figures" [ "$(ls multiples/figures/*.svg | wc -l)" -eq 11 ]
expect "a grid of 2 x 4 has not 8 panels" [ "$(cut -f1 multiples/figures/validation_loss-step-recall.tsv | sort -un | tail -n 1)" -eq 8 ]

# --- what is asked for wrongly, and leaves nothing
while IFS='|' read -r words options; do
    refuses 2 "$words" "$qkv" plot many -o nothing -q --format svg $options
done <<'END'
not one of the values that are drawn: standard, two-step|--show mqa
give a value and what it is called|--rename standard
two-step=standard: another one is called so too|--rename two-step=standard
the lower limit is first|--ylim 1,0 --y loss
give two numbers|--xlim 5
no common limits|--ylim 0,1
begins above 0|--y loss --log-y --ylim 0,1
words along variant|--x variant --y test_loss --xlim 0,1
is no setting|--map
means of one quantity|--map --x d-k --y test_loss --spread seeds
END
expect "what is refused leaves files" [ -z "$(find nothing -type f 2>/dev/null)" ]

# --- logarithmic axes: an interval is that of the logarithm; what is not above 0 is told
"$qkv" plot many -o relative --y validation_loss --log-y --format svg -q 2>err && ok || complain "plot --log-y"
awk -F '\t' 'NR > 1 && $4 > 0 { rows++; r = $4 / $5 - $6 / $4; wrong += !($5 > 0) || r * r > 1e-9 * $6 / $4 }
    END { exit wrong || !rows }' relative/figures/curves-recall.d-k2.tsv &&
    grep -q 'as many times above the mean as below' relative/figures/curves-recall.d-k2.txt && ok ||
    complain "an interval on a logarithmic axis is not that of the logarithm"
for accuracy in '-$3' 'NR == 2 ? 0 : $3'; do
    rm -rf zero
    cp -r grid zero
    for log in zero/*/log.tsv; do
        awk -F '\t' -v OFS='\t' "NR > 1 { \$3 = $accuracy } 1" "$log" >x && mv x "$log"
    done
    for axis in --log-x --log-y; do
        "$qkv" plot zero -o zero --y accuracy $axis --format svg >out 2>err && ! grep -v '^qkv: ' err && ok ||
            complain "plot $axis where an accuracy is $accuracy"
    done
done
expect "what a logarithmic axis has no place for is not named" \
    grep -q 'What is not above 0 is not drawn' zero/figures/accuracy-step-reverse.lr0.001.txt

# --- seeds that solve a task beside others that do not are drawn, not averaged
cp -r many heaps
for run in heaps/recall.two-step.d-k4*; do
    case $run in *seed1.*) accuracy=0.3 solved=0 ;; *) accuracy=1 solved=9 ;; esac
    awk -F '\t' -v OFS='\t' -v a=$accuracy -v s=$solved '
        $1 ~ /accuracy$/ { $2 = a } $1 == "solved_at" { $2 = s } 1' "$run/result.tsv" >x && mv x "$run/result.tsv"
done
"$qkv" plot heaps -o heaps --x d-k --y test_accuracy --format svg -q 2>err && ok || complain "plot of two heaps"
[ "$(awk -F '\t' '$2 == "two-step" && $3 == 4 && $7' heaps/figures/test_accuracy-d-k-recall.tsv | wc -l)" -eq 3 ] &&
    grep -q 'Each seed is drawn, since some solved' heaps/figures/test_accuracy-d-k-recall.txt &&
    ! grep -q seed heaps/figures/test_accuracy-d-k-reverse.tsv && ok || complain "seeds that fall apart are averaged"

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
