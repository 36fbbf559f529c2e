#!/bin/sh
# parallel.sh BUILD - a plan under GNU parallel and xargs, stopped and taken up,
# and in two folders that are brought together: the same bits each way.
# Only here are the lines of a plan run by other programs.

set -u
build=$(cd "$1" && pwd)
command -v parallel >/dev/null || {
    echo "parallel: skipped: no GNU parallel here"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PATH=$build:$PATH HOME=$work
die() {
    echo "parallel: $*" >&2
    exit 1
}
grid() {
    qkv compare -v standard,full-rank -t reverse,recall --seeds 5 --steps 40 \
        --test 64 --validate 32 "$@"
}
same() { # DIRECTORY
    diff -r -x timing.tsv -x experiment.tsv -x real.tsv here "$1" >differs || die "$1: $(cat differs)"
    grid -o "$1" -q --no-figures >table2 || die "$1: no table"
    cmp -s table table2 || die "$1: another table"
}
grid -o here -q --no-figures >table || die "without a plan"

# Ended in the middle, then --resume: what is done is not begun again.
grid -o one --plan >plan 2>said || die "no plan"
grep -q '20 runs to do: about .* of a core .* on disk in' said || die "no estimate: $(cat said)"
head -n 8 plan | parallel --joblog log >out 2>&1 || die "parallel: $(cat out)"
parallel --joblog log --resume <plan >out 2>&1 || die "parallel --resume: $(cat out)"
[ "$(tail -n +2 log | wc -l)" -eq 20 ] || die "parallel did $(wc -l <log) jobs of 20"
same one
parallel <plan >out 2>&1 || die "a second time"
same one

# Two workers on the same lines.
grid -o two --plan -q >plan
{ parallel <plan >out1 2>&1 & } && parallel <plan >out2 2>&1
wait
same two

# xargs, and half of it each on two machines, brought together.
grid -o three --plan -q | tr '\n' '\0' | xargs -0 -n 1 -P 2 sh -c >out 2>&1 || die "xargs: $(cat out)"
same three
mkdir a b
grid -o part --plan -q >plan
(cd a && sed -n 'p;n' ../plan | parallel) >out 2>&1 || die "the first half: $(cat out)"
(cd b && sed -n 'n;p' ../plan | parallel) >out 2>&1 || die "the other half: $(cat out)"
qkv plot a/part b/part -q --format svg -o both || die "two experiments"
mkdir four && cp -r a/part/. b/part/re* four || die "two halves are not brought together"
same four

# A grid of 100,000 runs has a line for each.
qkv compare -v standard,fused -t reverse,recall --seeds 25000 -o grid --plan -q >plan ||
    die "no plan of 100,000 runs"
[ "$(sort -u plan | wc -l)" -eq 100000 ] || die "100,000 runs are $(sort -u plan | wc -l) lines"
echo "parallel: 20 runs by parallel, --resume, two at once, xargs, two halves: the same bits; 100,000 planned"
