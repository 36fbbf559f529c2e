#!/bin/sh
# figures.sh [-u] BUILD - the figures of the lessons are what the recipes draw: their
# data, byte by byte, are those in BUILD/figures, where `make figures` has put them.
# -u takes these over. (Not those of `text`, which no lesson shows. That of depth is what
# `make depth` draws; lesson 04 has the sum of its data.)

set -eu
update=
[ "$1" = -u ] && update=yes && shift
failed=0
for data in "$1"/figures/*/figures/*.tsv; do
    recipe=${data#"$1"/figures/}
    recipe=${recipe%%/*}
    [ "$recipe" != text ] || continue
    mine=lessons/figures/$recipe/$(basename "$data")
    if [ "$update" ]; then
        mkdir -p "lessons/figures/$recipe"
        cp "$data" "$mine"
        cp "${data%.tsv}.svg" "${mine%.tsv}.svg"
    elif ! cmp "$data" "$mine"; then
        failed=$((failed + 1))
    fi
done
for mine in lessons/figures/*/*.tsv; do
    recipe=$(basename "$(dirname "$mine")")
    [ -e "$1/figures/$recipe/figures/$(basename "$mine")" ] || {
        echo "$mine: no recipe draws it; make figures" >&2
        failed=$((failed + 1))
    }
done
[ $failed -eq 0 ]
