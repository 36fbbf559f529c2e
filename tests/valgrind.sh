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
clean 0 "$build/qkv" list
for variant in standard per-head fused two-step-tanh full-rank symmetric \
    symmetric-data identity gqa mla collaborative; do # every operator there is, over several vectors
    clean 0 "$build/qkv" train -v $variant -t induction \
        --mlp 2 --norm pre $small --d-model 32 -o "$work/runs"
done
clean 0 "$build/qkv-double" train -t recall $small -o "$work/double"
head -c 4000 "$build/qkv" >"$work/bytes"
clean 0 "$build/qkv" train --file "$work/bytes" --characters bytes $small \
    -o "$work/runs"
clean 0 "$build/qkv" compare -v standard,full-rank -t reverse,sort --seeds 2 \
    --d-k 2,4 $small -o "$work/grid" --format svg
clean 0 "$build/qkv" plot "$work/grid" -q -o "$work/grid" --x d-k \
    --y test_loss --format svg
clean 0 "$build/qkv" inspect "$(ls -d "$work"/runs/induction.gqa*)" --spectrum \
    --format svg -q
clean 0 "$build/qkv" equiv -v standard,per-head,full-rank,two-step-tanh \
    -t reverse --heads 2 $small -o "$work/equiv"
clean 0 "$build/qkv" equiv "$(ls -d "$work"/equiv/reverse.per-head*)" \
    --to fused -o "$work/turned" -q
clean 0 "$build/qkv" count --preset transformer-base -v standard,mla
clean 0 "$build/qkv" count --preset deepseek-v2 -v mla --latex --weights
clean 0 "$build/qkv" train -t translate --norm pre --mlp 1 $small \
    --cross-variant mla --encoder-variant identity -o "$work/cross"
clean 0 "$build/qkv" train -t cross-recall --queries 3 --embed onehot $small \
    -o "$work/cross"
run=$(ls -d "$work"/cross/translate*)
clean 0 "$build/qkv" inspect "$run" --attention --format svg -q
clean 0 "$build/qkv" export "$run" --batch "$work/batch" -q
clean 0 "$build/qkv" trace 'to be or not to be' -v two-step
clean 0 "$build/qkv" train -t recall --residual no $small -o "$work/folded"
clean 0 "$build/qkv" equiv "$(ls -d "$work"/folded/recall*)" --to mqa \
    --embed onehot -o "$work/turned" -q
clean 0 "$build/qkv" new fresh
printf 'input\ttarget\n' >pairs.tsv
for i in 1 2 3 4 5 6; do printf 'a b c\t- B C\nb a\tB A\n'; done >>pairs.tsv
clean 0 "$build/qkv" train -t pairs --file pairs.tsv $small -o "$work/runs"
clean 0 "$build/qkv" compare -t subset --seeds 2 --same-start auto --jobs 1 \
    -v standard,two-step,two-step-tanh --lr 0.003,0.01 --init W_Q=0.5 \
    --log attention+scores+gradients+rank+distance $small -o "$work/fair" \
    --no-figures --tsv
clean 0 "$build/qkv" compare -t reverse --seeds 1 --match flops --steps 0 \
    -v standard,mla,mqa --d-model 8 -q -o "$work/met" --no-figures
clean 0 "$build/qkv" plot "$work/fair" -q -o "$work/fair" --x lr --by variant \
    --y entropy,rank_m --facet quantity --format tikz --size column
clean 0 "$build/qkv" report "$work/fair" -o "$work/report" -q
clean 2 "$build/qkv" train -t revers
clean 2 "$build/qkv" train -v standrad
clean 1 "$build/qkv" plot "$work/nowhere"
echo "valgrind: $passed passed, 0 failed"
