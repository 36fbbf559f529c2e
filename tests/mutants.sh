#!/bin/sh
# mutants.sh BUILD [COUNT [SEED]] - plants COUNT faults of one token, drawn by
# SEED, in core/ and variants/, one at a time, and tells which of them the quick
# tests do not notice: they are printed, and BUILD/mutants/counted.tsv has them all.
# Nothing else tells how much the tests are worth. Fails below 85 in 100 killed, as
# some survivors are the same program in other words.
#
# Each is shown to the parts of the tests that run its line (coverage.sh), cheapest
# first, up to the first that notices; those that take less than five seconds ask a
# float program in which the mutant's file alone is compiled with sanitizers. It may be
# ended at any time: begun again it goes on, with what it has found in files that are
# still the same.
#
# A mutant may delete what it likes: all happens in a mount and process
# namespace of its own, where nothing but a /tmp in memory can be written.

set -eu
count=${2:-300}
seed=${3:-1}
export OPT=-O1 CK_EXCLUDE_TAGS=long
sanitize="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined"

if [ -z "${QKV_INSIDE:-}" ]; then
    if ! unshare -rmpf --mount-proc true 2>/dev/null; then
        echo "mutants: skipped: no namespaces here (unshare of util-linux)"
        exit 0
    fi
    mkdir -p "$1/mutants"
    lines=$1/coverage/lines.tsv
    [ -e "$lines" ] && [ -z "$(find core variants -newer "$lines")" ] ||
        sh tests/coverage.sh "$1" || true
    QKV_INSIDE=1 unshare -rmpf --kill-child --mount-proc sh "$0" "$1" "$count" "$seed"
    exit
fi

# Inside: the tree goes to /tmp, one copy for each worker, and only the report
# can be written besides.
report=$(cd "$1/mutants" && pwd)
mount --make-rprivate /
mount -t tmpfs tmpfs /dev/shm
mkdir /dev/shm/tree /dev/shm/report
cp -r core variants plots lessons tests Makefile README.md LICENSE .clang-format \
    /dev/shm/tree/
cp "$1/coverage/lines.tsv" "$1/coverage/parts.tsv" /dev/shm/
parts=/dev/shm/parts.tsv
mount --bind "$report" /dev/shm/report
report=/dev/shm/report
mount -t tmpfs tmpfs /tmp
mount -o remount,bind,ro /
# A compiler's cache, where there is one: most of a tree is compiled as before.
if command -v ccache >/dev/null; then
    export CCACHE_DIR=/dev/shm/ccache CCACHE_NOHASHDIR=1 PATH=/usr/lib/ccache:$PATH
    from=$(CCACHE_DIR='' ccache -k cache_dir)
    [ ! -d "$from" ] || [ "$(du -sm "$from" | cut -f 1)" -gt 500 ] || cp -r "$from" $CCACHE_DIR
fi
cd /dev/shm/tree
make -s -j4 all build/tests/float build/tests/double >/tmp/log 2>&1

# The parts that are asked with sanitizers: cheap ones that pass so today.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
cp -a build /dev/shm/sane
rm -r /dev/shm/sane/float
make -s -j4 BUILD=/dev/shm/sane EXTRA="$sanitize" LDLIBS="-lm -ldl $sanitize" variants-only \
    /dev/shm/sane/qkv /dev/shm/sane/tests/float >/tmp/log 2>&1
awk -F '\t' '$1 != "fails" && $1 < 5 && $2 !~ /^(double|shown)/ { print $2 }' $parts |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -I PART sh -c 'ulimit -t 20
        sh tests/ask.sh /dev/shm/sane PART >/dev/null 2>&1 && echo PART' >/tmp/sane || true
rm -r /dev/shm/sane
echo "mutants: $(wc -l </tmp/sane) parts of the tests with sanitizers"

