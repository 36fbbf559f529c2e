#!/bin/sh
# same.sh [-u] BUILD [quick] - every weight that the demo, the recipes and an
# encoder-decoder train is, bit for bit, what it was. Nothing else notices a
# change of the last digit. quick: short runs of every variant and task only. -u
# writes the sums of today, with quick those of the short runs.
#
# tests/weights.sum is a table: a row for each experiment and variant, a column for
# each task; in it the checksum of all the checksums of its runs.

set -eu
update=
[ "$1" = -u ] && update=yes && shift
build=$(cd "$1" && pwd)
top=$(pwd)
which=${2:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
qkv=$build/qkv
export LC_ALL=C
short="--seeds 2 --steps 12 --batch 4 --test 8 --validate 8 --no-figures -q"
mkdir "$work/quick" "$work/recipes"
cd "$work"
variants=$("$qkv" list | awk 'NR > 1 { printf "%s%s", s, $1; s = "," }')
tasks=$("$qkv" list --tasks | awk 'NR > 1 && $1 != "text" { print $1 }')
for task in $tasks; do
    "$qkv" compare -v "$variants" -t "$task" $short -o "quick/$task" >/dev/null
done
"$qkv" compare -v standard,two-step,mla -t reverse --d-model 16 --heads 4 --layers 2 --mlp 32 \
    --norm pre $short -o quick/deep >/dev/null
"$qkv" compare -v standard -t translate --encoder 2 --cross after $short -o quick/pair >/dev/null
if [ "$which" = all ]; then
    "$qkv" compare --no-figures -q -o demo >/dev/null
    for recipe in "$top"/plots/recipes/*.sh; do
        name=$(basename "$recipe" .sh)
        "$qkv" recipe "$name" -q -o "recipes/$name" >/dev/null
    done
fi

# WHERE TASK.VARIANT SEED CHECKSUM: of all matrices one after the other; of a run that
# kept none, of the losses and accuracies that it logged.
find . -name config.tsv | while read -r config; do
    run=$(dirname "$config")
    name=$(basename "$run")
    where=$(dirname "${run#./}")
    case $where in quick/deep | quick/pair | recipes/*) ;; *) where=${where%"/${name%%.*}"} ;; esac
    printf '%s %s %s %s\n' "$where" "$(echo "$name" | cut -d . -f 1,2)" \
        "$(echo "$name" | grep -o 'seed[0-9]*')" \
        "$(if [ -d "$run/weights" ]; then cat "$run"/weights/*.npy; else
            tail -n +2 "$run/log.tsv" | cut -f 1-5
        fi | cksum | cut -d ' ' -f 1)"
done | sort >runs
cut -d ' ' -f 1,2 runs | uniq | while read -r where what; do
    echo "$where ${what#*.} ${what%%.*} $(grep "^$where $what " runs | cksum | cut -d ' ' -f 1)"
done >now

# The table as lines of WHERE VARIANT TASK SUM.
awk -F '\t' 'NR == 1 { split($0, task); next }
    { for (i = 3; i <= NF; i++) if ($i != "-") print $1, $2, task[i], $i }' \
    "$top/tests/weights.sum" >all
if [ "$update" ]; then
    [ "$which" = all ] || grep -v '^quick' all >>now || true
    cut -d ' ' -f 3 now | sort -u >tasks
    sort now | awk '
        NR == FNR { task[++n] = $1; heads = heads "\t" $1; next }
        { row = $1 "\t" $2 }
        row != last { rows[++r] = last = row }
        { sum[row, $3] = $4 }
        END {
            print "where\tvariant" heads
            for (i = 1; i <= r; i++) {
                line = rows[i]
                for (t = 1; t <= n; t++)
                    line = line "\t" ((rows[i], task[t]) in sum ? sum[rows[i], task[t]] : "-")
                print line
            }
        }' tasks - >"$top/tests/weights.sum"
    exit
fi
[ "$which" = all ] || sed -i '/^quick/!d' all
sort all >then
sort -o now now
diff then now >differ || true
[ ! -s differ ] || {
    head -n 20 differ >&2
    echo "same: $(grep -c '^>' differ) of $(wc -l <now) variants and tasks are others" >&2
    exit 1
}
echo "same: $(wc -l <runs) runs are what they were"
