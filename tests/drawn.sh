#!/bin/sh
# drawn.sh BUILD - what is drawn and written of other people's words: whatever a
# title, a label, a token, a file's name, a column or a recipe holds, it is seen as
# it is, in every format, and nothing in it is executed.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
qkv=$build/qkv
command -v gnuplot >/dev/null || { echo "drawn: skipped, no gnuplot here"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    printf 'drawn: %s\n' "$*" >&2
    [ -f err ] && sed 's/^/    /' err >&2
    [ -z "${STOP:-}" ] || exit 1
}
# Each hostile text that is executed makes this file, somewhere.
unharmed() { [ -z "$(find . -name CANARY)" ] && ok || { complain "$1: executed"; find . -name CANARY -exec rm {} +; }; }
small="--steps 20 --test 16 --validate 16 -q --no-figures"

# paper FILE ...: a LaTeX document of these figures, which must compile.
latex=pdflatex
command -v pdflatex >/dev/null && kpsewhich gnuplot-lua-tikz.sty >/dev/null &&
    gnuplot -e 'set terminal tikz' 2>/dev/null || latex=
[ "$latex" ] || echo "drawn: no pdflatex with gnuplot's tikz here: figures are not compiled" >&2
paper() {
    [ "$latex" ] || return 0
    {
        printf '%s\n' '\documentclass{article}' '\usepackage{graphicx,gnuplot-lua-tikz}' \
            '\begin{document}'
        for figure; do
            printf '\\graphicspath{{%s/}}\\resizebox{9cm}{!}{\\input{%s}}\\par\n' \
                "$(dirname "$figure")" "$figure"
        done
        printf '%s\n' '\end{document}'
    } >paper.tex
    pdflatex -interaction=nonstopmode -halt-on-error paper.tex >tex.log 2>&1 </dev/null && ok ||
        complain "a paper with $1 and others does not compile: $(grep -A3 '^!' tex.log)"
}

cat >hostile <<'LIST'
it's "quoted" \ twice \\ and \n \x41 \101
$(touch CANARY) ${HOME} $HOME
`touch CANARY`
<touch CANARY
|touch CANARY
x'; system("touch CANARY"); y='
x"; system('touch CANARY'); y="
@touch @CANARY
{/=99 x} {/Symbol a} x^2_{i} &{skip}
^_~#%&{}[]<>*+-=
% a comment # another %% %d %s %n
\input{CANARY} \end{document} \immediate\write18{touch CANARY} $x$ --- `` ''
END
|END $title << END
<script>alert(1)</script><b>&amp;&lt;
[x](javascript:alert(1)) ![y](http://z/a.png) <http://a.b> www.a.b
שלום עולם مرحبا
漢字 🙂 ﬁ é ß ð þ ł → ␣ “quote” – dash
LIST
printf 'long%.0s' $(seq 75) >>hostile
echo >>hostile

# --- titles and labels
"$qkv" compare -v standard -t reverse --lr 0.001,0.003 --seeds 1 $small -o grid >out 2>err ||
    complain "compare"
number=0 figures=
while IFS= read -r text; do
    number=$((number + 1)) formats=svg,dumb,tikz,cairolatex
    [ $((number % 6)) -ne 0 ] || formats=svg,png,pdf,dumb,tikz,cairolatex
    "$qkv" plot grid -o "title$number" --x lr --y test_loss --title "$text" \
        --labels "$text,$text" --format $formats -q >out 2>err
    status=$? figure=title$number/figures/test_loss-lr-reverse
    [ $status -eq 0 ] && [ ! -s err ] && ok || complain "title $number: status $status"
    # as it is, in all three places
    seen=$(printf %s "$text" | sed 's/&/\&amp;/g; s/</\&lt;/g')
    [ "$(grep -cF -- ">$seen</text>" $figure.svg)" -eq 3 ] && ok ||
        complain "title $number is not what is seen: $seen"
    ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out && ok ||
        complain "title $number: a control character on the terminal"
    cp $figure.svg before.svg
    (cd title$number/figures && gnuplot test_loss-lr-reverse.gp) 2>err &&
        cmp -s before.svg $figure.svg && ok || complain "title $number: drawn again, differs"
    figures="$figures $figure-tikz.tex $figure-cairolatex.tex"
done <hostile
rm -f err
paper $figures
unharmed "a title"
# letters that not every font has are numbers for pdflatex, others are themselves
for code in 00F0 00FE 6F22; do
    grep -qF "U+$code" $figures && ok || complain "U+$code is no number for pdflatex"
done
grep -F 'U+00E9' $figures && complain "é is a number" || ok
for text in "$(printf '\033]0;owned\007')" "$(printf '\302\233 red')" "$(printf 'tab\there')" \
    "$(printf 'bad\377byte')"; do
    "$qkv" plot grid -o refused --x lr --y test_loss --title "$text" -q 2>err
    [ $? -eq 2 ] && grep -q '^qkv: --title: it has a control character' err && [ ! -e refused ] &&
        ok || complain "a title with a control character: $(cat err)"
done

# --- for a paper: as wide as asked, type that can be read, maths, a line for each variant
figure=made/figures/test_loss-lr-reverse
for pair in column:228.6 icml:234 acl:218.3 neurips:396 page:453.5 240:239.1 300.5pt:299.4; do
    "$qkv" plot grid -o made --x lr --y test_loss --size "${pair%:*}" --format pdf,svg -q 2>err ||
        complain "plot --size $pair"
    page=$(grep -a -o '/MediaBox *\[[^]]*' $figure.pdf | awk '{ print $(NF - 1) }')
    awk -v page="$page" -v asked="${pair#*:}" 'BEGIN { exit !(page <= asked + 0.5 && page > asked - 1.5) }' &&
        ok || complain "--size $pair: the page is $page points wide"
    # a pixel of SVG is 0.75 points
    grep -o 'font-size="[0-9.]*"' $figure.svg | awk -F '"' '$2 * 0.75 < 7 { exit 1 }' && ok ||
        complain "--size $pair: type under 7 points"
    # A box of 9 points is about 10.5 high; an index has 7, a slide 11.
    if command -v pdftotext >/dev/null; then
        pdftotext -bbox $figure.pdf - | awk -F '"' '/>[0-9.]+<\/word>/ { n++
            wrong += $8 - $4 < 9 || $8 - $4 > 12 } END { exit wrong || !n }' && ok ||
            complain "--size $pair: the PDF's type is not of 9 points"
    fi
