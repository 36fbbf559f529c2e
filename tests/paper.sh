#!/bin/sh
# paper.sh BUILD - what a writer of papers takes from here: every table in LaTeX,
# Markdown and JSON, and a report's tables and figures in a paper of two columns.
# Nothing is wider than its column, and no file is missing.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
build=$(cd "$1" && pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    printf 'paper: %s\n' "$*" >&2
    [ -z "${STOP:-}" ] || exit 1
}
has() { command -v "$1" >/dev/null; }
small="--test 8 --validate 8 -q"
for tool in pdflatex pandoc python3 gnuplot; do
    has $tool || echo "paper: no $tool here: what needs it is skipped" >&2
done

# begins COLUMN: a document of two columns that wide, as an ACL's (219pt) or
# ICML's (235pt); or of one, as wide as a page.
begins() {
    case $1 in
    page) printf '%s\n' '\documentclass{article}' '\textwidth=397pt' ;;
    *) printf '%s\n' '\documentclass[twocolumn]{article}' '\columnsep=16pt' \
        "\\textwidth=\\dimexpr $1*2+16pt\\relax" ;;
    esac
    printf '%s\n' '\usepackage{booktabs,graphicx}' '\textheight=640pt \topmargin=-36pt' \
        '\oddsidemargin=0pt'
}

# typeset NAME: NAME.tex compiles, twice, with nothing too wide and nothing missing.
typeset() {
    has pdflatex || return 0
    for pass in 1 2; do
        timeout 100 pdflatex -interaction=nonstopmode -halt-on-error "$1.tex" >"$1.out" 2>&1 \
            </dev/null || break
    done
    ! grep 'Overfull\|^!\|not found\|undefined\|too large\|multiply defined' "$1.out" >faults &&
        [ -s "$1.pdf" ] && ok || complain "$1: $(cat faults; tail -n 3 "$1.out")"
}

# --- every table that there is, of all variants
all=$("$qkv" list --variants | tail -n +2 | cut -f1 | paste -sd, -)
"$qkv" compare -v "$all" -t reverse,recall --seeds 2 --steps 4 $small --no-figures -o many \
    >many.tsv 2>err || complain "compare"
run=$(ls -d many/recall.standard.*seed1.*)
number=0
tables() { # LAYOUT: each command's, as a file table-N.LAYOUT
    number=0
    while read -r command; do
        number=$((number + 1))
        sh -c "'$qkv' $command --$1" >"table-$number.$1" 2>err </dev/null && [ -s "table-$number.$1" ] &&
            ok || complain "$command --$1: $(cat err)"
    done <<END
list --variants
list --variants --family
list --variants --real
list --tasks
count
count --weights
count --preset deepseek-v2 -v standard,gqa,mla-rope
count --real --weights -v standard,two-step --d-model 8
compare -v $all -t reverse,recall --seeds 2 --steps 4 $small --no-figures -o many
table many
inspect $run -q
inspect $run --range -q
inspect $run --attention -q --format svg -o seen
equiv -v standard,two-step-tanh,symmetric-data,mqa,identity,no-wv-wo -t reverse --d-model 16 --steps 2 $small -o same --format svg
END
}
tables latex
for width in 219pt 235pt page; do
    {
        begins $width
        printf '%s\n' '\begin{document}'
        for i in $(seq $number); do
            # words in it, and labels that other tables of that command have too
            printf 'Table. \\renewcommand\\label[1]{}\\input{table-%s.latex}\\clearpage\n' "$i"
        done
        printf '%s\n' '\end{document}'
    } >tables-$width.tex
    typeset tables-$width
done
cat table-*.latex >all.latex
! grep -v '^%' all.latex | grep -qi 'nan\|\binf\b' && ok || complain "a number that is none in LaTeX"
grep -q '^.caption.*In all rows: .*solved \$0/2\$, steps \$>4\$\.}$' all.latex && ok ||
    complain "what all rows share is in the caption"
grep -q '^.caption{1 layer of d-model 32' all.latex && grep -q '^.label{tab:recall}' all.latex && ok ||
    complain "a caption and a label"
for words in '$W_i^Q$' '$d_k$' '$d_{\mathrm{model}}$' '$e^{s_j}$' '\times10^{-' '\ [0.' '$W^{\mathrm{DKV}}$'; do
    grep -qF -- "$words" all.latex && ok || complain "$words is not in maths"
done
grep -q '& -- ' all.latex && ok || complain "what is not known has no dash"
"$qkv" compare -v standard,mqa,two-step -t reverse --length 6 --seeds 3 --steps 60 $small \
    --no-figures -o judged --latex >judged.latex 2>err
grep -q '^% Left out, for the width of a column: .*; --tsv has all' judged.latex &&
    grep -q 'verdict ..$' judged.latex && ok || complain "a paper has the verdict"

grep -q '& \$[01]\.[0-9]*\\ \[' all.latex && ! grep '& \$[01]\.[0-9][0-9]\\ \[' all.latex && ok || complain "an interval of accuracy has too few digits"