# Each place has a number that hangs on the seed and on its own line only, so that
# a change elsewhere draws no others; the least are taken, three for each that is
# asked for: some do not compile, or change nothing.
awk -f tests/mutants.awk core/*/*.[ch] core/driver/*/*.[ch] variants/*.c >/tmp/all
awk -F '\t' -v OFS='\t' -v x="$seed" '
    BEGIN {
        for (i = 1; i < 256; i++)
            code[sprintf("%c", i)] = i
    }
    {
        same = $1 FS $6 FS $3 FS $4
        same = same FS (++times[same])
        for (i = 1; i <= length(same); i++)
            hash = (hash * 31 + code[substr(same, i, 1)]) % 2147483647
        for (i = 0; i < 3; i++) # Park and Miller (1988)
            hash = (hash + x) * 16807 % 2147483647
        print hash, $0
        hash = 0
    }' /tmp/all | sort -n | head -n $((3 * count)) | cut -f 2- >/tmp/drawn
cut -f 1 /tmp/drawn | sort -u | while read -r file; do
    printf '%s\t%s\n' "$file" "$(cksum <"$file" | cut -d ' ' -f 1)"
done >/tmp/sums
echo "mutants: $(wc -l </tmp/all) places, $count drawn"

# What is known already: of a line in a file that has not changed since. The others
# are to do, each with its file's sum and the parts that run its line; a line that
# gcov does not know, which has no code of its own, has those that run its file.
touch "$report/list.tsv"
valid() { grep -cE '	(killed|survived)	' /tmp/known || true; }
awk -F '\t' -v OFS='\t' '
    { place = $1 FS $2 FS $3 FS $4 FS $5 }
    FILENAME == "/tmp/sums" { sum[$1] = $2; next }
    FILENAME ~ /parts.tsv$/ { asked[$2] = $1 != "fails"; next }
    FILENAME ~ /lines.tsv$/ {
        n = split($3, list, " ")
        for (i = 1; i <= n; i++)
            if (asked[list[i]]) {
                run[$1, $2] = run[$1, $2] " " list[i]
                if (!(($1, list[i]) in in_file)) {
                    in_file[$1, list[i]]
                    whole[$1] = whole[$1] " " list[i]
                }
            }
        known[$1, $2]
        next
    }
    FILENAME ~ /list.tsv$/ {
        if (sum[$1] == $9)
            verdict[place] = $0
        next
    }
    place in verdict { print verdict[place] >"/tmp/known"; next }
    { print $0, sum[$1], substr(($1, $2) in known ? run[$1, $2] : whole[$1], 2) }
    ' /tmp/sums "$parts" /dev/shm/lines.tsv "$report/list.tsv" /tmp/drawn >/tmp/todo
touch /tmp/known
echo "mutants: $(wc -l </tmp/known) known, so that $(valid) of $count are done"

# What the compiler makes of the mutated file, to see whether it is another.
objects() {
    case $1 in
    variants/*) cat "build/${1%.c}.so" ;;
    *.h) cat $(find build/float -name '*.o' | sort) ;;
    *) cat "build/float/${1%.c}.o" ;;
    esac 2>/dev/null | cksum
}

# A mutant that loops is ended by the time of the processor that it takes, which is
# the same on a machine that has other work; one that waits for ever, by the clock.
ask() { # PART
    cost=$(awk -F '\t' -v part="$1" '$2 == part { print int($1) }' "$parts")
    (
        ulimit -t $((10 + 4 * cost))
        CK_DEFAULT_TIMEOUT=600 timeout 1800 sh tests/ask.sh build "$1"
    ) >log 2>&1
}

# with_sanitizers FILE: the programs, of which that file alone is compiled so.
with_sanitizers() {
    case $1 in
    variants/*) set -- "$1" "${1%.c}.so" -fPIC -shared ;;
    core/*.c) set -- "$1" "float/${1%.c}.o" -DQKV_CORE -c ;;
    *) return 1 ;;
    esac
    source=$1 object=build/$2
    shift 2
    $(cat build/flags) $sanitize "$@" "$source" -o "$object" && rm -f build/tests/float build/qkv &&
        make -s build/tests/float build/qkv LDLIBS="-lm -ldl $sanitize"
}

# noticed PART ...: true at the first that notices, `killer`.
noticed() {
    for killer; do
        case $killer in
        shown/*) # what the lessons show of the file is not what is asked
            cp -p "$file" mutated
            cp -p original "$file"
            ask "$killer" || return 0
            cp -p mutated "$file"
            ;;
        *) ask "$killer" || return 0 ;;
        esac
    done
    killer=
    return 1
}

# Ends with the first thing that notices, in `killer`.
verdict() { # FILE PART ...
    file=$1 killer='' verdict="does not compile"
    shift
    make -s build/tests/float build/float/core/driver/main.o variants-only >log 2>&1 || return 0
    verdict="the same program"
    [ "$(cd /dev/shm/tree && objects "$file")" != "$(objects "$file")" ] || return 0
    verdict=killed
    sane=$(printf '%s\n' "$@" | grep -xFf /tmp/sane || true)
    object=
    if [ "$sane" ] && with_sanitizers "$file" >log 2>&1; then
        (ulimit -S -v unlimited && noticed $sane && echo "$killer" >killer) &&
            killer="sanitizers: $(cat killer)" && return 0
        set -- $(printf '%s\n' "$@" | grep -vxFf /tmp/sane || true)
    fi
    [ ! "$object" ] || rm -f "$object" build/tests/float build/qkv
    killer=make
    make -s all build/tests/float build/tests/double >log 2>&1 || return 0
    noticed "$@" && return 0
    verdict=survived killer=
    [ "$sane$*" ] || killer="not run"
}

# worker N: takes the next mutant until there are enough.
worker() {
    mkdir /tmp/worker$1
    cp -a /dev/shm/tree /dev/shm/worker$1
    cd /dev/shm/worker$1
    export TMPDIR=/tmp/worker$1
    while [ "$(valid)" -lt "$count" ]; do
        mutant=$(flock /tmp/lock sh -c 'head -n 1 /tmp/todo; sed -i 1d /tmp/todo')
        [ -n "$mutant" ] || break
        file=$(printf '%s\n' "$mutant" | cut -f1)
        cp -p "$file" original
        printf '%s\n' "$mutant" | awk -F '\t' '
            FNR == NR { line = $2; at = $3; width = length($4); to = $5; next }
            FNR == line {
                $0 = substr($0, 1, at - 1) to substr($0, at + width)
            }
            { print }' - original >"$file"
        ulimit -S -v 16000000
        verdict "$file" $(printf '%s\n' "$mutant" | cut -f8)
        printf '%s\n' "$mutant" | awk -F '\t' -v OFS='\t' -v verdict="$verdict" -v killer="$killer" '
            { print $1, $2, $3, $4, $5, $6, verdict, killer, $7 }' |
            tee -a /tmp/known >>"$report/list.tsv"
        cp original "$file"
        rm -rf "${TMPDIR:?}"/*
    done
}

jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
for n in $(seq "$jobs"); do
    worker "$n" &
done
wait

# The first COUNT in the order drawn, so that two reports of one seed are one.
awk -F '\t' '
    { place = $1 FS $2 FS $3 FS $4 FS $5 }
    FILENAME == "/tmp/drawn" { order[place] = FNR; next }
    $7 == "killed" || $7 == "survived" { print order[place] FS $0 }' \
    /tmp/drawn /tmp/known | sort -n | head -n "$count" | cut -f 2- >"$report/counted.tsv"
awk -F '\t' '
    $7 == "killed" { killed++; sub(/[:\/].*/, "", $8); by[$8]++ }
    $7 == "survived" {
        sub(/^ */, "", $6)
        printf("survived: %s:%d:%d: %s -> %s%s\n    %s\n", $1, $2, $3, $4, \
            $5 == "" ? "nothing" : $5, $8 == "" ? "" : " (" $8 ")", $6)
    }
    END {
        printf("mutants: %d of %d killed, %.1f%%:", killed, NR, NR ? 100 * killed / NR : 0)
        for (k in by)
            printf " %s %d", k, by[k]
        print ""
        exit !NR || killed < .85 * NR
    }' "$report/counted.tsv"
