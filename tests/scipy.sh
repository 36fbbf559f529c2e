#!/bin/sh
# scipy.sh BUILD - the numbers of a comparison, computed again from its runs by SciPy
# (in_scipy.py): differences, t, sameness, intervals of means and medians; and every digit
# that judge prints about tables (judged_by_scipy.py); and the loop of lesson 17
# (turned_by_scipy.py).
# Skipped where $PYTHON (else python3) has none: pip install scipy.
# Only here are statistics those of another library.

set -eu
qkv=$(cd "$1" && pwd)/qkv python=${PYTHON:-python3}
here=$(pwd)/tests
if ! "$python" -c 'import scipy' 2>/dev/null; then
    echo "scipy: skipped, $python has no scipy (pip install scipy)"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
small="-t reverse --length 8 --d-model 16 --lr 0.01 --steps 75 --test 64 --validate 32 -q --no-figures --no-weights"
for seeds in 3 7 12; do
    # shellcheck disable=SC2086 # small is many words
    "$qkv" compare -v standard,mqa $small --heads 1,2 --seeds $seeds -o grid$seeds >/dev/null
    "$qkv" plot grid$seeds --x heads --y solved_at -q --format svg
    "$qkv" table grid$seeds --tsv >grid
    for judge in test_loss validation_loss; do
        # shellcheck disable=SC2086
        "$qkv" compare -v standard,mqa $small --heads 2 --seeds $seeds --judge $judge \
            --margin test_loss=0.3,validation_loss=0.3 -o runs$seeds --tsv >verdict
        "$qkv" table runs$seeds --tsv >runs
        "$python" "$here/in_scipy.py" $judge verdict runs grid grid$seeds/figures/*.tsv
    done
done

# Tables that people posted, and some of random numbers: paired or not, with as many runs of
# each method or not, lower or higher, with a margin or none.
"$python" "$here/judged_by_scipy.py" "$qkv" "$here/judged"

# The gauge that turns while M goes around a loop.
"$python" "$here/turned_by_scipy.py" "${qkv%/*}/loop"
