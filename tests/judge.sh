#!/bin/sh
# judge.sh BUILD - `qkv judge` on tables that people posted (judged/questions.tsv), on a
# million rows, and the figure. What it says of everything that is wrong is in command.tsv,
# and its digits are SciPy's (scipy.sh).

build=$1
. tests/lib.sh
tab=$(printf '\t')
sort -u "$top"/tests/judged/*.csv >rows
expect "tables without a source" [ "$(grep -v source rows | grep -vc 'https://github.com/')" -eq 0 ]

while IFS=$tab read -r file verdicts sentence options; do
    case $file in '#'*) continue ;; esac
    # shellcheck disable=SC2086 # options are many words
    "$qkv" judge "$top/tests/judged/$file" $options --columns verdict --tsv >out 2>err
    expect "$file $options: the verdicts are $(tail -n +2 out | xargs)" \
        [ "$(tail -n +2 out | grep -vx baseline | xargs)" = "$verdicts" ]
    # shellcheck disable=SC2086
    "$qkv" judge "$top/tests/judged/$file" $options --markdown 2>err | sed 's/\\//g' >out
    expect "$file $options: says $(head -n 8 out)" grep -qxF -- "$sentence" out
done <"$top/tests/judged/questions.tsv"

# Five panels are one figure, whose data are the table's.
cat >five.csv <<'END'
method,seed,a,b,c
ours (new),1,1,3,10
ours (new),2,2,3.5,12
it's #1,1,1.5,3.1,11
it's #1,2,2.2,3.8,13
END
"$qkv" judge five.csv --method method --seed seed --lower a,b --solved-at c --baseline "it's #1" \
    -o drawn --format svg >out 2>err
expect "no figure" [ -s drawn/figures/judged.txt ]
expect "the figure has other data" [ "$(cut -f 1-3 drawn/figures/judged.tsv | tail -n +2 | xargs)" = \
    "1 ours_(new) ours_(new) 2 ours_(new) ours_(new) 3 ours_(new) ours_(new)" ]
! companion gnuplot "the figure of judge" || expect "gnuplot draws nothing" [ -s drawn/figures/judged.svg ]
# A method may be called by a number, beside others that are not.
sed 's/^ours (new)/128/; s/^it/full/p; s/^full/none/' five.csv >names.csv
"$qkv" judge names.csv --method method --seed seed --lower a --baseline "full's #1" -o names --format svg >out 2>err
! companion gnuplot "methods called by numbers" || expect "128 and others" grep -q '>128<' names/figures/judged.svg
# Steps are paired by seed, whatever the order of the rows (sort -r keeps the heading first).
p() { "$qkv" judge "$1" --method m --seed s --solved-at t --baseline a --columns p_adjusted --tsv | xargs; }
printf 'm,s,t\na,1,30\na,2,10\na,3,20\nb,1,31\nb,2,11\nb,3,22\n' >first && sort -r first >last
expect "the verdict depends on the order of the rows" [ "$(p first | tr -d 'NA ')" = "$(p last | tr -d 'NA ')" ]
# A million rows of a thousand methods take seconds of the processor, not minutes.
awk 'BEGIN { srand(1); print "m,s,x"; for (i = 0; i < 1e6; i++) printf "m%d,%d,%.6f\n", i % 1000, i / 1000, rand() }' >million
(ulimit -t 60 && "$qkv" judge million --method m --seed s --lower x --baseline m0) >out 2>err
expect "a million rows: status $?" [ "$(wc -l <out)" -eq 1001 ]
finish
