#!/bin/sh
# claims.sh BUILD - tests the claims of plots/claims in BUILD/claims, where what is there
# is not trained again, and writes the page of all of them, lessons/claims.md, with its
# figures.

set -eu
build=$1
out=$build/claims
rm -rf "$out"/*/figures "$out/page" "$out/rows" # of an older claim
mkdir -p "$out"
for script in plots/claims/*.sh; do
    name=$(basename "$script" .sh)
    echo "claim $name" >&2
    "$build/qkv" claim "$name" --out "$out/$name" --tables "$out/tables/$name" --format svg >/dev/null
    awk -f plots/words.awk -f lessons/ledger.awk -v name="$name" -v tables="$out/tables/$name" -v rows="$out/rows" \
        "$script" $(ls "$out/$name"/figures/*.gp 2>/dev/null | sed 's/\.gp$//' | sort | sed 's/$/.txt/') >>"$out/page"
done
{
    cat <<'END'
# What papers claim, and what we find

Each claim is a script in `plots/claims`: its source, the published setting, ours, and what we expected, all written down before it was run. Its verdict is computed: *reproduced* if every expectation is met; *the opposite* if all that should be better is worse, or the other way round; *undecided* if nothing contradicts it, but more seeds or a finer grid of learning rates are needed; otherwise *not reproduced*. A verdict is about our small setting: a claim that fails here may hold where it was made. Differences are from the baseline, with 95% intervals. Models for claims about text are trained on `plots/recipes/lessons.text`. `qkv claim NAME` tests one; `make claims` tests all of them, and writes this page.

END
    awk -F '\t' '{ count[$3]++; row[NR] = "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |" }
        END {
            printf "Of %d claims", NR
            split("reproduced,not reproduced,the opposite,undecided,not testable here", verdict, ",")
            for (i = 1; i <= 5; i++)
                if (count[verdict[i]])
                    printf ", %d %s", count[verdict[i]], verdict[i]
            print ".\n\n| claim | question | verdict | met | runs |\n|---|---|---|---|---|"
            for (i = 1; i <= NR; i++)
                print row[i]
        }' "$out/rows"
    cat "$out/page"
} >lessons/claims.md
rm -rf lessons/figures/claims
for figure in $(grep -o '](figures/claims/[^)]*)' lessons/claims.md | tr -d '()]'); do
    name=${figure#figures/claims/}
    mkdir -p "lessons/$(dirname "$figure")"
    cp "$out/${name%%/*}/figures/${name#*/}" "lessons/$figure"
done
