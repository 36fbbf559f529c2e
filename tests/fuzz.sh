#!/bin/sh
# fuzz.sh BUILD [SECONDS | COUNTruns] - libFuzzer on every parser, under the
# address and undefined-behaviour sanitizers, SECONDS each or so many inputs
# ("10000000runs"); with neither the corpus only, once. What it finds is kept in
# BUILD/fuzz; what tests/fuzz/corpus has, it begins with.

set -u
build=$(mkdir -p "$1" && cd "$1" && pwd)
how=${2:-0runs}
targets=${TARGETS:-npy run text pairs options recipe claim descriptor square experiment generate}
wrapped='malloc calloc realloc free fopen fclose opendir closedir exit _exit abort
    interned plugin_given fork waitpid dlsym dlopen'
if ! command -v clang >/dev/null ||
    ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -fsanitize=fuzzer -xc - -o /dev/null 2>/dev/null; then
    echo "fuzz: skipped: no clang with libFuzzer (make deps-all)"
    exit 0
fi
mkdir -p "$build/fuzz"
flags='-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
make -s "$build/fuzz/libqkv.a" BUILD="$build/fuzz" CC=clang OPT= EXTRA="$flags" \
    >"$build/fuzz/log" 2>&1 || {
    tail -n 20 "$build/fuzz/log" >&2
    exit 1
}
QKV_FUZZ=$(mktemp -d -p "$([ -d /dev/shm ] && echo /dev/shm || echo /tmp)")
export QKV_FUZZ
trap 'rm -rf "$QKV_FUZZ"' EXIT
export QKV_PATH="$build/variants"
sh tests/fuzz/base.sh "$build" "$QKV_FUZZ" || exit 1
failed=0
for target in $targets; do
    clang -std=c11 -Werror -D_GNU_SOURCE -DQKV_CORE -DTARGET="$target" -Icore -g -O1 -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined tests/fuzz/fuzz.c tests/fuzz/edit.c tests/fuzz/tree.c \
        -rdynamic -Wl,--whole-archive "$build/fuzz/libqkv.a" -Wl,--no-whole-archive \
        $(for f in $wrapped; do echo "-Wl,--wrap=$f"; done) -lm -ldl \
        -o "$build/fuzz/$target" || exit 1
    mkdir -p "$build/fuzz/found/$target"
    case $how in
    *runs) limit=-runs=${how%runs} ;;
    *) limit=-max_total_time=$how ;;
    esac
    # What libc allocates for a stream or a tree the harness cannot free when a
    # command exits in the middle, so whole commands are not asked about leaks.
    case $target in experiment | recipe | generate | pairs) leaks=0 ;; *) leaks=1 ;; esac
    ASAN_OPTIONS=detect_leaks=$leaks "$build/fuzz/$target" "$limit" -seed=1 \
        -close_fd_mask=3 -max_len=4096 \
        -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/fuzz/$target-" "$build/fuzz/found/$target" \
        "$PWD/tests/fuzz/corpus/$target" 2>"$build/fuzz/$target.log"
    status=$?
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$target.log")
    if [ $status -eq 0 ]; then
        echo "fuzz: $target: ${count:-?} inputs, clean"
    else
        failed=1
        echo "fuzz: $target: status $status after ${count:-?} inputs; see $build/fuzz/$target.log" >&2
        grep -E 'ERROR|SUMMARY|runtime error|    #[0-9] ' "$build/fuzz/$target.log" | head -n 12 >&2
    fi
done
exit $failed
