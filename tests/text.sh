#!/bin/sh
# text.sh BUILD [SEEDS] - every variant learns more of a real text than pairs of
# characters tell: validation loss at least 0.1 nats below the bigram count.
# Only here is what is learnt of a real text measured.

set -eu
qkv=$1/qkv
seeds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
text=/usr/share/common-licenses/GPL-3
if [ ! -f $text ]; then
    echo "text: skipped, $text is not here"
    exit 0
fi

$qkv compare --file $text --seeds "$seeds" --no-figures --no-weights -q -o "$work/runs"
for result in "$work"/runs/*/result.tsv; do
    awk -F'\t' -v run="$result" '
        $1 == "validation_loss" { loss = $2 }
        $1 == "bigram_loss" { bigram = $2 }
        END { if (loss == "" || loss > bigram - 0.1) {
                  print run ": " loss " against " bigram; exit 1 } }' "$result"
done
count=$(ls -d "$work"/runs/*/ | wc -l)
echo "text: $count passed, 0 failed"
[ "$count" -eq $((7 * seeds)) ]
