#!/bin/sh
# stage.sh BUILD NN [ARGUMENT ...] - builds and runs what lesson NN has: the functions of
# core/heart and core/operators that the lessons up to NN show, and no others, with the `main.c` of that lesson,
# or with the heart's own where it has none. Flags and headers are the project's.

set -eu
cd "$(dirname "$0")/.."
build=$1
n=$2
shift 2
out=$build/stage/$n # relative if BUILD is, so without the blanks of a folder above
rm -rf "$out"
mkdir -p "$out/core/heart" "$out/core/operators"
for lesson in lessons/2[0-9]-*.md; do
    awk -f lessons/excerpts.awk "$lesson" 2>/dev/null || true
    case $lesson in lessons/"$n"-*) break ;; esac
done | grep '^core/\(heart\|operators\)/' >"$out/shown"
for file in $(sed -n 's/\.c:.*/.c/p' "$out/shown" | sort -u); do
    awk -v shown="$out/shown" -v stage=1 -f lessons/items.awk "$file" >"$out/$file"
done
awk '/^```$/ { inside = 0 } inside; /^```c main\.c/ { inside = 1 }' lessons/"$n"-*.md >"$out/main.c"
[ -s "$out/main.c" ] || rm "$out/main.c"
ln -s "$(cd "$build" && pwd)/variants" "$out/variants"
# shellcheck disable=SC2046,SC2016 # the compiler and its flags are several words; $ORIGIN is the loader's
$(cat "$build/flags") -DQKV_CORE -Wno-unused-function -fvisibility=hidden -rdynamic $(ls "$out"/*.c "$out"/core/heart/*.c "$out"/core/operators/*.c 2>/dev/null) \
    -lm -ldl '-Wl,-rpath,$ORIGIN/variants' -o "$out/program"
cd "$out"
exec ./program "$@"
