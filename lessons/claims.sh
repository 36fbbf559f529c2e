#!/bin/sh
# claims.sh BUILD - runs the claims of plots/recipes/claims in BUILD/claims, what is
# there not again, and writes the page of all of them, lessons/claims.md. CLAIMS="a b"
# runs only these, CLAIMS= none; JOBS=1 one run at once; PLAN=1 only prints the runs as
# commands, for a cluster.

set -u
build=$1
out=$build/claims
jobs=${JOBS:+--jobs=$JOBS}
failed=0
[ "${CLAIMS+given}" ] || CLAIMS=$(cd plots/recipes/claims && echo *.txt | sed 's/\.txt//g')
mkdir -p "$out"
for claim in $CLAIMS; do
    if [ "${PLAN-}" ]; then
        "$build/qkv" compare --claim "$claim" --out "$out/$claim" --plan || failed=1
        continue
    fi
    echo "claim $claim" >&2
    rm -rf "$out/$claim/figures" # of an older recipe
    "$build/qkv" compare --claim "$claim" --out "$out/$claim" --quiet --format svg $jobs >"$out/$claim.md" ||
        failed=1
done
[ ! "${PLAN-}" ] || exit $failed
"$build/qkv" report "$out" --claims >"$out/claims.md" || exit 1
rm -rf lessons/figures/claims
for figure in $(grep -o '](figures/claims/[^)]*)' "$out/claims.md" | tr -d '()]'); do
    name=${figure#figures/claims/}
    mkdir -p "lessons/$(dirname "$figure")"
    cp "$out/${name%%/*}/figures/${name#*/}" "lessons/$figure"
done
cp "$out/claims.md" lessons/claims.md
exit $failed
