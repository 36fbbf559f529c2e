#!/bin/sh
# valgrind.sh BUILD - a run, a comparison, figures and errors under valgrind:
# nothing read that was not written, nothing lost at each step. BUILD is for a
# processor that valgrind knows, as `make check-valgrind` builds it: elsewhere
# AVX-512 is an illegal instruction.
# Only here is memory that was not written seen when it is read.

build=$1
. tests/lib.sh
small="--d-model 8 --steps 11 --batch 2 --test 4 --validate 4 -q"

# clean STATUS PROGRAM ...: exits so, and valgrind has nothing to say. What a
# command or a run holds until its process ends is not lost; what each of many
# steps, weights or rows leaves behind is, and that makes many blocks.
clean() {
    wanted=$1 program=$build/$2
    shift 2
    valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=none \
        --show-leak-kinds=definite "$program" "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] && ! lost && ok || complain "$*: status $status"
}
lost() {
    awk '/definitely lost/ { for (i = 2; i <= NF; i++) if ($i == "blocks" && $(i - 1) > 5) many = 1 }
        END { exit !many }' err
}
for variant in standard per-head fused two-step-tanh full-rank symmetric \
    symmetric-data identity gqa mla collaborative; do # every operator there is, over several vectors
    clean 0 qkv train -v $variant -t induction --mlp 2 --norm pre $small --d-model 32 -o runs
done
# Status, and a command in the shell's words.
while read -r command; do
    eval "clean $command"
done <<'END'
0 qkv list
0 qkv-double train -t recall $small -o double
0 qkv compare -v standard,full-rank -t reverse,sort --seeds 2 --d-k 2,4 $small -o grid --format svg
0 qkv plot grid -q -o grid --x d-k --y test_loss --format svg
0 qkv inspect runs/induction.gqa* -q
0 qkv equiv -v standard,per-head,full-rank,two-step-tanh -t reverse --heads 2 $small -o equiv
0 qkv equiv equiv/reverse.per-head* -v fused -q
0 qkv count --preset transformer-base
0 qkv count -v standard,mla --latex
0 qkv train -t translate --norm pre --mlp 1 $small -v mla -o cross
0 qkv train -t cross-recall --queries 3 --embed onehot $small -o cross
0 qkv inspect cross/translate* --attention --format svg -q
0 qkv export cross/translate* batch -q
0 qkv trace 'to be or not to be' -v two-step
0 qkv train -t recall --residual no $small -o folded
0 qkv equiv folded/recall* -v mqa --embed onehot -q
0 qkv new fresh
0 qkv compare -t subset --seeds 2 --same-start standard --jobs 1 -v standard,two-step,two-step-tanh --lr 0.003,0.01 --init W_Q=0.5 --log attention+scores+gradients+rank+distance $small -o fair --no-figures --tsv
0 qkv plot fair -q -o fair --x lr --by variant --y entropy,rank_m --format cairolatex --size column
0 qkv plot fair --format pdf -o report -q
0 qkv table fair --verdicts --latex
2 qkv train -t revers
2 qkv train -v standrad
1 qkv plot nowhere
END
finish
