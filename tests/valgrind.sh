#!/bin/sh
# valgrind.sh BUILD - a run, a comparison, figures and errors under valgrind:
# nothing read that was not written, nothing lost.
# Only here is memory that was not written seen when it is read.

set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
cd "$work"

# clean STATUS COMMAND ...: exits so, and valgrind has nothing to say. A command
# that ends with a message frees nothing first.
clean() {
    wanted=$1 leaks=full
    shift
    [ "$wanted" -eq 0 ] || leaks=no
    status=0
    valgrind -q --error-exitcode=99 --leak-check=$leaks \
        --errors-for-leak-kinds=definite --show-leak-kinds=definite \
        "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ $status -ne "$wanted" ] || grep -q '^==' "$work/err"; then
        echo "valgrind: $*: status $status" >&2
        cat "$work/err" >&2
        exit 1
    fi
    passed=$((passed + 1))
}

small="--d-model 8 --steps 11 --batch 2 --test 4 --validate 4 -q"
few="$small --no-figures"
printf 'input\ttarget\n' >pairs.tsv
for i in 1 2 3 4 5 6; do printf 'a b c\t- B C\nb a\tB A\n'; done >>pairs.tsv
head -c 4000 "$build/qkv" >bytes
for variant in standard per-head fused two-step-tanh full-rank symmetric \
    symmetric-data identity gqa mla collaborative; do # every operator there is, over several vectors
    clean 0 "$build/qkv" train -v $variant -t induction --mlp 2 --norm pre $small --d-model 32 -o runs
done
clean 0 "$build/qkv-double" train -t recall $small -o double
# The status, and the words of a command; the shell knows its *.
while read -r wanted words; do
    clean "$wanted" "$build/qkv" $(eval "echo $words")
done <<END
0 list
0 train --file bytes --characters bytes $small -o runs
0 compare -v standard,full-rank -t reverse,sort --seeds 2 --d-k 2,4 $small -o grid --format svg
0 plot grid -q -o grid --x d-k --y test_loss --format svg
0 inspect runs/induction.gqa* --spectrum --format svg -q
0 equiv -v standard,per-head,full-rank,two-step-tanh -t reverse --heads 2 $small -o equiv
0 equiv equiv/reverse.per-head* --to fused -o turned -q
0 count --preset transformer-base -v standard,mla
0 count --preset deepseek-v2 -v mla --latex --weights
0 train -t translate --norm pre --mlp 1 $small --cross-variant mla --encoder-variant identity -o cross
0 train -t cross-recall --queries 3 --embed onehot $small -o cross
0 inspect cross/translate* --attention --format svg -q
0 export cross/translate* --batch batch -q
0 trace 1.2.3.2 -v two-step
0 train -t recall --residual no $small -o folded
0 equiv folded/recall* --to mqa --embed onehot -o turned -q
0 new fresh
0 train -t pairs --file pairs.tsv $small -o runs
0 compare -t subset --seeds 2 --same-start auto --jobs 1 -v standard,two-step,two-step-tanh --lr 0.003,0.01 --init W_Q=0.5 --log attention+scores+gradients+rank+distance $few -o fair --tsv
0 compare -t reverse --seeds 1 --match flops --steps 0 -v standard,mla,mqa --d-model 8 -q -o met --no-figures
0 plot fair -q -o fair --x lr --by variant --y entropy,rank_m --facet quantity --format tikz --size column
0 report fair -o report -q
2 train -t revers
2 train -v standrad
1 plot nowhere
END
echo "valgrind: $passed passed, 0 failed"