done
rm -rf made
"$qkv" plot grid -o made --x lr --y test_loss --size column --labels 'd_k of x,R^2 on (W^Q)' \
    --by d-k --format svg,tikz,cairolatex -q 2>err && ok || complain "plot of maths"
! grep -q 'd_k\|R^2\|W^Q' $figure.svg && grep -q '>d</tspan>.*>k</tspan>' $figure.svg &&
    ok || complain "maths in SVG is literal"
for term in tikz cairolatex; do
    grep -qF '$d_k$ of x' $figure-$term.tex && grep -qF '$R^2$ on ($W^Q$)' $figure-$term.tex && ok ||
        complain "maths in $term is literal"
done
# A page 420 pixels wide has type of 7 points; an axis under a decade has ticks.
"$qkv" plot grid -o made --x lr --y test_loss --log-y --format svg -q
grep -q '^ width="600"' $figure.svg && ! grep -q 'font-size="[0-9]\.\|font-size="1[01]' $figure.svg &&
    [ "$(grep -c '>[0-9.]*</tspan></text>' $figure.svg)" -ge 5 ] && ok ||
    complain "a figure for a page: its width, its type or the ticks of its axis"
"$qkv" plot grid -o made --x lr --y test_loss --size column --labels 'a_bc,my_d_k is d_k' --format svg -q
grep -qF '>a_bc<' $figure.svg && grep -qF '>my_d_k is d_k<' $figure.svg && ok ||
    complain "a name with _ is taken for maths"
[ -s made/figures/gnuplot-lua-tikz.sty ] && [ -s made/figures/gnuplot-lua-tikz-common.tex ] && ok ||
    complain "TikZ without its style file"
