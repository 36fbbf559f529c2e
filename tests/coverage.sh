#!/bin/sh
# coverage.sh BUILD - which lines of core/ the quick tests run: at least 95 of
# 100. The others are listed in BUILD/coverage/uncovered.txt: what they are,
# tests/uncovered.md says.

set -u
mkdir -p "$1/coverage"
build=$(cd "$1/coverage" && pwd)
command -v gcovr >/dev/null || {
    echo "coverage: skipped: no gcovr here (pip or Debian: gcovr)"
    exit 0
}
find "$build" -name '*.gcda' -exec rm {} +
gcc -c tests/coverage/exit.c -o "$build/exit.o" || exit 1
make -s -j"$(getconf _NPROCESSORS_ONLN)" BUILD="$build" OPT=-O1 EXTRA='--coverage -fprofile-update=atomic' \
    LDLIBS="-lm -ldl $build/exit.o -Wl,--wrap=_exit" all "$build/tests/float" \
    "$build/tests/double" >"$build/log" 2>&1 || {
    tail -n 20 "$build/log" >&2
    exit 1
}
for program in float double; do
    CK_DEFAULT_TIMEOUT=600 QKV_PATH=$build/variants "$build/tests/$program" >"$build/log" 2>&1 ||
        echo "coverage: $program: $(grep '^[0-9]*%' "$build/log")"
done
for script in command check faults parallel; do
    sh tests/$script.sh "$build" 2>>"$build/log" | tail -n 1
done
sh lessons/check.sh "$build" tests/shown/*.md 2>>"$build/log" | tail -n 1
"$build/qkv" bench layer attend -q >/dev/null
"$build/qkv" compare -v standard --plan=slurm -q >/dev/null
gcovr --root . --filter core/ --object-directory "$build" \
    --gcov-ignore-parse-errors --exclude-unreachable-branches \
    --txt "$build/uncovered.txt" --print-summary "$build" >"$build/summary" 2>"$build/log" || {
    cat "$build/log" >&2
    exit 1
}
share=$(sed -n 's/^lines: *\([0-9.]*\)%.*/\1/p' "$build/summary")
echo "coverage: $(grep '^lines' "$build/summary") of core/; what is not: $1/coverage/uncovered.txt"
awk -v share="$share" 'BEGIN { exit share < 95 }'
