#!/bin/sh
# arm.sh BUILD - the program for 64-bit ARM: built by Debian's cross compiler,
# its tests run by qemu-user, and a comparison whose bits are this machine's.

set -u
build=$(cd "$1" && pwd) || exit 1
for program in aarch64-linux-gnu-gcc qemu-aarch64-static apt-get dpkg; do
    command -v $program >/dev/null || {
        echo "arm: skipped: no $program here (Debian: gcc-aarch64-linux-gnu qemu-user-static)"
        exit 0
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() {
    echo "arm: $*" >&2
    tail -n 25 "$work/log" >&2
    exit 1
}

# Check for ARM, fetched beside the system and not installed.
mkdir -p "$work/apt/lists/partial" "$work/cache/archives/partial" "$work/root"
own="-o APT::Architectures::=arm64 -o Dir::State::lists=$work/apt/lists
    -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
(cd "$work" && apt-get $own update && apt-get $own download check:arm64 \
    libsubunit-dev:arm64) >"$work/log" 2>&1 || {
    echo "arm: skipped: Check for ARM cannot be fetched"
    exit 0
}
for package in "$work"/*.deb; do
    dpkg -x "$package" "$work/root"
done
lib=$work/root/usr/lib/aarch64-linux-gnu
set -- CC=aarch64-linux-gnu-gcc ARCH=-march=armv8-a BUILD="$work/arm" \
    EXTRA="-I$work/root/usr/include" \
    CHECK="$lib/libcheck.a $lib/libsubunit.a -lrt -lpthread"
jobs=-j$(getconf _NPROCESSORS_ONLN)
make -s "$jobs" "$@" all >"$work/log" 2>&1 || die "does not build"
# The tests themselves without what gcc 12 for ARM ends of (largest of a loop).
make -s "$jobs" "$@" OPT='-O2 -fno-tree-vectorize' "$work/arm/tests/float" \
    >"$work/log" 2>&1 || die "its tests do not build"
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
QKV_PATH=$work/arm/variants CK_EXCLUDE_TAGS=long CK_TIMEOUT_MULTIPLIER=20 \
    qemu-aarch64-static "$work/arm/tests/float" >"$work/log" 2>&1
status=$?
[ $status -eq 0 ] || die "tests: status $status"
tests=$(grep '^100%' "$work/log")
run() { # OUT PROGRAM
    out=$1
    shift
    "$@" compare -v standard,full-rank,mla -t recall --seeds 2 --steps 20 \
        --test 32 --validate 32 --no-figures -q -o "$out"
}
(cd "$work" && run here "$build/qkv" >table 2>log &&
    run there qemu-aarch64-static "$work/arm/qkv" >table2 2>log) || die "compare"
cmp -s "$work/table" "$work/table2" || die "another table"
# The same bits, but for the plugins' files, whose hashes config.tsv has.
diff -r -x timing.tsv -x config.tsv "$work/here" "$work/there" >"$work/log" || die "other bits"
echo "arm: builds; $tests; a comparison with the same table and weights"