# --- for programs and for pages
if has python3; then
    tables json
    for file in table-*.json; do
        python3 -m json.tool "$file" >out 2>err && ok || complain "$file: $(cat err)"
    done
fi
if has pandoc; then
    tables markdown
    for i in $(seq $number); do
        pandoc -f gfm -t html "table-$i.markdown" >out 2>err && grep -q '<td' out &&
            ! grep -q '<p>|' out && ok || complain "table-$i.markdown is no table: $(cat err)"
    done
fi

# --- somebody else's words: the name of a text, which tables and captions show
name='a%b_$x$#1&_{c}~_^\dé漢_<b>_[l](u)|*w*--x`k`/and_a_rather_long_path.txt'
mkdir "${name%/*}"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo "words of a text, line $i of it, and more of them, $i$i" >>"$name"
done
tail -n 11 "$name" >other.txt
for file in "$name" other.txt; do
    "$qkv" compare --file "$file" --length 8 -v standard,mqa --seeds 2 --steps 4 $small \
        --no-figures -o read >out 2>err || complain "compare of $file: $(cat err)"
done
"$qkv" table read --latex >read.latex
"$qkv" table read --markdown >read.markdown
"$qkv" table read --json >read.json
{
    begins 219pt
    printf '%s\n' '\usepackage[T1]{fontenc}\begin{document}' 'Read. \input{read.latex}' '\end{document}'
} >hostile.tex
typeset hostile
if has pandoc; then
    pandoc -f gfm -t plain --columns=400 read.markdown | grep -qF -- "$name" && ok || complain "$name in Markdown"
fi
if has python3; then
    python3 -c 'import json, sys; sys.exit(sys.argv[1] not in [r["file"] for r in json.load(open("read.json"))])' \
        "$name" && ok || complain "$name in JSON"
fi

# --- a paper in two columns, made from one comparison, in another folder
"$qkv" compare -v standard,two-step,two-step-tanh,mqa,symmetric -t reverse,recall --length 8 --d-k 2,8 \
    --seeds 3 --steps 80 $small --no-figures -o mine >mine.tsv 2>err || complain "compare"
# input KIND: what a report wrote of that kind, one after the other.
input() {
    for file in "$report/$1"/*.tex; do
        name=$(basename "$file" .tex)
        label=$(sed -n 's/^.label{\(.*\)}$/\1/p' "$file")
        [ "$label" ] && ok || complain "$file has no label"
        printf 'As \\ref{%s} shows.\n\\input{../%s/%s/%s}\n' "$label" "$report" "$1" "$name"
    done
}
if has gnuplot; then
    mkdir paper
    for width in icml:235pt acl:219.1pt column:229.5pt; do
        size=${width%:*}
        report=report-$size
        "$qkv" report mine -o "$report" --size $size -q 2>err && ok || complain "report: $(cat err)"
        "$qkv" plot mine -o drawn-$size --size $size --format tikz -q 2>err && ok ||
            complain "plot: $(cat err)"
        tikz=
        if has kpsewhich && kpsewhich tikz.sty >/dev/null; then
            tikz=$(ls drawn-$size/figures/*-tikz.tex 2>/dev/null)
            cp drawn-$size/figures/gnuplot-lua-tikz* paper
        else
            echo "paper: no TikZ here: its figures are skipped" >&2
        fi
        {
            begins ${width#*:}
            [ "$tikz" ] && echo '\usepackage{gnuplot-lua-tikz}'
            printf '%s\n' '\title{Which of the matrices are there?}' '\begin{document}' '\maketitle'
            input tables
            input figures
            for file in $tikz; do
                printf '%s\n' '\clearpage\begin{figure}[tb]\centering' "\\input{../$file}" \
                    '\caption{As TikZ.}\end{figure}'
            done
            printf '%s\n' '\end{document}'
        } >paper/paper-$size.tex
        (cd paper && failed=0 && typeset paper-$size && exit $failed) && ok || complain "the paper, $size"
    done
    grep -q '^.caption{recall.*mean of 3 seeds' report-icml/figures/*recall*.tex &&
        grep -qF 'caption{reverse, $d_k$ 8: guessing' report-icml/tables/reverse.d-k8.tex &&
        ! grep -h '^.caption' report-icml/*/*.tex | grep -q 'shortstack\|nan' && ok ||
        complain "captions of the record"
    (cd report-column && failed=0 && typeset report && exit $failed) && ok || complain "report.tex"
    "$qkv" report mine -o report-page --size page -q 2>err &&
        grep -q 'begin{figure\*}' report-page/figures/*.tex && (cd report-page && failed=0 && typeset report && exit $failed) &&
        ok || complain "a report as wide as a page"
    # the verdict, the tables, the figures, then how it came about
    order=$(grep -o '^Compared with\|input{tables\|input{figures\|What was run\|{}-variant' \
        report-column/report.tex | uniq | tr '\n' ' ')
    [ "$order" = 'Compared with input{tables input{figures What was run {}-variant ' ] && ok ||
        complain "the order of a report: $order"
fi

echo "paper: $passed passed, $failed failed"
[ $failed -eq 0 ]
