#!/bin/sh
# claims.sh BUILD - runs the claims of plots/claims in BUILD/claims, what is there not
# again, and writes the page of all of them, lessons/claims.md, with its figures.

set -eu
build=$1
rm -rf "$build"/claims/*/figures # of an older claim
"$build/qkv" claim all --out "$build/claims" --format svg >"$build/claims.md"
rm -rf lessons/figures/claims
for figure in $(grep -o '](figures/claims/[^)]*)' "$build/claims.md" | tr -d '()]'); do
    name=${figure#figures/claims/}
    mkdir -p "lessons/$(dirname "$figure")"
    cp "$build/claims/${name%%/*}/figures/${name#*/}" "lessons/$figure"
done
cp "$build/claims.md" lessons/claims.md
