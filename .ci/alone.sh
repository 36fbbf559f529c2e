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

for script in tests/*.sh; do
    tools=$(companions "$script")
    for tool in $tools; do
        [ "$(lacking $tools)" != "$tool" ] || continue
        [ -d "$links/$tool" ] || sh .ci/without.sh "$tool" "$links/$tool"
        echo "$script, without $tool:"
        PATH=$links/$tool sh "$script" "$build" >"$links/said" 2>&1 && grep "no $tool here" "$links/said" || {
            cat "$links/said"
            exit 1
        }
        tail -n 1 "$links/said"
    done
done
