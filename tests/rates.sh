#!/bin/sh
# rates.sh BUILD - with each variant at its best rate, the rates that were tried must
# not decide who is better: whatever the grid, standard and two-step get one verdict
# or none. And a grid that is fine and wide enough gets one.

set -u
qkv=$(cd "$1" && pwd)/qkv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
faults=0

# verdict TASK RATES [OPTION ...]: two-step against standard.
verdict() {
    task=$1 rates=$2
    shift 2
    "$qkv" compare -v standard,two-step -t "$task" --lr "$rates" --seeds 5 --validate 256 \
        --log-every 50 --no-figures --no-weights -q -o "$task$([ "$rates" = auto ] && echo .auto)" \
        "$@" | awk -F'\t' '$2 == "two-step" { print $14 }'
}

for task in reverse recall; do
    for judge in '' '--judge solved_at'; do
        for rates in 0.001,0.002,0.004 0.001,0.003,0.01 0.003,0.01,0.03 0.001,0.01,0.08 \
            0.01,0.02,0.04,0.08 auto; do
            # shellcheck disable=SC2086 # two words, or none
            said=$(verdict $task $rates $judge)
            echo "$task $rates${judge:+ $judge}: $said"
        done
    done
done >said
cat said
for task in reverse recall; do
    if grep "^$task .*: better" said && grep "^$task .*: worse" said; then
        echo "rates: grids of rates contradict each other on $task" >&2
        faults=1
    fi
done
[ "$(grep -c ': undecided at these rates' said)" -gt 0 ] || {
    echo "rates: no grid is said to be too short or too coarse" >&2
    faults=1
}
said=$(verdict reverse 0.01,0.013,0.016,0.02,0.025,0.03,0.035,0.04,0.05,0.064 --judge solved_at)
case $said in
worse*) ;;
*)
    echo "rates: ten rates do not tell either: $said" >&2
    faults=1
    ;;
esac
exit $faults
