#!/bin/sh
# solve.sh BUILD - standard attention solves each task, with at least 5 of 6
# seeds and within 1,000 steps, at the settings that a task starts with;
# one layer does not solve induction and mqar.
# Only here must a model learn, with all its seeds.

set -eu
qkv=$1/qkv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

$qkv compare -v standard -t reverse,recall,sort,induction,mqar --seeds 6 \
    --steps 1000 --log-every 50 --no-figures --no-weights -q -o "$work/runs" \
    --columns solved,task >"$work/two"
$qkv compare -v standard -t induction,mqar --seeds 6 --layers 1 --steps 1000 \
    --log-every 50 --no-figures --no-weights -q -o "$work/runs" \
    --columns solved,task >"$work/one"
awk -F'\t' '
    FNR == 1 { next }
    { split($1, solved, "/") }
    FILENAME ~ /two$/ && solved[1] < 5 { print "not solved: " $0; bad++ }
    FILENAME ~ /one$/ && solved[1] > 0 { print "solved by one layer: " $0; bad++ }
    { lines++ }
    END { print "solve: " lines - bad " passed, " bad + 0 " failed"
          exit bad || lines != 7 }' "$work/two" "$work/one"
