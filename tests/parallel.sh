#!/bin/sh
# parallel.sh BUILD - a plan under GNU parallel, stopped and taken up, under xargs, and
# in two folders that are brought together: the same bits each way.
# Only here are the lines of a plan run by other programs.

build=$1
. tests/lib.sh
export PATH=$build:$PATH HOME=$work
grid() {
    qkv compare -v standard,full-rank -t reverse,recall --seeds 5 --steps 40 \
        --test 64 --validate 32 -q "$@"
}
same() { # DIRECTORY
    diff -r -x timing.tsv -x experiment.tsv -x real.tsv here "$1" >err &&
        grid -o "$1" --no-figures >table2 2>err && cmp table table2 >err 2>&1 && ok ||
        complain "$1: other runs, or another table"
}
grid -o here --no-figures >table 2>err || complain "without a plan"

# Ended in the middle, then --resume: what is done is not begun again.
if companion parallel "a plan under GNU parallel"; then
    grid -o one --plan >plan 2>err && head -n 8 plan | parallel --joblog log >err 2>&1 &&
        parallel --joblog log --resume <plan >err 2>&1 && [ "$(tail -n +2 log | wc -l)" -eq 20 ] && ok ||
        complain "parallel --resume did $(wc -l <log) jobs of 20"
    same one
fi

# xargs, and half of it each on two machines, brought together.
grid -o two --plan | tr '\n' '\0' | xargs -0 -n 1 -P 2 sh -c >err 2>&1 && ok || complain "xargs"
same two
mkdir a b
grid -o part --plan >plan
(cd a && sed -n 'p;n' ../plan | sh -e) >err 2>&1 && (cd b && sed -n 'n;p' ../plan | sh -e) >err 2>&1 &&
    qkv table a/part b/part >both 2>err && [ "$(wc -l <both)" -eq 21 ] && ok || complain "two halves"
mkdir three && cp -r a/part/. b/part/re* three
same three

# A grid of 100,000 runs has a line for each.
qkv compare -v standard,fused -t reverse,recall --seeds 25000 -o grid --plan -q 2>err | sort -u >plan
expect "100,000 runs are $(wc -l <plan) lines" [ "$(wc -l <plan)" -eq 100000 ]

finish
