#!/bin/sh
# tables.sh BUILD DIR - the tables that some of the diagrams are drawn from, as the
# program writes them: DIR/attention-map.tsv, rates.tsv and real-parameters.tsv.

set -eu
PATH=$(cd "$1" && pwd):$PATH
to=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# A head's weights before and after training, on one test example of `reverse`.
for steps in 0 300; do
    qkv train -t reverse --length 8 --heads 1 --seed 1 --steps $steps -q -o "$work/$steps" >"$work/said"
    qkv inspect "$work/$steps"/reverse.* --attention -q --tsv |
        awk -F'\t' -v OFS='\t' -v steps=$steps 'NR == 1 ? steps == 0 : 1 {
            $1 = NR == 1 ? "steps" : steps; print }'
done >"$to/attention-map.tsv"

# Steps to the threshold on `reverse`: two variants, three seeds, four rates.
qkv compare -v standard,two-step -t reverse --seeds 3 --lr 0.001,0.003,0.01,0.03 -q \
    --no-figures --tsv -o "$work/rates" >"$work/said"
{
    printf 'variant\tseed\tlr\tsolved_at\n'
    for run in "$work"/rates/*/; do
        cat "$run/config.tsv" "$run/result.tsv" | awk -F'\t' -v OFS='\t' '{ is[$1] = $2 }
            END { print is["variant"], is["seed"], is["lr"], is["solved_at"] }'
    done | sort
} >"$to/rates.tsv"

# Stored and real parameters: d_model 16, four heads.
{
    qkv count --real -v standard,two-step,two-step-tanh,full-rank,wide,shared-qk,shared-kv,shared-qkv,no-wq,no-wv-wo,gqa,mqa,mla,qk-norm \
        --d-model 16 --latent 8 --tsv
    qkv count --real -v standard --positions rope --d-model 16 --tsv |
        sed -n 's/^standard/standard with RoPE/p'
} 2>"$work/said" | cut -f1-4 >"$to/real-parameters.tsv"