if [ "$latex" ]; then # two columns: nothing sticks out
    "$qkv" plot grid -o made --size column --format pdf,tikz,cairolatex -q
    {
        printf '%s\n' '\documentclass[twocolumn]{article}' \
            '\usepackage{graphicx,gnuplot-lua-tikz}\graphicspath{{made/figures/}}' '\begin{document}'
        for f in made/figures/*-tikz.tex made/figures/curves*-cairolatex.tex; do
            printf '\\noindent\\input{%s}%%\n\\par x\\par\n' "$f"
        done
        printf '\\noindent\\includegraphics{{%s}.pdf}\n' made/figures/curves-reverse.lr0.001
        printf '%s\n' '\end{document}'
    } >paper.tex
    TEXINPUTS=made/figures: pdflatex -interaction=nonstopmode -halt-on-error paper.tex >tex.log 2>&1 </dev/null &&
        ! grep -q Overfull tex.log && ok ||
        complain "figures in a column: $(grep -A3 '^!\|Overfull' tex.log)"
fi
{
    printf 'name = "x"\n$title << END\n|x\nEND\n'
    cat "$build/plots/style.gp"
    printf 'print look("%s"), " %s"\n' $(for v in "$build"/variants/*.so; do
        v=$(basename "$v" .so) && echo "$v $v"
    done)
} >lines.gp
gnuplot lines.gp 2>lines && awk 'NF == 2 { n++; i = $1 - 101; key = i < 0 ? "black" : i % 5 " " i % 12
    twice += seen[key]++; $1 > 137 && unknown++ } END { exit !(n >= 38 && !twice && !unknown) }' lines && ok ||
    complain "two variants share dash and marker, or one has no line: $(sort -n lines | tr '\n' ' ')"

# --- the square of equiv: powers of ten, in a page's width
"$qkv" equiv -v standard,two-step,mla -t recall --steps 10 --d-model 16 -q -o square --format svg,tikz >out 2>err &&
    ! grep -q '[0-9]e-[0-9]' square/figures/equivalence.svg &&
    grep -q '>10</tspan>\|·10</tspan>' square/figures/equivalence.svg &&
    grep -q '10^{-[0-9]*}\$' square/figures/equivalence-tikz.tex &&
    grep -q '^ width="600"' square/figures/equivalence.svg && ok || complain "the square of equiv"
cp square/figures/equivalence.svg before.svg
"$qkv" equiv -v standard,two-step -t recall --positions rope --steps 10 --d-model 16 -q -o square --format svg >out 2>err &&
    cmp -s before.svg square/figures/equivalence.svg && grep -q 'positions rope' square/figures/equivalence-rope.txt &&
    ok || complain "the square of another kind of positions takes the place of the first"

# --- tokens of a text
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    printf 'Az %% \\ ^ _ ~ # & { } $ < > " '"'"' ` | -- [ * @ é 漢 \t \033[31m\n'
done >text
"$qkv" compare -v standard -t text --file text --seeds 1 $small -o read >out 2>err
run=$(ls -d read/text.standard*)
"$qkv" inspect "$run" --attention -q -o read --format svg,png,pdf,tikz,cairolatex >out 2>err &&
    [ ! -s err ] && ok || complain "attention of a hostile text"
for token in % '\' ^ _ '~' '#' '&amp;' '{' '}' '$' '&lt;' '>' '\x22' "'" '`' ␣; do
    [ "$(grep -cF "<text>$token</text>" read/figures/attention.svg)" -gt 1 ] && ok ||
        complain "the token $token is not seen"
done
rm -f err
paper read/figures/attention-tikz.tex read/figures/attention-cairolatex.tex

# --- the names of two figures that agree as far as a file's name can be long
for last in loss accuracy; do
    y=$(printf 'validation_accuracy,%.0s' 1 2 3 4 5 6 7 8)$last
    "$qkv" plot grid -o long --y "$y" --format svg -q 2>err || complain "plot of nine quantities"
done
[ "$(ls long/figures/validation*.svg | wc -l)" -eq 4 ] &&
    ok || complain "two figures, one name"

# --- a stranger's experiment: the name of a column, the words of a recipe
for name in "tx';system(\"touch\${IFS}CANARY\");'" '<touch${IFS}CANARY;' '|touch${IFS}CANARY;' \
    '-e' 'x}.pdf}\input{CANARY'; do
    rm -rf foreign told
    cp -r grid foreign
    for log in foreign/*/log.tsv; do
        awk -F '\t' -v OFS='\t' -v name="$name" 'NR == 1 { $2 = name } 1' "$log" >x && mv x "$log"
    done
    printf "# [x](javascript:1) <b> \\\\input{y}\nplot --y %s\nplot --y loss,%s\n" \
        "$name" "$name" >foreign/recipe.txt
    "$qkv" report foreign -o told -q >out 2>err
    [ $? -le 2 ] && [ "$(grep -vc '^qkv: ' err)" -eq 0 ] && ok || complain "report, a column $name"
    ! grep -q 'input{CANARY' told/report.tex 2>/dev/null && ok || complain "$name in LaTeX"
    unharmed "a column $name"
done

text='[x](javascript:alert) ![y](http://z/a.png) <b>&lt; www.a.b "q" \input{CANARY} ~^--$x$'
cp -r grid strange
{
    printf '# %s\n# + %s\n' "$text" "$text"
    printf "plot --x lr --y test_loss --title '%s' --labels '[*](u),|_'\n" "$text"
    printf '# \\end{verbatim}\\end{flushleft}\\input{CANARY}\n# ```\n# 漢 \033[31m\n'
} >strange/recipe.txt
"$qkv" report strange -o page -q 2>err && ok || complain "report of a hostile recipe"
rm -f err
grep -v '^    ' page/report.md >words.md # all but code
! grep -q '^```' page/report.md && ! grep -q '[^\\]](j\|[^\\]](http\|[^\\]<b\|http://\|www\.a\|[^\\]&lt' words.md &&
    grep -q '^\\+ ' words.md && ok || complain "Markdown takes a recipe's words for its own"
! LC_ALL=C grep -q "$(printf '\033')" page/*.* && ok || complain "a control character in a report"
if command -v pandoc >/dev/null; then
    ! grep -q '<b>\|<a \|<img src="[^d]\|&lt;b&gt;&lt;' page/report.html &&
        grep -qF '&lt;b&gt;&amp;lt; www.a.b &quot;q&quot;' page/report.html &&
        ok || complain "HTML takes a recipe's words for its own"
fi
sed '1,/begin{document}/d' page/report.tex | grep -v '^\\input{[a-z]*/[a-z_-]*}$' >words.tex
cat page/tables/*.tex page/figures/*.tex >>words.tex
! grep -q '\\input\|\\end{verbatim}\|\\href\|\\url' words.tex && ok ||
    complain "LaTeX takes a recipe's words for its own"
if [ "$latex" ] && [ -e page/report.tex ]; then
    (cd page && pdflatex -interaction=nonstopmode -halt-on-error report.tex) >tex.log 2>&1 </dev/null &&
        ok || complain "report.tex of a hostile recipe does not compile: $(grep -A3 '^!' tex.log)"
fi
if [ "$latex" ]; then # the tables, in a column of a paper
    printf '%s\n' '\documentclass[twocolumn]{article}' '\usepackage{booktabs,graphicx}' '\begin{document}' \
        "\\input{page/tables/$(basename page/tables/*.tex .tex)} x" '\end{document}' >paper.tex
    pdflatex -interaction=nonstopmode -halt-on-error paper.tex >tex.log 2>&1 </dev/null &&
        ! grep -q Overfull tex.log && ok || complain "a table in a column: $(grep -A3 '^!\|Overfull' tex.log)"
fi
unharmed "a recipe"

# --- logarithmic axes
for y in validation_loss,validation_accuracy loss,accuracy; do
    for axes in "--log-y" "--log-x" "--log-x --log-y"; do
        "$qkv" plot grid -o logs --y $y $axes --format svg -q 2>err && [ ! -s err ] && ok ||
            complain "plot --y $y $axes"
    done
done
for fault in '$3 = NR == 3 ? 0 : $3' '$3 = 0' '$3 = 0.5' '$3 = "nan"' '$3 = NR == 2 ? "inf" : $3' '$3 = -$3'; do
    rm -rf zero
    cp -r grid zero
    for log in zero/*/log.tsv; do
        awk -F '\t' -v OFS='\t' "NR > 1 { $fault } 1" "$log" >x && mv x "$log"
    done
    for axis in "" --log-y; do
        "$qkv" plot zero -o zero --y accuracy $axis --format svg >out 2>err
        status=$?
        case $fault in *'"nan"') wanted=1 ;; *) wanted=0 ;; esac
        [ $status -eq $wanted ] && ! grep -v '^qkv: ' err && ok || complain "plot $axis where $fault"
    done
