#!/bin/sh
# heart.sh BUILD - core/heart is the program's own: in a folder with nothing but
# core/heart and core/qkv it builds, and trains every variant to the bits of `qkv train`.
# Nothing else builds the heart alone, or asks it what is wrong with a command line.

build=$1
. tests/lib.sh

mkdir core
cp -r "$top/core/heart" "$top/core/qkv" core/
exact="-ffp-contract=off -fno-math-errno -D_GNU_SOURCE -DQKV_CORE -Icore -O2"
# With the processor's own fused multiply-add a run takes a quarter of the time.
: | ${CC:-cc} -march=native -E - >/dev/null 2>&1 && exact="$exact -march=native"
beside='$ORIGIN/variants'
for precision in "" -DQKV_DOUBLE; do
    [ -z "$precision" ] || beside="\$ORIGIN/variants/double:$beside"
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 $exact $precision -rdynamic core/heart/*.c -o "heart$precision" -lm -ldl \
        -Wl,-rpath,"$beside"
done
ln -s "$build/variants" variants
export QKV_PATH="$build/variants"

variants=$("$qkv" list | awk 'NR > 1 { print $1 }')
for task in recall induction sort; do
    for double in "" -double; do
        "$build/qkv$double" compare -v "$(echo "$variants" | paste -sd ,)" -t $task --seeds 1 \
            --steps 4 --test 4 --validate 4 --no-figures -q -o "$task$double" >/dev/null 2>err ||
            complain "qkv$double on $task"
        for variant in $variants; do
            heart=./heart${double:+-DQKV_DOUBLE}
            $heart "$variant" $task --steps 4 -q --out "$task$double.$variant" >/dev/null 2>err
            cat "$task$double"/$task."$variant".*/weights/*.npy 2>/dev/null >theirs
            cat "$task$double.$variant"/*.npy >ours 2>/dev/null
            [ -s ours ] && cmp -s ours theirs && ok ||
                complain "$variant on $task$double: not the weights of qkv train"
        done
    done
done

# The log is that of a run, and so are the seed and the path of a plugin.
"$qkv" train -v mqa -t recall --seed 7 --steps 20 -q -o run >/dev/null
./heart "$build/variants/mqa.so" recall --seed 7 --steps 20 --out new >log
expect "the log of a run" sh -c 'head -n 3 log | cmp -s - run/*/log.tsv'
expect "a last line that says what it can do" grep -q '^.*mqa.so on recall: test accuracy 0\.' log

refuses 2 "heart VARIANT TASK" ./heart
refuses 2 "reverse: not understood" ./heart standard reverse
refuses 2 "x: not understood" ./heart standard recall --steps x
refuses 2 "-1: not understood" ./heart standard recall --steps -1
refuses 2 "1234567890: not understood" ./heart standard recall --seed 1234567890
refuses 2 "--seed: not understood" ./heart standard recall --seed
refuses 2 "--fast: not understood" ./heart standard recall --fast
refuses 1 "not a shared object" ./heart nothing recall
refuses 1 "new: cannot be made: File exists" ./heart standard recall --steps 1 -q --out new
finish
