#!/bin/sh
# torch.sh BUILD - every variant's logits and gradients, computed again in
# PyTorch (in_torch.py). Skipped where there is none: pip install torch numpy.
# Only here are gradients those of another library.

set -eu
build=$1 python=${PYTHON:-python3}
if ! "$python" -c 'import torch, numpy' 2>/dev/null; then
    echo "torch: skipped, $python has no torch or no numpy (pip install torch numpy)"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
small="--steps 30 --batch 8 --test 16 --validate 16 -q"

# export PROGRAM OPTIONS: one run, and a batch of it.
pairs=""
export_run() {
    with=$build/$1
    shift
    number=$((number + 1))
    "$with" train "$@" $small -o "$work/$number" >/dev/null
    run=$(ls -d "$work/$number"/*.seed1.*)
    "$with" export "$run" "$work/batch$number" -q
    pairs="$pairs $run $work/batch$number"
}
number=0
for program in qkv qkv-double; do
    for variant in "$build"/variants/*.so; do
        name=$(basename "$variant" .so)
        export_run $program -v "$name" -t induction --mlp 2 --norm pre
        export_run $program -v "$name" -t cross-recall --queries 3
    done
    export_run $program -v standard -t translate --norm pre --mlp 1 --encoder 2
    export_run $program -v fused -t translate --norm rms
    export_run $program -t sort --d-k 3 --d-v 5
    for positions in rope alibi; do
        for variant in standard per-head two-step gqa mla full-rank shared-qk \
            symmetric-data linear differential; do
            export_run $program -v $variant -t induction --positions $positions
        done
        export_run $program -t translate --encoder 1 --positions $positions
    done
done
"$python" tests/in_torch.py $pairs >"$work/out" || {
    cat "$work/out"
    exit 1
}
# The largest differences, float's and double's.
awk '{ print ($2 < 1e-9 ? "double" : "float"), $2 }' "$work/out" |
    sort -k1,1 -k2,2gr | awk '!seen[$1]++ { print "torch: " $1 ": " $2 " apart at most" }'
echo "torch: $(grep -c ^ok "$work/out") passed, 0 failed"