done
for y in solved solved_at test_loss test_accuracy parameters chance_loss seconds; do
    "$qkv" plot grid -o logs --x lr --y $y --log-y --format svg -q 2>err && ok ||
        complain "plot --x lr --y $y --log-y"
done
rm -rf zero
cp -r grid zero
for log in zero/*/log.tsv; do
    awk -F '\t' -v OFS='\t' 'NR == 2 { $3 = 0 } 1' "$log" >x && mv x "$log"
done
"$qkv" plot zero -o zero --y accuracy --log-y --format svg >out 2>err
grep -q 'accuracy-step.*: its axis is logarithmic. What is not above 0 is not drawn' err &&
    grep -q 'What is not above 0 is not drawn' zero/figures/*accuracy*.txt && ok ||
    complain "points that a logarithmic axis has no place for are not named"

# --- figures that people draw daily: all of one experiment
# A plot of it, quiet, as an svg; what is asked for wrongly ends with 2 and that
# message, and leaves nothing.
plot() { "$qkv" plot many -o drawn -q --format svg "$@" 2>err && [ ! -s err ] && ok || complain "plot $*"; }
refused() {
    message=$1 && shift
    "$qkv" plot many -o nothing -q --format svg "$@" 2>err
    [ $? -eq 2 ] && grep -q "^qkv: .*$message" err && [ "$(wc -l <err)" -eq 1 ] &&
        [ -z "$(find nothing -type f 2>/dev/null)" ] && ok || complain "plot $* is not refused"
}
# rows FILE: the rows of a figure's data, without that of the names.
rows() { sed 1d "drawn/figures/$1.tsv"; }
"$qkv" compare -v standard,two-step -t reverse,recall --d-k 2,4 --seeds 3 $small --log-every 5 -o many >out 2>err ||
    complain "compare"

# along training: tokens, FLOPs (three times those of a forward pass), seconds
run=$(ls -d many/reverse.two-step.d-k2.*seed1.*)
fact() { awk -F '\t' -v key="$1" '$1 == key { print $2 }' "$run/result.tsv" "$run/timing.tsv"; }
for x in tokens flops seconds; do
    "$qkv" plot "$run" -o drawn -q --format svg --x $x --y loss 2>err && ok || complain "plot --x $x"
done
tokens=$((20 * 32 * 16))
[ "$(rows loss-tokens-reverse | tail -n 1 | cut -f3)" -eq $tokens ] &&
    [ "$(rows loss-flops-reverse | tail -n 1 | cut -f3)" -eq $((3 * tokens * $(fact flops))) ] &&
    [ "$(rows loss-seconds-reverse | tail -n 1 | cut -f3)" = "$(fact seconds)" ] && ok ||
    complain "how far training went"
plot --x flops --y validation_loss
grep -q 'FLOPs of attention in training' drawn/figures/validation_loss-flops-recall.d-k2.svg && ok ||
    complain "the axis of training FLOPs"
plot --x tokens --y loss --log-x --xlim 2000,20000
grep -q '>5000<' drawn/figures/loss-tokens-recall.d-k2.svg && grep -q '>10k<' drawn/figures/loss-tokens-recall.d-k2.svg && ok ||
    complain "ticks of a logarithmic axis of tokens"
plot --x flops --y test_loss
grep -q 'FLOPs of attention per token' drawn/figures/test_loss-flops-recall.svg && ok ||
    complain "a cost as an axis"

# smoothed: the mean over the steps around each, said on the axis and below
"$qkv" plot "$run" -o drawn -q --format svg --y loss --smooth 10 2>err && ok || complain "plot --smooth"
awk -F '\t' 'NR == FNR { if (FNR > 1) { step[++n] = $1; loss[n] = $2 } next }
    FNR > 1 { sum = m = 0
        for (i = 1; i <= n; i++) if ((step[i] - $3) ^ 2 <= 25) { sum += loss[i]; m++ }
        if ((sum / m - $4) ^ 2 > 1e-9) wrong++; rows++ }
    END { exit wrong || rows != n }' "$run/log.tsv" drawn/figures/loss-step-reverse.tsv &&
    grep -q '10-step mean' drawn/figures/loss-step-reverse.svg &&
    grep -q "seed's mean over the 10 steps around it" drawn/figures/loss-step-reverse.txt && ok ||
    complain "a smoothed curve"
refused 'only curves over training' --smooth 10 --x d-k --y test_loss

# seeds as points and threads: a row each, and one of their median
plot --x d-k --y test_accuracy --spread seeds --facet task
[ "$(rows test_accuracy-d-k-by-task-seeds | grep -c '	[123]$')" -eq 24 ] &&
    [ "$(rows test_accuracy-d-k-by-task-seeds | grep -c '	0$')" -eq 8 ] &&
    grep -q 'each of 3 seeds, and their median' drawn/figures/test_accuracy-d-k-by-task-seeds.svg && ok ||
    complain "each seed as a point"
grep -q 'reverse: standard from [.0-9]* to [.0-9]*, two-step from [.0-9]* to [.0-9]*\. recall: standard from' \
    drawn/figures/test_accuracy-d-k-by-task-seeds.txt && ok || complain "the caption of seeds as points"
rows test_accuracy-d-k-by-task-seeds | awk -F '\t' '{ place = $1 " " $2 " " $3 }
    $7 { value[place] = value[place] " " $4 }
    !$7 { split(value[place], v, " "); n = 0
        for (i = 1; i <= 3; i++) n += v[i] == $4
        if (!n || $5 > $4 || $6 < $4) wrong++ }
    END { exit wrong }' && ok || complain "the median of seeds"
plot --y loss --spread seeds --facet d-k
[ "$(rows loss-step-by-d-k-recall-seeds | grep -c '	1	two-step	10	.*	2$\|^1	two-step	10	.*	2$')" -eq 1 ] && ok ||
    complain "each seed as a curve"
plot --x test_loss --y test_accuracy --spread seeds # of results that differ from seed to seed
[ "$(rows test_accuracy-test_loss-recall-seeds | wc -l)" -eq 12 ] && ok || complain "a result against another one"

# a legend of a few names is one row
plot --x d-k --y test_accuracy
[ "$(grep -B 1 '>standard</text>\|>two-step</text>' drawn/figures/test_accuracy-d-k-recall.svg |
    sed -n 's/.*translate([^,]*,\([^)]*\)).*/\1/p' | sort -u | wc -l)" -eq 1 ] && ok || complain "a legend in two rows"

