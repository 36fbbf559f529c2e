#!/bin/sh
# paper.sh BUILD - what a writer of papers takes from here: every table in LaTeX,
# Markdown and JSON is read by what reads such, and a report's tables and figures
# make a paper of two columns, in which nothing is too wide and no file is missing.

build=$1
. tests/lib.sh
small="--test 8 --validate 8 -q"
latex='' pandoc=''
companion pdflatex "compiling a paper and a report" && latex=yes
companion pandoc "reading tables in Markdown" && pandoc=yes
# typeset FOLDER NAME: NAME.tex compiles there, twice, with nothing too wide or missing.
typeset() {
    [ "$latex" ] || return 0
    for pass in 1 2; do
        (cd "$1" && timeout 100 pdflatex -interaction=nonstopmode -halt-on-error "$2.tex") >tex.log 2>&1 \
            </dev/null || break
    done
    ! grep 'Overfull\|^!\|not found\|undefined\|too large\|multiply defined' tex.log >faults &&
        [ -s "$1/$2.pdf" ] && ok || complain "$1/$2: $(cat faults; tail -n 3 tex.log)"
}

# --- every table that there is, of all variants; the name of a text, as it is
all=$("$qkv" list | tail -n +2 | cut -f1 | paste -sd, -)
"$qkv" compare -v "$all" -t reverse,recall --seeds 2 --steps 4 $small --no-figures -o many \
    >many.tsv 2>err || complain "compare"
run=$(ls -d many/recall.standard.*seed1.*)
name='a%b_$x$#1&_{c}~_^\dé漢_<b>_[l](u)|*w*--x`k`/and_a_rather_long_path.txt'
mkdir "${name%/*}"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo "words of a text, line $i of it, and more of them, $i$i" >>"$name"
done
tail -n 11 "$name" >other.txt
for file in "$name" other.txt; do
    "$qkv" compare --file "$file" --length 8 -v standard,mqa --seeds 2 --steps 4 $small \
        --no-figures -o read >out 2>err || complain "compare of $file"
done
for layout in latex markdown; do
    number=0
    while read -r command; do
        number=$((number + 1)) file=table-$((number + 100)).$layout
        sh -c "'$qkv' $command --$layout" >$file 2>err </dev/null && [ -s $file ] && ok || complain "$command --$layout"
        [ $layout = markdown ] && [ "$pandoc" ] || continue
        pandoc -f gfm -t html $file >out 2>err && grep -q '<td' out &&
            ! grep -q '<p>|' out && ok || complain "$command --markdown is no table"
    done <<END
list
list --tasks
count
count -v standard,gqa,mla-rope
count --real -v standard,two-step --d-model 8
compare -v $all -t reverse,recall --seeds 2 --steps 4 $small --no-figures -o many
table read
inspect $run -q
inspect $run --attention -q --format svg -o seen
equiv -v standard,two-step-tanh,symmetric-data,mqa,identity,no-wv-wo -t reverse --d-model 16 --steps 2 $small -o same --format svg
END
done
[ ! "$pandoc" ] || pandoc -f gfm -t plain --columns=400 table-107.markdown | grep -qF -- "$(echo "$name" | tr '\\' _)" && ok ||
    complain "$name in Markdown"
cat table-*.latex >all.latex
expect "a number that is none in LaTeX" [ -z "$(grep -v '^%' all.latex | grep -i 'nan\|\binf\b')" ]
while IFS= read -r words; do
    expect "LaTeX without $words" grep -q -- "$words" all.latex
done <<'END'
^.caption{1 layer of d-model 32
^.label{tab:recall}
\\times10^{-
& -- 
& \$[01]\.[0-9]*\$ \[
END
expect "$name in LaTeX" grep -qF 'a\%b\_\$x\$\#1\&\_\{c\}\texttt{\symbol{126}}\_\texttt{\symbol{94}}\_d' all.latex
expect "an interval of accuracy has too few digits" [ -z "$(grep '& \$[01]\.[0-9][0-9]\$ \[' all.latex)" ]
# --- a paper in two columns, made from one comparison, in another folder
"$qkv" compare -v standard,two-step,two-step-tanh,mqa,symmetric -t reverse,recall --length 8 --d-k 2,8 \
    --seeds 3 --steps 80 $small --no-figures -o mine --latex >mine.latex 2>err || complain "compare"
expect "a paper has the verdict" grep -q 'verdict' mine.latex
# input KIND: what a report wrote of that kind, one after the other.
input() {
    for file in report/$1/*.tex; do
        label=$(sed -n 's/^.label{\(.*\)}$/\1/p' "$file")
        [ "$label" ] && ok || complain "$file has no label"
        printf 'As \\ref{%s} shows.\n\\input{../%s}\n' "$label" "${file%.tex}"
    done
}
if companion gnuplot "a paper with figures"; then
    "$qkv" report mine -o report --size 219 -q 2>err && ok || complain "report"
    mkdir paper
    # columns as wide as an ACL's; other tables have labels that these have too
    {
        printf '%s\n' '\documentclass[twocolumn]{article}' '\columnsep=16pt' \
            '\textwidth=\dimexpr 219.1pt*2+16pt\relax' '\usepackage{booktabs,graphicx}' \
            '\usepackage[T1]{fontenc}' '\textheight=640pt \topmargin=-36pt' '\oddsidemargin=0pt' '\begin{document}'
        input tables
        input figures
        printf '%s\n' '\renewcommand\label[1]{}'
        rm -f table-109.latex # attention's weights, a row each: longer than a page
        printf 'Table. \\input{../%s}\\clearpage\n' table-*.latex
        printf '%s\n' '\end{document}'
    } >paper/paper.tex
    typeset paper paper
    typeset report report
    grep -q '^.caption{.*mean of 3 seeds' report/figures/*.tex &&
        grep -qF 'caption{reverse.d-k8: guessing' report/tables/reverse.d-k8.tex &&
        ! grep -h '^.caption' report/*/*.tex | grep -q 'shortstack\|nan' && ok ||
        complain "captions of the record"
    # the verdict, the tables, the figures, then how it came about
    order=$(grep -o '^Compared with\|input{tables\|input{figures\|What was run\|{}-variant' \
        report/report.tex | uniq | tr '\n' ' ')
    [ "$order" = 'Compared with input{tables input{figures What was run {}-variant ' ] && ok ||
        complain "the order of a report: $order"
fi

finish
