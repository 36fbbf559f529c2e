#!/bin/sh
# same.sh [-u] BUILD [quick] - every weight that the demo, the recipes and an
# encoder-decoder train is, bit for bit, what it was: the checksums are in
# tests/weights.sum. quick: short runs of every variant and task alone. -u writes
# the checksums of today, with quick those of the short runs.

set -eu
update=
[ "$1" = -u ] && update=yes && shift
build=$(cd "$1" && pwd)
top=$(pwd)
which=${2:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
qkv=$build/qkv
short="--seeds 2 --steps 12 --batch 4 --test 8 --validate 8 --no-figures -q"
mkdir "$work/quick" "$work/recipes"
cd "$work"
variants=$("$qkv" list --variants | awk 'NR > 1 { printf "%s%s", s, $1; s = "," }')
tasks=$("$qkv" list --tasks | awk 'NR > 1 && $1 !~ "^(text|pairs|linear)$" { print $1 }')
for task in $tasks; do
    "$qkv" compare -v "$variants" -t "$task" $short -o "quick/$task" >/dev/null
done
"$qkv" compare -v standard,two-step,mla -t reverse --d-model 16 --heads 4 --layers 2 --mlp 32 \
    --norm pre $short -o quick/deep >/dev/null
"$qkv" compare -v standard -t translate --encoder 2 --cross after --encoder-variant two-step \
    --cross-variant full-rank $short -o quick/pair >/dev/null
if [ "$which" = all ]; then
    "$qkv" compare --no-figures -q -o demo >/dev/null
    for recipe in "$top"/plots/recipes/*.txt; do
        name=$(basename "$recipe" .txt)
        "$qkv" compare --recipe "$name" -q -o "recipes/$name" >/dev/null
    done
fi
# WHERE TASK.VARIANT SEED CHECKSUM: of all matrices one after the other; of a run that
# kept none, of the losses and accuracies that it logged.
find . -name config.tsv | sort | while read -r config; do
    run=$(dirname "$config")
    name=$(basename "$run")
    printf '%s %s %s %s\n' "$(dirname "$run")" "$(echo "$name" | cut -d . -f 1,2)" \
        "$(echo "$name" | grep -o 'seed[0-9]*')" \
        "$(if [ -d "$run/weights" ]; then cat "$run"/weights/*.npy; else
            tail -n +2 "$run/log.tsv" | cut -f 1-5
        fi | cksum | cut -d ' ' -f 1)"
done | sed 's|^\./||' | LC_ALL=C sort >now
if [ "$update" ]; then
    [ "$which" = all ] || grep -v '^quick' "$top/tests/weights.sum" >>now
    LC_ALL=C sort now >"$top/tests/weights.sum"
elif [ "$which" = all ]; then
    diff "$top/tests/weights.sum" now >differ || true
else
    grep '^quick' "$top/tests/weights.sum" | diff - now >differ || true
fi
[ ! -s differ ] || {
    head -n 20 differ >&2
    echo "same: $(grep -c '^>' differ) of $(wc -l <now) runs are others" >&2
    exit 1
}
echo "same: $(wc -l <now) runs are what they were"