# bars: words along x, whose names are the tics
plot --x variant --y test_accuracy
[ "$(rows test_accuracy-variant-recall.d-k2 | cut -f2,3 | tr '\n\t' ', ')" = 'standard 1,two-step 2,' ] &&
    grep -q '>two-step</text>' drawn/figures/test_accuracy-variant-recall.d-k2.svg && ok || complain "bars of variants"
plot --x task --y test_accuracy,solved_at --by d-k --show 4,2
[ "$(rows test_accuracy-task-variantstandard | cut -f2,3 | tr '\n\t' ', ')" = '4 1,4 2,2 1,2 2,' ] &&
    grep -q 'd-k 4: reverse [.0-9]*, recall [.0-9]*; d-k 2: reverse' drawn/figures/test_accuracy-task-variantstandard.txt &&
    ok || complain "bars of tasks, as they were asked for"

# maps: numbers by their size, a colour for each pair
plot --map --x d-k --y test_loss --facet task
[ "$(rows test_loss-d-k-by-task-map | wc -l)" -eq 8 ] &&
    grep -q 'reverse: lowest [.0-9]* (d-k [24], [a-z-]*), highest ' drawn/figures/test_loss-d-k-by-task-map.txt && ok ||
    complain "a map"
value=$(rows test_loss-d-k-by-task-map | sed -n 1p | cut -f4)
grep -q ">$(printf %.3g "$value")<" drawn/figures/test_loss-d-k-by-task-map.svg && ok || complain "a number in its cell"
"$qkv" compare -v standard -t reverse --d-k 2,16,4 --lr 0.01,0.0005,0.003 --seeds 1 $small -o cells >out 2>err
"$qkv" plot cells -o cells --map --x d-k --by lr --y test_loss -q --format svg 2>err &&
    [ "$(grep -A 3 'words << END' cells/figures/test_loss-d-k-reverse-map.gp | tr -dc '0-9\n' | tr '\n' ' ')" = ' 2 4 16 ' ] &&
    [ "$(grep -A 3 'series << END' cells/figures/test_loss-d-k-reverse-map.gp | tr -dc '.0-9\n' | tr '\n' ' ')" = ' 0.0005 0.003 0.01 ' ] &&
    ok || complain "axes of a map are not sorted"
