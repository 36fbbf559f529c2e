#!/bin/sh
# coverage.sh BUILD - which lines of core/ the quick tests run, by folder: at least 95
# of 100, as nothing else asks. The others are listed in BUILD/coverage/uncovered.txt:
# aborts, which lose their counters, what the system refuses (starve.sh, together.sh),
# signals.

set -eu
mkdir -p "$1/coverage"
build=$(cd "$1/coverage" && pwd)
cores=$(getconf _NPROCESSORS_ONLN)
# What was counted is written down before a worker goes by _exit.
cat >"$build/exit.c" <<'END'
void __gcov_dump(void);
void __real__exit(int status);
void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
END
gcc -c "$build/exit.c" -o "$build/exit.o"
make -s -j"$cores" BUILD="$build" OPT=-O2 CFLAGS="--coverage" \
    LDLIBS="-lm -ldl $build/exit.o -Wl,--wrap=_exit" all "$build/tests/float" \
    "$build/tests/double" >"$build/log" 2>&1 || {
    tail -n 20 "$build/log" >&2
    exit 1
}
find "$build" -name '*.gcda' -delete
export build CK_DEFAULT_TIMEOUT=600
sh tests/ask.sh "$build" | xargs -P "$cores" -I PART sh -c \
    'sh tests/ask.sh "$build" PART >/dev/null 2>&1 || echo "coverage: PART fails" >&2'
# gcov fails where a process was killed while it wrote its counters.
find "$build" -name '*.gcda' -exec gcov -t {} + 2>/dev/null | awk -F : -v list="$build/uncovered.txt" '
    $3 == "Source" { file = $4 }
    file !~ /^core\// || $1 ~ /-$/ || $3 == "Source" { next }
    { known[file ":" $2 + 0] }
    $1 !~ /#|=/ { run[file ":" $2 + 0] }
    END {
        for (line in known) {
            split(line, part, "/")
            all[part[2]]++
            if (line in run)
                seen[part[2]]++
            else
                print line >list
        }
        for (folder in all) {
            printf "%-10s %5d of %5d\n", folder, seen[folder], all[folder]
            total += all[folder]
            sum += seen[folder]
        }
        printf "coverage: %.1f%% of %d lines of core/; what is not: %s\n", 100 * sum / total, total, list
        exit sum < .95 * total
    }'
