#!/bin/sh
# bits.sh BUILD - same seed, same bits: the trained weights of a few runs, from
# this build and from others, by compiler, optimisation and instruction set.

set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

# hash PROGRAM: of all that a few short trainings write, but for the times.
hash() {
    for variant in standard full-rank mla two-step-tanh symmetric-data; do
        "$1" train -v $variant -t induction --mlp 4 --norm pre --steps 40 \
            --test 32 --validate 32 -q --out "$work/runs" >/dev/null
    done
    "$1" train -t translate --norm pre --mlp 1 --steps 30 --test 32 -q \
        --out "$work/runs" >/dev/null
    "$1" train -t reverse --length 100 --mask causal --steps 10 --test 8 \
        --validate 8 --batch 4 -q --out "$work/runs" >/dev/null
    # a plugin's file differs from build to build, and so does its hash
    (cd "$work/runs" && find . -name '*.npy' -o -name log.tsv |
        LC_ALL=C sort | xargs cat | cksum)
    rm -r "$work/runs"
}

# compare WORDS MAKE-ARGUMENTS ...: builds it, and compares.
wanted=$(hash "$build/qkv")
compare() {
    what=$1
    shift
    make -s "$@" BUILD="$work/build" all >/dev/null 2>"$work/err" || {
        echo "bits: skipped, $what does not build here"
        rm -rf "$work/build"
        return
    }
    found=$("$work/build/qkv" --version >/dev/null 2>&1 &&
        hash "$work/build/qkv") || {
        echo "bits: skipped, $what does not run here"
        rm -rf "$work/build"
        return
    }
    if [ "$found" != "$wanted" ]; then
        echo "bits: $what: $found, not $wanted" >&2
        exit 1
    fi
    passed=$((passed + 1))
    rm -rf "$work/build"
}

compare "gcc -O1" CC=gcc OPT=-O1
compare "gcc -O3, AVX2" CC=gcc ARCH=-march=x86-64-v3
compare "gcc -O3, AVX-512" CC=gcc ARCH=-march=x86-64-v4
compare "clang -O3" CC=clang
compare "clang -O2, AVX2" CC=clang OPT=-O2 ARCH=-march=x86-64-v3
echo "bits: $passed passed, 0 failed"
