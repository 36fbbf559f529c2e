#!/bin/sh
# bits.sh BUILD - same seed, same bits: the trained weights of a few runs, from
# this build and from others, by compiler, optimisation and instruction set.

set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

# hash STEPS PROGRAM ...: of all that a few short trainings write, but for the
# times.
hash() {
    steps=$1
    shift
    set -- "$@" train $threads --norm pre --test 8 --validate 8 --batch 8 -q \
        --out "$work/runs"
    for variant in standard full-rank mla two-step-tanh symmetric-data; do
        "$@" -v $variant -t induction --mlp 4 --steps "$steps" >/dev/null
    done
    "$@" -t translate --mlp 1 --steps "$steps" >/dev/null
    "$@" -t reverse --length 100 --mask causal --steps $((steps / 4)) >/dev/null
    # a plugin's file differs from build to build, and so does its hash
    (cd "$work/runs" && find . -name '*.npy' -o -name log.tsv |
        LC_ALL=C sort | xargs cat | cksum)
    rm -r "$work/runs"
}

# compare WORDS STEPS MAKE-ARGUMENTS ...: builds it, and compares. $emulator
# runs what another processor is built for.
emulator= threads=
compare() {
    what=$1 steps=$2
    shift 2
    make -s "$@" BUILD="$work/build" all >/dev/null 2>"$work/err" || {
        echo "bits: skipped, $what does not build here"
        rm -rf "$work/build"
        return
    }
    $emulator "$work/build/qkv" --version >/dev/null 2>&1 || {
        echo "bits: skipped, $what does not run here"
        rm -rf "$work/build"
        return
    }
    found=$(hash "$steps" $emulator "$work/build/qkv") || found="a run that fails"
    wanted=$(threads='' && hash "$steps" "$build/qkv")
    if [ "$found" != "$wanted" ]; then
        echo "bits: $what: $found, not $wanted" >&2
        exit 1
    fi
    passed=$((passed + 1))
    rm -rf "$work/build"
}

compare "gcc -O1" 40 CC=gcc OPT=-O1
compare "gcc -O3, AVX2" 40 CC=gcc ARCH=-march=x86-64-v3
compare "gcc -O3, AVX-512" 40 CC=gcc ARCH=-march=x86-64-v4
compare "clang -O3" 40 CC=clang
compare "clang -O2, AVX2" 40 CC=clang OPT=-O2 ARCH=-march=x86-64-v3
# three threads, of which none reads what another writes
export TSAN_OPTIONS=halt_on_error=1
threads='--threads 3'
compare "clang -O1, ThreadSanitizer" 8 CC=clang OPT=-O1 EXTRA='-g -fsanitize=thread'
threads=
# NEON, where the emulator and the compiler are there; four steps take a minute
emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
compare "gcc -O1, aarch64" 4 CC=aarch64-linux-gnu-gcc OPT=-O1 ARCH=
echo "bits: $passed passed, 0 failed"
