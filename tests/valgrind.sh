#!/bin/sh
# valgrind.sh BUILD - a run, a comparison, figures and errors under valgrind:
# nothing read that was not written, nothing lost at each step. BUILD is for a
# processor that valgrind knows, as `make check-valgrind` builds it: elsewhere
# AVX-512 is an illegal instruction.
# Only here is memory that was not written seen when it is read.

build=$1
. tests/lib.sh
tiny="--d-model 8 --batch 2 --test 4 --validate 4 -q"
small="$tiny --steps 11"

# clean STATUS PROGRAM ...: exits so, and valgrind has nothing to say.
clean() {
    wanted=$1 program=$build/$2
    shift 2
    valgrind -q --error-exitcode=99 "$program" "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] && ok || complain "$*: status $status"
}
# A command leaves what it holds to its end; but no step of training, and no line of its log,
# may leave a block behind: then as many are lost after 11 steps as after 51.
lost() {
    valgrind --leak-check=summary "$build/qkv" train "$@" 2>&1 >out </dev/null |
        awk '/definitely lost/ { blocks += $7 } END { print blocks }'
}
for more in "" "--log attention+scores+gradients+rank+conserved+gauge+turn" "--optimizer muon --threads 2"; do
    few=$(lost -t recall $tiny --steps 11 $more -o few)
    many=$(lost -t recall $tiny --steps 51 $more -o many)
    [ "$few" -gt 0 ] && [ "$few" -eq "$many" ] && ok ||
        complain "train $more: $few blocks are lost after 11 steps, and $many after 51"
done
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
0 qkv-double derive two-step = standard
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
