#!/bin/sh
# one-file.sh BUILD - lessons/one-file trains what the program trains: the same log, digit
# by digit, and the same weights, bit for bit; in under 500 lines, without a warning. Only
# this compares the program with one that was written apart. And lessons/depth prints the
# same whatever compiles it: for one matrix, what theory says.

build=$1
. tests/lib.sh
source=$top/lessons/one-file/attention.c
export QKV_PATH="$build/variants"
is() { # NAME COMMAND ...
    name=$1
    shift
    "$@" >said 2>&1 && ok || complain "$name: $(head -n 5 said)"
}
compilers=gcc
companion clang "lessons/one-file and lessons/depth by clang" && compilers="gcc clang"
strict="-std=c11 -Wall -Wextra -Wpedantic -Werror -O3 -ffp-contract=off"

is 'at most 499 lines' [ "$(wc -l <"$source")" -lt 500 ]
is "is built" cp "$build/one-file" built
for cc in $compilers; do
    # shellcheck disable=SC2086
    is "compiles with $cc" $cc $strict -march=native "$source" -lm -o $cc
done

for seed in 1 2 3; do
    "$qkv" train -v standard -t recall --seed $seed -q -o out >/dev/null
    run=$(echo out/recall.standard.seed$seed.*)
    for name in embedding block0.attention.W_Q block0.attention.W_K block0.attention.W_V \
        block0.attention.W_O unembedding; do
        tail -c +129 "$run/weights/$name.npy" # behind the header of NumPy's format
    done >weights
    value() { awk -F'\t' -v key="$1" '$1 == key { print $2 }' "$run/result.tsv"; }
    { cat "$run/log.tsv"
      echo "solved at step $(value solved_at); test accuracy $(value test_accuracy)," \
          "loss $(value test_loss)"; } >wanted
    for program in built $compilers; do
        is "$program, seed $seed" ./$program $seed $program.weights
        cp said printed
        is "$program, seed $seed: what it prints" diff wanted printed
        is "$program, seed $seed: its weights" cmp weights $program.weights
    done
done
for cc in $compilers; do
    # shellcheck disable=SC2086
    is "depth compiles with $cc" $cc $strict "$top/lessons/depth/depth.c" -lm -o depth.$cc
    ./depth.$cc >$cc.tsv
    is "depth, by $cc: what the lesson's figure shows" [ "$(cksum <$cc.tsv)" = "1148590432 805466" ]
    is "loop compiles with $cc" $cc $strict "$top/lessons/depth/loop.c" -lm -o loop.$cc
    ./loop.$cc >$cc.loop
    is "loop, by $cc: what lesson 17 shows" sh -c "grep -Fxf $cc.loop '$top/lessons/17-left-alone.md' | cmp - $cc.loop"
done
# One matrix: the distance of each mode from 1 shrinks by the learning rate in each step.
is "depth 1: modes are 1 - (1 - rate)^step" awk -F '\t' '
    $1 != 1 { next }
    { for (i = 5; i <= NF; i++) if ($3 == 0) start[i] = $i
      else { off = $i - 1 + (1 - start[i]) * 0.96^$3; worst = off^2 > worst ? off^2 : worst; n++ } }
    END { exit !(n == 6 * 5 * 800 && worst < 1e-12) }' gcc.tsv
is 'a file that cannot be written' sh -c '! ./built 1 no/such/file'

finish