"$qkv" plot many -o drawn -q --size column --format tikz,cairolatex --map --x d-k --y test_accuracy 2>err &&
    "$qkv" plot many -o drawn -q --size column --format tikz,cairolatex --x task --y test_loss 2>err && ok ||
    complain "maps and bars for LaTeX"
rm -f err
paper drawn/figures/test_accuracy-d-k-recall-map-tikz.tex drawn/figures/test_accuracy-d-k-recall-map-cairolatex.tex \
    drawn/figures/test_loss-task-d-k2-tikz.tex drawn/figures/test_loss-task-d-k2-cairolatex.tex
[ "$("$qkv" plot many -o drawn -q --format dumb --map --x d-k --y test_loss 2>err | grep -c 'two-step |.*[0-9]')" -eq 2 ] && ok ||
    complain "a map on a terminal"

# which, in which order, and what they are called: lines stay those of the values
plot --y loss --show two-step,standard --rename 'standard=theirs,two-step=ours & "co"' --facet d-k
figure=drawn/figures/loss-step-by-d-k-recall
[ "$(rows loss-step-by-d-k-recall | cut -f2 | uniq | head -n 2 | tr '\n' ' ')" = 'two-step standard ' ] &&
    grep -q '>ours &amp; "co"</text>' $figure.svg && ! grep -q '>two-step</text>' $figure.svg &&
    grep -q 'd_k 2: ours & "co" from' $figure.txt && ok || complain "names of one's own"
grep -q '>ours &amp; "co".d-k4</text>' drawn/figures/parameters.svg && ok || complain "names in the figure of parameters"
plot --y loss --show two-step
! grep -q standard drawn/figures/loss-step-recall.d-k2.tsv && ok || complain "--show"
refused 'not one of the values that are drawn: standard, two-step$' --show mqa
refused 'not one of the values that are drawn: standard, two-step$' --rename mqa=ours
refused 'give a value and what it is called' --rename standard
refused 'two-step=standard: another one is called so too' --rename two-step=standard
refused 'standard=a: another one is called so too' --rename standard=a,two-step=a

# limits
plot --x d-k --y test_accuracy --xlim 0,5 --ylim 0.25,0.75
figure=drawn/figures/test_accuracy-d-k-recall
grep -q "xlim = '0 5'" $figure.gp && grep -q '>0.3<' $figure.svg && ! grep -q '>0.8<' $figure.svg &&
    grep -q 'What is beyond the limits of the axes is not drawn' $figure.txt && ok || complain "limits"
refused 'the lower limit is first' --ylim 1,0 --y loss
refused 'give two numbers' --xlim 5
refused 'no common limits' --ylim 0,1
refused 'begins above 0' --y loss --log-y --ylim 0,1
refused 'words along variant' --x variant --y test_loss --xlim 0,1
refused 'words along variant' --x variant --y test_loss --log-x
refused 'is no setting' --map
refused 'means of one quantity' --map --x d-k --y test_loss --spread seeds
refused 'not one of: interval seeds' --spread all
refused 'no setting of a run' --by variant,colour

