#!/bin/sh
# alone.sh BUILD NEWCOMER - each companion that a newcomer's machine has (NEWCOMER is its
# PATH) is missing once: every suite that can do without it (`companion TOOL WHAT` in its
# script) is run with a PATH in which there is all but this, and must say what it skips.
# Without the other companions the suites have been run on the newcomer's machine.

set -eu
build=$1 newcomer=$2
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT

companions() { sed -n 's/^[^#]*companion \([a-z-]*\) ".*/\1/p' "$1" | sort -u; } # SCRIPT

# The pairs of a suite and the tool that it lacks, a line each.
for script in tests/*.sh; do
    case $script in */together.sh | */paper.sh) continue ;; esac # minutes, for one figure
    for tool in $(companions "$script"); do
        [ -e "$newcomer/$tool" ] || continue
        [ "$tool" != pkg-config ] || continue # for one check; the suite takes minutes
        [ -d "$links/$tool" ] || sh .ci/without.sh "$tool" "$links/$tool"
        echo "$script $tool"
    done
done >"$links/pairs"

# One after another: two runs of a suite would write the same list of what they skip.
export build links
xargs -n 2 sh -c '
    script=$1 tool=$2
    said=$links/$(basename "$script").$tool
    if PATH=$links/$tool sh "$script" "$build" >"$said" 2>&1 && grep -q "no $tool here" "$said"; then
        printf "%s, without %s:\n%s\n" "$script" "$tool" "$(grep "no $tool here" "$said"; tail -n 1 "$said")"
    else
        echo "$script, without $tool:"
        cat "$said"
        exit 1
    fi' suite <"$links/pairs"
