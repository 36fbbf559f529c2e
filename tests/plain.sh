#!/bin/sh
# plain.sh BUILD - core/fast computes what core/heart does: whole training runs of the
# program without core/fast end in the same weights, bit for bit.
# Only here does a fast inner loop stand beside a readable one.

set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QKV_PATH="$build/variants"
cd "$work"

# On the program $1, into the folder $2 (heart.sh has every variant): more than 64 keys,
# which the fast attention takes strip by strip; two sequences, where keys outnumber
# queries; matrices wider and deeper than a tile and a block.
runs() {
    set -- "$1" "$2" --seeds 1 --batch 4 --test 4 --validate 4 --no-figures -q
    qkv=$1 out=$2
    shift 2
    "$qkv" compare -v standard,gqa,mqa -t induction --length 100 --steps 3 "$@" -o "$out/long"
    "$qkv" compare -v standard,full-rank,identity,shared-qk -t reverse --length 70 --steps 3 "$@" -o "$out/unmasked"
    "$qkv" compare -v standard -t translate --encoder 1 --cross after --steps 6 "$@" -o "$out/two"
    "$qkv" compare -v standard -t sort --d-model 132 --heads 3 --batch 80 --mlp 4 --norm pre \
        --steps 2 --seeds 1 --test 4 --validate 4 --no-figures -q -o "$out/wide"
}
for program in "$build/qkv" "$build/tests/plain"; do
    mkdir "$(basename "$program")"
    runs "$program" "$(basename "$program")" >/dev/null
done
failed=0
find qkv -name '*.npy' | sort >weights
while read -r file; do
    cmp -s "$file" "plain/${file#qkv/}" || {
        echo "plain: $file: not what core/heart gives" >&2
        failed=$((failed + 1))
    }
done <weights
echo "plain: $(find qkv -name weights | wc -l) runs, $(wc -l <weights) matrices, $failed differ"
[ $failed -eq 0 ] && [ -s weights ]