# panels of a quantity share their axes
plot --x d-k --y solved_at,test_loss --facet task
[ "$(sed -n '/panels << END/,/^END/p' drawn/figures/test_loss-d-k-by-task.gp | sed '1d;$d' | cut -d' ' -f1-4 | sort -u | wc -l)" -eq 1 ] &&
    ok || complain "panels have axes of their own"
plot --x d-k --y test_loss --by task --facet variant
[ "$(rows test_loss-d-k-by-variant | cut -f1,2 | uniq | tr '\n\t' ', ')" = '1 recall,1 reverse,2 recall,2 reverse,' ] && ok ||
    complain "panels by variant, curves by task"

# several experiments: which one a curve is of
"$qkv" compare -v standard,fused -t recall --d-k 2 --seed 7 $small --log-every 5 -o more >out 2>err
"$qkv" compare -v standard -t recall --d-k 2 --lr 0.01 --seed 7 $small --log-every 5 -o fast >out 2>err
"$qkv" plot many more -o both -q --format svg --y loss 2>err &&
    grep -q 'standard (many, more) from .*two-step (many) from\|standard (many, more) from .*fused (more)' \
        both/figures/loss-step-recall.d-k2.txt && ok || complain "curves of several experiments"
"$qkv" plot more fast -o both -q --format svg --y loss --by variant,experiment --rename fast=ours 2>err &&
    grep -q '>standard, more</text>' both/figures/loss-step-recall.svg &&
    grep -q '>standard, ours</text>' both/figures/loss-step-recall.svg &&
    grep -q ' lr: more 0.003, ours 0.01\.' both/figures/loss-step-recall.txt && ok ||
    complain "a curve for each experiment"
"$qkv" plot more fast -o both -q --format svg --y loss --facet experiment 2>err &&
    [ "$(sed -n '/titles << END/,/^END/p' both/figures/loss-step-by-experiment-recall.gp | tr -d '|\n')" = '$titles << ENDfastmoreEND' ] &&
    ok || complain "a panel for each experiment"

# no two of the variants that compare takes by itself have one colour
looks=$(printf 'term = "dumb"; name = "x"\n$title << END\n|t\nEND\nload "%s"\n' "$build/plots/style.gp"
    for v in standard per-head fused two-step two-step-tanh full-rank symmetric; do
        echo "print look('$v') == 100 ? 'black' : word(colours, (look('$v') - 101) % 7 + 1)"
    done)
[ "$(echo "$looks" | gnuplot 2>&1 | sort -u | wc -l)" -eq 7 ] && ok || complain "two variants of one colour"

# what lesson 18 shows, and four figures more
"$qkv" compare -v standard,two-step,mqa -t recall --seeds 2 --lr 0.003,0.01 $small --log-every 5 -o mine >out 2>err
"$qkv" compare -v standard -t recall --seeds 2 --lr 0.001 $small --log-every 5 -o earlier >out 2>err
qkv() { "$qkv" "$@" -q --format svg; }
sed -n '/^    qkv plot mine/{s/  *# .*//;p}' "$top/lessons/18-your-figure.md" >shown
cat >>shown <<'END'
qkv plot mine --x tokens --y loss --smooth 20
qkv plot mine --x variant --y test_accuracy
qkv plot mine --map --x lr --y test_accuracy
qkv plot mine --x lr --y test_accuracy --ylim 0.9,1
qkv plot mine earlier --y loss --by variant,experiment
END
while read -r line; do
    eval "$line" 2>err && ok || complain "lesson 18: $line"
done <shown
unset -f qkv
[ "$(wc -l <shown)" -eq 9 ] && ok || complain "lesson 18 shows other figures"
[ -s mine/figures/test_accuracy-lr-recall.svg ] && [ -s mine/figures/test_accuracy-lr-recall-map.svg ] &&
    [ -s mine/figures/test_accuracy-lr-recall-seeds.svg ] && ok || complain "a map or seeds take a figure's name"

# rows of a legend are as far apart as there is room for: 1.22 times type of 12
"$qkv" plot mine -o narrow --y loss --size 150 --format svg -q 2>err
grep -h -B 1 '>standard</text>\|>two-step</text>\|>mqa</text>' narrow/figures/loss-step-recall.lr0.003.svg |
    sed -n 's/.*translate([^,]*,\([^)]*\)).*/\1/p' | sort -nu |
    awk 'NR > 1 { n++; wrong += $1 - last < 12 || $1 - last > 16 } { last = $1 } END { exit wrong || !n }' && ok ||
    complain "rows of a legend are not 1.22 em apart"

