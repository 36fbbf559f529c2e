#!/bin/sh
# random.sh BUILD [SECONDS | COUNTruns [MODE [CASE]]] - random experiments of
# strangers through every command that reads one (foreign), random command lines
# (lines) and random plugins (plugins), 60 seconds each, as tests/fuzz/commands.c
# has it. CASE repeats one case; what fails is kept in BUILD/fuzz.
#
# All happens in a namespace of its own where there are such: nothing can be
# written but a folder in memory, and sh is a program that says it was run.

set -u
build=$(cd "$1" && pwd)
how=${2:-60}
modes=${3:-foreign lines plugins}
case $how in
*runs) ;;
*) how=${how}s ;;
esac
how=${4:-$how}
mkdir -p "$build/fuzz"
keep=$build/fuzz
[ -x "$build/commands" ] || {
    echo "random: no $build/commands: make run-random builds it" >&2
    exit 1
}
root=$(mktemp -d -p "$([ -d /dev/shm ] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$root"' EXIT
mold=$root/mold
mkdir "$mold" "$mold/bin" "$mold/home"

# The canaries: a plugin, as good as standard but for what its opening does, and
# a shell.
cat >"$root/trip.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void
trip(void)
{
    FILE *file = getenv("Q") ? fopen(getenv("Q"), "w") : NULL;
    if (file)
        fclose(file);
}
#ifdef PROGRAM
int
main(void)
{
    return 1;
}
#endif
END
cc=${CC:-cc}
{
    $cc -O1 -shared -fPIC -Icore -D_GNU_SOURCE variants/standard.c "$root/trip.c" -o "$mold/canary.so" &&
        $cc -O1 -shared -fPIC -Icore -Wall -Werror -D_GNU_SOURCE tests/fuzz/program.c -o "$mold/program.so" &&
        $cc -O1 -DPROGRAM "$root/trip.c" -o "$root/sh"
} || exit 1
cp "$mold/canary.so" "$mold/standard.so"
cp "$(command -v env)" "$root/env"
gnuplot=$(command -v gnuplot) && ln -s "$gnuplot" "$mold/bin/gnuplot"

sh tests/fuzz/base.sh "$build" "$mold" || exit 1
qkv=$build/qkv
nm "$qkv" 2>/dev/null | grep -q __asan_init && export SANITIZED=1
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1
mkdir "$root/build" "$root/keep"
cp -r "$qkv" "$build/qkv-double" "$build/variants" "$build/commands" "$root/build"
cp -rL "$build/plots" "$root/build"
failed=0
for mode in $modes; do
    set -- PATH="$mold/bin" "$root/build/commands" "$mode" "$root/build/qkv" "$root"
    if [ "${root#/dev/shm}" != "$root" ] && unshare -rm true 2>/dev/null; then
        unshare -rm /bin/sh -c '
            root=$1 keep=$2 sh=$(readlink -f /bin/sh)
            shift 2
            mount --make-rprivate / && mount --bind "$root" "$root" &&
                mount --bind "$keep" "$root/keep" && mount -t tmpfs tmpfs /tmp &&
                mount -o remount,bind,ro / && mount --bind "$root/sh" "$sh" &&
                exec "$root/env" -u QKV_PATH "$@"' \
            sh "$root" "$keep" "$@" "$root/keep" "$how" || failed=1
    else
        env -u QKV_PATH "$@" "$keep" "$how" || failed=1
    fi
done
exit $failed
