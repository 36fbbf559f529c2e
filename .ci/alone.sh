#!/bin/sh
# alone.sh BUILD NEWCOMER - each companion is missing once alone: every suite that can do
# without one (`companion TOOL WHAT` in its script) is run with a PATH in which there is
# all but this, and must say what it skips. The suite of which the newcomer's machine lacks
# only that (NEWCOMER is its PATH) has been run so already.

set -eu
build=$1 newcomer=$2
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT

companions() { sed -n 's/^[^#]*companion \([a-z-]*\) ".*/\1/p' "$1" | sort -u; } # SCRIPT
lacking() { for tool; do [ -e "$newcomer/$tool" ] || echo "$tool"; done; }       # TOOL ...

# The pairs of a suite and the tool that it lacks, a line each.
for script in tests/*.sh; do
    tools=$(companions "$script")
    for tool in $tools; do
        [ "$(lacking $tools)" != "$tool" ] || continue
        [ -d "$links/$tool" ] || sh .ci/without.sh "$tool" "$links/$tool"
        echo "$script $tool"
    done
done >"$links/pairs"

# Suites do not share files, so one runs on each processor.
export build links
xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 2 sh -c '
    script=$1 tool=$2
    said=$links/$(basename "$script").$tool
    if PATH=$links/$tool sh "$script" "$build" >"$said" 2>&1 && grep -q "no $tool here" "$said"; then
        printf "%s, without %s:\n%s\n" "$script" "$tool" "$(grep "no $tool here" "$said"; tail -n 1 "$said")"
    else
        echo "$script, without $tool:"
        cat "$said"
        exit 1
    fi' suite <"$links/pairs"