# pictures in other formats: told where they are of another figure of that name
earlier() { "$qkv" plot mine --x lr --y test_accuracy "$@" 2>err || complain "plot $*"; }
earlier --format pdf
earlier --format svg
! grep -q 'of an earlier figure' err && ok || complain "the same figure, drawn in another format, is told"
earlier --format svg --ylim 0,2
grep -q 'of an earlier figure of that name: test_accuracy-lr-recall.pdf;' err && ok ||
    complain "a picture of an earlier figure is not told"

# Whatever the kind, only seeds are averaged: what else varies makes figures of
# its own, or is a place of its own.
for kind in '--x variant' '--x task' '--map --x d-k' '--x d-k' '--x variant --spread seeds' '--by task --x d-k'; do
    rm -rf drawn && plot $kind --y test_loss
    least=3 && case $kind in *seeds*) least='each of 3' ;; esac
    [ -z "$(grep -L "$least seeds" drawn/figures/*.txt)" ] && ok || complain "plot $kind averages more than seeds"
done
refused 'no place for a mean' --x test_loss --y test_accuracy

# --- what a grid is drawn as: a figure for each quantity, small multiples in it
"$qkv" compare -v standard,two-step -t reverse,recall --d-k 2,4 --lr 0.001,0.003,0.01,0.03 --seeds 1 \
    --steps 10 --test 16 --validate 16 --log-every 5 -o multiples --format svg -q >out 2>err && [ ! -s err ] &&
    [ "$(ls multiples/figures/*.svg | wc -l)" -eq 11 ] && ok || # 2 of curves, 3 along lr, a task; 1 of bars
    complain "a grid of 2 x 4 makes $(ls multiples/figures/*.svg | wc -l) figures"
[ "$(cut -f1 multiples/figures/validation_loss-step-recall.tsv | sort -un | tail -n 1)" -eq 8 ] &&
    [ "$(cut -f1 multiples/figures/test_loss-lr-recall.tsv | sort -un | tail -n 1)" -eq 2 ] &&
    grep -q 'learning rate 0.03' multiples/figures/validation_loss-step-recall.svg && ok ||
    complain "panels of small multiples"

# --- intervals on a logarithmic axis are those of the logarithm, above 0
"$qkv" plot many -o relative --y validation_loss --log-y --format svg -q 2>err && ok || complain "plot --log-y"
awk -F '\t' 'NR > 1 && $4 > 0 { rows++; r = $4 / $5 - $6 / $4; wrong += !($5 > 0) || r * r > 1e-4 * $6 / $4 }
    END { exit wrong || !rows }' relative/figures/curves-recall.d-k2.tsv &&
    grep -q 'as many times above the mean as below' relative/figures/curves-recall.d-k2.txt && ok ||
    complain "an interval on a logarithmic axis is not that of the logarithm"

# --- seeds that solve a task beside others that do not are drawn, not averaged
rm -rf heaps
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

# --- a gnuplot that does not do its work
mkdir bin
gnuplot_is() {
    printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
    chmod +x bin/gnuplot
    env PATH="$work/bin:$PATH" "$qkv" plot grid -o ill --format svg >out 2>err
    status=$?
}
gnuplot_is 'printf "\n\n   ^\n\"x.gp\" line 3: \033[31mbad\n" >&2; exit 1'
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^qkv: .*gnuplot.*line 3: .\[31mbad$' err &&
    ok || complain "what a failing gnuplot says"
gnuplot_is 'echo "gnuplot: error while loading shared libraries" >&2; exit 127'
[ $status -eq 1 ] && grep -q '^qkv: .*loading shared libraries' err && ok ||
    complain "a gnuplot that could not be loaded"
gnuplot_is 'kill -SEGV $$'
[ $status -eq 1 ] && grep -q 'qkv: .*egmentation' err && ok || complain "a gnuplot that crashed"
[ -z "$(ls -A ill/figures | grep 'svg')" ] && ok || complain "a failed picture stays"
chmod -x bin/gnuplot
env PATH="$work/bin" "$qkv" plot grid -o ill --format svg >out 2>err
[ $? -eq 1 ] && grep -q 'gnuplot could not draw it: it cannot be started: Permission denied' err && ok ||
    complain "a gnuplot that may not be run"
rm bin/gnuplot
env PATH="$work/bin" "$qkv" plot grid -o ill --format svg >out 2>err
[ $? -eq 0 ] && grep -q 'gnuplot is not installed' err && ok || complain "no gnuplot"
if ! nm "$qkv" 2>/dev/null | grep -q __asan_init; then
    (ulimit -v 40000 && exec "$qkv" plot grid -o ill --format svg) >out 2>err
    [ $? -eq 1 ] && ! grep -q 'not installed' err && ok || complain "a gnuplot that was refused memory"
fi

echo "drawn: $passed passed, $failed failed"
[ $failed -eq 0 ]
