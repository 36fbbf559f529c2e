#!/bin/sh
# heart.sh BUILD - core/heart and core/operators are the program's own: what `make heart` has made trains every
# variant to the bits of `qkv train`, and finds the variants beside it without QKV_PATH. In
# a folder without the rest of core, make heart makes it just as well. Nothing else builds
# the heart alone, or asks it what is wrong with a command line.

build=$1
. tests/lib.sh
unset QKV_PATH
heart=$build/heart

# Of core, only what the heart is made of.
mkdir alone alone/core alone/lessons alone/tests
cp -r "$top/core/heart" "$top/core/operators" "$top/core/qkv" alone/core/
cp -r "$top/Makefile" "$top/variants" alone/
cp "$top/lessons/rules.mk" alone/lessons/
cp "$top/tests/rules.mk" alone/tests/
expect "core/heart, core/operators and core/qkv do not build on their own" \
    make -s -C alone BUILD=built built/heart >out 2>err
ln -s "$build/variants" alone/built/variants
works "standard on recall: test accuracy 0." alone/built/heart standard recall --steps 1

variants=$("$qkv" list | awk 'NR > 1 { print $1 }')
for task in recall induction sort; do
    for double in "" -double; do
        "$build/qkv$double" compare -v "$(echo "$variants" | paste -sd ,)" -t $task --seeds 1 \
            --steps 4 --test 4 --validate 4 --no-figures -q -o "$task$double" >/dev/null 2>err ||
            complain "qkv$double on $task"
        for variant in $variants; do
            "$heart$double" "$variant" $task --steps 4 -q --out "$task$double.$variant" >/dev/null 2>err
            cat "$task$double"/$task."$variant".*/weights/*.npy 2>/dev/null >theirs
            cat "$task$double.$variant"/*.npy >ours 2>/dev/null
            [ -s ours ] && cmp -s ours theirs && ok ||
                complain "$variant on $task$double: not the weights of qkv train"
        done
    done
done

# The log is that of a run, and so are the seed and the path of a plugin.
"$qkv" train -v mqa -t recall --seed 7 --steps 20 -q -o run >/dev/null
"$heart" "$build/variants/mqa.so" recall --seed 7 --steps 20 --out new >log
expect "the log of a run" sh -c 'head -n 3 log | cmp -s - run/*/log.tsv'
expect "a last line that says what it can do" grep -q '^.*mqa.so on recall: test accuracy 0\.' log

refuses 2 "heart VARIANT TASK" "$heart"
refuses 2 "heart: reverse: not understood" "$heart" standard reverse
refuses 2 "x: not understood" "$heart" standard recall --steps x
refuses 2 "-1: not understood" "$heart" standard recall --steps -1
refuses 2 "1234567890: not understood" "$heart" standard recall --seed 1234567890
refuses 2 "--seed: not understood" "$heart" standard recall --seed
refuses 2 "--fast: not understood" "$heart" standard recall --fast
refuses 1 "could not load this plugin" "$heart" nothing recall
refuses 1 "heart: new: could not create it (File exists): choose another directory" "$heart" standard recall --steps 1 -q --out new
finish
