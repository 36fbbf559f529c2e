#!/bin/sh
# bits.sh BUILD [OTHER ...] - same seed, same bits: what short trainings of every
# variant on every task leave behind, from this build and from other ones. These
# are other compilers, optimisations and instruction sets, built here, or the
# builds that are named.
# Only here is what compilers differ in seen.

set -eu
build=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
skipped=0

# A plugin built outside, by its user: it nests its calls, and C leaves open which
# argument is evaluated first. It attends twice, uses x on both sides, and calls
# some nodes before those that it needs first.
mkdir "$work/outside"
cat >"$work/outside/nested.c" <<'END'
#include <qkv/variant.h>
enum { W_Q, W_K, W_V, W_O, W_G };
static void weights(Weights *w, const Attention *a)
{
    int d = a->d_model;
    weight(w, W_Q, "W^Q", d, d);
    weight(w, W_K, "W^K", d, d);
    weight(w, W_V, "W^V", d, d);
    weight(w, W_O, "W^O", d, d);
    weight(w, W_G, "W^G", d, d);
}
static Node *forward(Attention *a, Node *x, Node *y, Node **w)
{
    return matmul(add(hadamard(attend(a, matmul(x, w[W_Q]), matmul(y, w[W_K]),
                                      tanh_of(matmul(y, w[W_V])), 0.2),
                               sigmoid(matmul(x, w[W_G]))),
                      apply_weights(a, softmax(a, scores(a, matmul(x, w[W_K]),
                                              matmul(y, w[W_Q]), 0.2)),
                            matmul(y, w[W_G]))),
                  w[W_O]);
}
const Variant qkv_variant = {
    .abi = QKV_ABI, .equation = "nested", .shape = "",
    .weights = weights, .forward = forward,
};
END
# The same operator in the plugin's own code, where the README's flags matter.
sed 's|#include <qkv/variant.h>|&\n#include <qkv/operator.h>|
    s|sigmoid(|own(|
    s|^static Node \*forward|\
static void own_forward(Node *c)\
{\
    const real *a = c->in[0]->value;\
    for (int i = 0; i < c->rows * c->cols; i++)\
        c->value[i] = a[i] * a[i] + a[i];\
}\
static void own_backward(Node *c)\
{\
    Node *a = c->in[0];\
    real *d = gradient(a);\
    for (int i = 0; i < c->rows * c->cols; i++)\
        d[i] += c->gradient[i] * 2 * a->value[i] + c->gradient[i];\
}\
static Node *own(Node *a)\
{\
    static const Operator op = {"own", own_forward, own_backward};\
    return compute(new_node(\&op, a->rows, a->cols, \&a, 1));\
}\
&|' "$work/outside/nested.c" >"$work/outside/operator.c"
printf 'one two three four five six seven eight nine ten %.0s' $(seq 60) >"$work/text"
{
    printf 'input\ttarget\n'
    for i in $(seq 120); do
        printf '%d %d\t%d %d\n' $((i % 7)) $((i % 5)) $(((i + i % 5) % 7)) $((i % 7))
    done
} >"$work/pairs"

# train PROGRAM COMPILER: the runs, below $work/runs. Of plugins' files and hashes,
# and so of digests, names say nothing.
small="--seeds 1 --test 8 --validate 8 -q --no-figures"
train() {
    program=$1
    mkdir -p "$work/built"
    for plugin in nested operator; do
        $2 -O2 -ffp-contract=off -shared -fPIC -I"$build/include" \
            "$work/outside/$plugin.c" -o "$work/built/$plugin.so"
    done
    all=$($emulator "$program" list --tsv | awk -F '\t' '$1 == "task" { exit }
        NR > 1 && $1 != "" { printf "%s,", $1 }')$work/built/nested.so,$work/built/operator.so
    run() {
        $emulator "$program" compare $threads $small --steps "$@" \
            --out "$work/runs" >/dev/null 2>"$work/err" || {
            cat "$work/err" >&2
            exit 1
        }
    }
    observed=attention+scores+gradients+rank+distance
    if [ "$how" = whole ]; then
        run $steps -v "$all" --batch 8 -t reverse,copy,shift,permute,subset,modular-add,recall,sort,mqar,cross-recall
        run $steps -v "$all" --batch 8 -t text --file "$work/text"
        run $steps -v "$all" --batch 8 -t pairs --file "$work/pairs"
        run $steps -v "$all" -t reverse --length 100 --mask causal --batch 2
    fi
    run $steps -v "$all" --batch 8 -t induction --norm pre --mlp 4 --log-every 2 --log $observed
    run $steps -v "$all" --batch 8 -t translate --mlp 1
}

# What each run left, a line each: name without its digest, and sums.
sums() {
    for run in "$work"/runs/*.seed1.*; do
        name=${run##*/}
        printf '%s %s\n' "${name%.*}" "$(cd "$run" && { LC_ALL=C ls weights/* && cat \
            weights/*.npy log.tsv result.tsv; } | cksum)"
    done
    rm -r "$work/runs" "$work/built"
}

# same WORDS PROGRAM COMPILER: what it leaves is what this build leaves.
emulator= threads=
same() {
    wanted=$work/wanted.$how.$steps
    train "$2" "$3"
    sums >"$work/found"
    if [ ! -f "$wanted" ]; then
        (
            emulator='' threads=''
            train "$build/qkv" cc
        )
        sums >"$wanted"
    fi
    if ! diff "$wanted" "$work/found" >"$work/differ"; then
        echo "bits: $1: $(grep -c '^>' "$work/differ") of $(wc -l <"$work/found") runs differ:" >&2
        sed -n 's/^> \([^ ]*\).*/    \1/p' "$work/differ" | head -n 20 >&2
        exit 1
    fi
    passed=$((passed + $(wc -l <"$work/found")))
}

skip() {
    echo "bits: skipped, $1"
    skipped=$((skipped + 1))
}

# compare WORDS MAKE-ARGUMENTS ...: builds it, and compares.
compare() {
    what=$1
    shift
    compiler=cc
    for word; do
        case $word in CC=*) compiler=${word#CC=} ;; esac
    done
    if ! make -s "$@" BUILD="$work/build" "$work/build/qkv" variants-only \
        "$work/build/plots" >/dev/null 2>"$work/err"; then
        skip "$what does not build here"
    elif ! $emulator "$work/build/qkv" --version >/dev/null 2>&1; then
        skip "$what does not run here"
    else
        same "$what" "$work/build/qkv" "$compiler"
    fi
    rm -rf "$work/build"
}

steps=12 how=whole
if [ $# -gt 0 ]; then
    for other; do
        compiler=$(cut -d ' ' -f 1 "$other/flags")
        same "$other" "$other/qkv" "$compiler"
    done
else
    for level in -O0 -O1 -O2 -O3; do
        compare "gcc $level" CC=gcc OPT=$level
        compare "clang $level" CC=clang OPT=$level
    done
    for compiler in gcc clang; do
        compare "$compiler, AVX2" CC=$compiler ARCH=-march=x86-64-v3
        compare "$compiler, AVX-512" CC=$compiler ARCH=-march=x86-64-v4
        compare "$compiler, no FMA" CC=$compiler ARCH=-march=x86-64
    done
    # three threads, of which none reads what another writes
    export TSAN_OPTIONS=halt_on_error=1
    steps=4 how=short threads='--threads 3'
    compare "clang -O1, ThreadSanitizer" CC=clang OPT=-O1 EXTRA='-g -fsanitize=thread'
    threads=
    # NEON, where the emulator and the compiler are there
    emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
    command -v qemu-aarch64-static >/dev/null || emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    steps=2
    compare "gcc -O1, aarch64" CC=aarch64-linux-gnu-gcc OPT=-O1 ARCH=
fi
echo "bits: $passed passed, 0 failed, $skipped skipped"
