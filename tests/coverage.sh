#!/bin/sh
# coverage.sh BUILD - which lines of core/ the quick tests run: at least 95 of 100, as
# nothing else asks. The others are listed in BUILD/coverage/uncovered.txt: aborts, which
# lose their counters, what the system refuses (starve.sh, together.sh), signals and
# `bench`. BUILD/coverage/lines.tsv has for each line the parts of the tests (ask.sh) that
# run it, cheapest first; parts.tsv what they cost.

set -eu
mkdir -p "$1/coverage/by"
build=$(cd "$1/coverage" && pwd)
rm -rf "$build/by"
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
make -s -j"$(getconf _NPROCESSORS_ONLN)" BUILD="$build" OPT=-O2 EXTRA="--coverage" \
    LDLIBS="-lm -ldl $build/exit.o -Wl,--wrap=_exit" all "$build/tests/float" \
    "$build/tests/double" >"$build/log" 2>&1 || {
    tail -n 20 "$build/log" >&2
    exit 1
}
# Each part's counters go to a folder of its own; its cost is in seconds of the
# processor, whatever else the machine does, and what fails has none.
export build CK_DEFAULT_TIMEOUT=600
sh tests/ask.sh "$build" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I PART sh -c '
    export GCOV_PREFIX=$build/by/PART
    mkdir -p "$GCOV_PREFIX"
    (sh tests/ask.sh "$build" PART >"$GCOV_PREFIX/log" 2>&1 && times ||
        echo "coverage: PART fails" >&2) | awk -F "[ms ]+" "
        { cost = 60 * (\$1 + \$3) + \$2 + \$4 }
        END { printf \"%s\\t%s\\n\", NR ? cost : \"fails\", \"PART\" }"' >"$build/parts.tsv"
# Those that need the float program only come first.
awk -F '\t' '{ print $1 + ($2 ~ /^float/ ? 0 : 2) "\t" $2 }' "$build/parts.tsv" | sort -n | cut -f 2 |
    while read -r part; do
        counters=$build/by/$part
        mkdir -p "$counters$build"
        (cd "$counters$build" && find . -name '*.gcda' | while read -r file; do
            ln -sf "$build/${file%.gcda}.gcno" "${file%.gcda}.gcno"
        done)
        echo "part:$part"
        # gcov fails where a process was killed while it wrote its counters.
        find "$counters" -name '*.gcda' -exec gcov -t {} + 2>/dev/null || true
    done | awk -F : -v OFS='\t' '
    $1 == "part" { part = $2; next }
    $3 == "Source" { file = $4; next }
    file !~ /^(core|variants)\// || $1 ~ /-$/ { next }
    {
        line = file OFS $2 + 0
        runs[line] = runs[line]
    }
    $1 !~ /#|=/ && last[line] != part {
        last[line] = part
        runs[line] = runs[line] " " part
    }
    END {
        for (line in runs)
            print line, substr(runs[line], 2)
    }' | sort -t "$(printf '\t')" -k 1,1 -k 2,2n >"$build/lines.tsv"
awk -F '\t' '/^core/ && $3 == "" { print $1 ":" $2 }' "$build/lines.tsv" >"$build/uncovered.txt"
awk -F '\t' -v list="$1/coverage/uncovered.txt" '
    /^core/ { all++; run += $3 != "" }
    END {
        printf "coverage: %.1f%% of %d lines of core/; what is not: %s\n", 100 * run / all, all, list
        exit run < .95 * all
    }' "$build/lines.tsv"
