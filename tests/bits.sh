#!/bin/sh
# bits.sh BUILD [OTHER ...] - same seed, same bits: what short trainings of every
# variant on every task leave behind, from this build and from other ones. These
# are other compilers, optimisations and instruction sets, built here, or the
# builds that are named.
# Only here is what compilers differ in seen.

build=$1
shift
others=
for other; do
    others="$others $(cd "$other" && pwd)"
done
. tests/lib.sh

# A plugin built outside, by its user: it nests its calls, and C leaves open which
# argument is evaluated first. It attends twice, uses x on both sides, and calls
# some nodes before those that it needs first.
cat >forward <<'END'
    return matmul(add(hadamard(attend(a, matmul(x, w[W_Q]), matmul(y, w[W_K]),
                                      tanh_of(matmul(y, w[W_V])), 0.2),
                               sigmoid(matmul(x, w[W_O]))),
                      apply_weights(a, softmax(a, scores(a, matmul(x, w[W_K]),
                                              matmul(y, w[W_Q]), 0.2)),
                            matmul(y, w[W_O]))),
                  w[W_O]);
END
sed -e '/Node \*[qkv] = /d' -e '/\.fit = /d' -e '/return matmul(attend/{r forward' -e 'd}' \
    "$top/variants/standard.c" >nested.c
# Another has an operator in its own code, where the README's flags matter.
cp "$top/tests/broken/operator.c" .
printf 'one two three four five six seven eight nine ten %.0s' $(seq 60) >text

# train PROGRAM COMPILER HOW STEPS WITH: what each run left, a line each: its name and a
# sum. Of plugins' files and hashes, and so of digests, names say nothing.
train() {
    program=$1 how=$3 steps=$4 with=$5
    for name in nested operator; do
        CC=$2 plugin $name -O2 -ffp-contract=off
    done
    all=$($program list --tsv | awk -F '\t' '$1 == "task" { exit }
        NR > 1 && $1 != "" { printf "%s,", $1 }')./nested.so,./operator.so
    run() {
        $program compare --seeds 1 --test 8 --validate 8 -q --no-figures $with --steps $steps \
            -o runs "$@" >made 2>err || complain "$program: $*"
    }
    if [ "$how" = whole ]; then
        run -v "$all" --batch 8 -t reverse,subset,recall,sort,mqar,cross-recall
        run -v "$all" --batch 8 -t text --file text
        run -v "$all" -t reverse --length 100 --mask causal --batch 2
    fi
    run -v "$all" --batch 8 -t induction --norm pre --mlp 4 --log-every 2 \
        --log attention+scores+gradients+rank+distance
    run -v "$all" --batch 8 -t translate --mlp 1
    for run in runs/*.seed1.*; do
        name=${run##*/}
        printf '%s %s\n' "${name%.*}" "$(cd "$run" && { LC_ALL=C ls weights/* && cat \
            weights/*.npy log.tsv result.tsv; } | cksum)"
    done
    rm -r runs
}

# same WORDS PROGRAM COMPILER HOW STEPS WITH: what it leaves is what this build leaves.
same() {
    wanted=wanted.$4.$5
    [ -f "$wanted" ] || train "$qkv" cc "$4" "$5" '' >"$wanted"
    train "$2" "$3" "$4" "$5" "$6" >found
    diff "$wanted" found >differ && passed=$((passed + $(wc -l <found))) ||
        complain "$1: $(grep -c '^>' differ) of $(wc -l <found) runs differ:" \
            $(sed -n 's/^> \([^ ]*\).*/\1/p' differ | head -n 20)
}

# Each other build: its name, how much it trains (whole or short, and how many steps), the
# options and the emulator that it runs with, the compiler, and what `make` is told more.
builds() {
    for cc in gcc clang; do
        for level in 0 1 2 3; do
            echo "$cc -O$level|whole 12|||$cc|OPT=-O$level"
        done
        echo "$cc, AVX2|whole 12|||$cc|ARCH=-march=x86-64-v3"
        echo "$cc, AVX-512|whole 12|||$cc|ARCH=-march=x86-64-v4"
        echo "$cc, no FMA|whole 12|||$cc|ARCH=-march=x86-64"
        echo "$cc, fast maths|whole 12|||$cc|CFLAGS=-Ofast LDFLAGS=-ffast-math"
    done
    # three threads, of which none reads what another writes
    echo 'clang, ThreadSanitizer|short 4|--threads 3||clang|OPT=-O1 CFLAGS=-fsanitize=thread'
    # NEON, where the emulator and the compiler are there
    emulator=qemu-aarch64
    ! command -v qemu-aarch64-static >/dev/null || emulator=qemu-aarch64-static
    echo "gcc, aarch64|short 2||$emulator -L /usr/aarch64-linux-gnu|aarch64-linux-gnu-gcc|OPT=-O1 ARCH="
}
export TSAN_OPTIONS=halt_on_error=1
if [ "$others" ]; then
    for other in $others; do
        same "$other" "$other/qkv" "$(cut -d ' ' -f 1 "$other/flags")" short 12 ''
    done
    finish
    exit
fi
builds >list
while IFS='|' read -r what amount with emulator compiler arguments; do
    if ! make -s -C "$top" CC=$compiler $arguments BUILD="$work/build" "$work/build/qkv" variants-only \
        "$work/build/plots" >made 2>&1 </dev/null; then
        skip "$what does not build here"
    elif ! $emulator build/qkv --version >made 2>&1; then
        skip "$what does not run here"
    else
        same "$what" "$emulator $work/build/qkv" $compiler $amount "$with"
    fi
    rm -rf build
done <list
finish
