#!/bin/sh
# mutants.sh BUILD [COUNT [SEED]] - plants COUNT faults of one token, drawn by
# SEED, in core/ and variants/, one at a time, and tells which of them the quick
# tests do not notice. BUILD/mutants/counted.tsv has them all; tests/survivors.tsv
# says of each known survivor why it lives; those that no test could notice begin
# with "equivalent:" there, and do not count. Fails below 90 in 100 killed.
#
# It takes hours, and may be ended at any time: begun again it goes on, with what
# it has found in files that are still the same. AGAIN=yes asks the tests once
# more about survivors that are not known to be equivalent. SCRIPTS are the scripts
# that are asked besides the Check tests, each without its .sh or .md. What lives
# on is asked once more by the Check tests in a build with sanitizers, as in .ci/run.
#
# A mutant may delete what it likes: all happens in a mount and process
# namespace of its own, where nothing but a /tmp in memory can be written.

set -eu
count=${2:-300}
seed=${3:-1}
export OPT=-O1
with_sanitizers="BUILD=build/sanitized OPT=-O1 EXTRA='-g -DQKV_DEBUG \
    -fsanitize=address,undefined -fno-sanitize-recover=undefined'"

if [ -z "${QKV_INSIDE:-}" ]; then
    if ! unshare -rmpf --mount-proc true 2>/dev/null; then
        echo "mutants: skipped: no namespaces here (unshare of util-linux)"
        exit 0
    fi
    mkdir -p "$1/mutants"
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
mount --bind "$report" /dev/shm/report
report=/dev/shm/report
mount -t tmpfs tmpfs /tmp
mount -o remount,bind,ro /
# A compiler's cache, where there is one: most of a tree is compiled as before.
if command -v ccache >/dev/null; then
    export CCACHE_DIR=/dev/shm/ccache CCACHE_NOHASHDIR=1 PATH=/usr/lib/ccache:$PATH
    from=$(CCACHE_DIR='' ccache -k cache_dir)
    [ "$(du -sm "$from" | cut -f 1)" -gt 500 ] || cp -r "$from" $CCACHE_DIR
fi
cd /dev/shm/tree
make -s all build/tests/float build/tests/double >/tmp/log 2>&1
eval "make -s $with_sanitizers all build/sanitized/tests/float" >/tmp/log 2>&1

sum_of() { cksum <"$1" | cut -d ' ' -f 1; }

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
    printf '%s\t%s\n' "$file" "$(sum_of "$file")"
done >/tmp/sums
echo "mutants: $(wc -l </tmp/all) places, $count drawn"

# What is known already: of a line in a file that has not changed since.
touch "$report/list.tsv"
valid() { grep -cE '	(killed|survived)	' "$report/list.tsv" || true; }
awk -F '\t' -v again="${AGAIN:-}" '
    { place = $1 FS $2 FS $3 FS $4 FS $5 }
    FILENAME == "/tmp/sums" { sum[$1] = $2; next }
    FILENAME == "/tmp/drawn" { drawn[place] = 1; next }
    FILENAME == "tests/survivors.tsv" { why[$1 FS $2 FS $3 FS $4] = $5; next }
    {
        own = $6
        sub(/^ */, "", own)
        doubted = $7 == "survived" && why[$1 FS own FS $4 FS $5] !~ /^equivalent:/
    }
    place in drawn && sum[$1] == $9 && !(again && doubted) && !seen[place]++' \
    /tmp/sums /tmp/drawn tests/survivors.tsv "$report/list.tsv" >/tmp/known
cp /tmp/known "$report/list.tsv"
awk -F '\t' -v OFS='\t' '
    { place = $1 FS $2 FS $3 FS $4 FS $5 }
    FILENAME == "/tmp/sums" { sum[$1] = $2; next }
    FILENAME == "/tmp/known" { known[place] = 1; next }
    !(place in known) { print $0, sum[$1] }' \
    /tmp/sums /tmp/known /tmp/drawn >/tmp/todo
echo "mutants: $(wc -l </tmp/known) known, so that $(valid) of $count are done"

all_scripts="tests/shown/tables tests/shown/inspect tests/shown/compare
    tests/command tests/check"

# The suites and scripts that notice soonest, which go first. What never runs a
# file of the driver is not asked about it.
suites() {
    case $1 in
    core/driver/*progress*) echo progress && return ;;
    core/driver/*) echo report && return ;;
    variants/*) echo variant formula && return ;;
    esac
    case ${1##*/} in
    *matrix* | *svd* | *threads* | *vector*) echo matrix algebra ;;
    *random* | *elementary* | *rows*) echo numbers attend ;;
    *tape* | *operator* | *layers* | *steps*) echo tape formula ;;
    *attend*) echo attend ;;
    *canonical* | *fit* | *difference* | *cost* | *plugin* | *recording*)
        echo variant algebra ;;
    *convert* | *fold* | *model* | *linear* | *pass*) echo model formula ;;
    *task* | *dataset* | *text* | *pairs*) echo task ;;
    *train* | *optimizer* | *observe*) echo train ;;
    *) echo run ;;
    esac
}
scripts() {
    case $1 in
    core/driver/check* | core/driver/*/tokens* | core/driver/cli/plugin_process* | \
        core/driver/cli/describe* | core/driver/new*)
        echo tests/shown/inspect tests/check tests/command ;;
    core/driver/trace* | core/driver/count* | core/driver/list* | \
        core/driver/help* | core/driver/completion*)
        echo tests/shown/tables tests/shown/inspect tests/command ;;
    core/driver/bench*) echo tests/command ;;
    core/driver/equiv* | core/driver/square* | core/driver/inspect* | \
        core/driver/attention* | core/driver/export*)
        echo tests/shown/inspect tests/command tests/shown/compare ;;
    core/driver/sweep/progress* | core/driver/cli/memory* | core/driver/sweep/plan*)
        echo tests/shown/compare tests/faults ;;
    core/driver/*)
        echo tests/shown/compare tests/shown/inspect tests/shown/tables \
            tests/command ;;
    *) echo $all_scripts ;;
    esac
}

check() { # BUILD PROGRAM [SUITE]
    [ -z "${3:-}" ] || export CK_RUN_SUITE=$3
    status=0
    patience=20
    [ "$1" = build ] || patience=120 # sanitizers take longer
    CK_EXCLUDE_TAGS=long CK_DEFAULT_TIMEOUT=$patience QKV_PATH=$1/variants \
        timeout $((20 * patience)) "$1/tests/$2" >log 2>&1 || status=$?
    unset CK_RUN_SUITE
    return $status
}
ask() { # BUILD SCRIPT
    case $2 in
    tests/shown/*) set -- lessons/check.sh "$1" "$2.md" ;;
    *) set -- "$2.sh" "$1" ;;
    esac
    STOP=1 timeout 600 sh "$@" >log 2>&1
}

# What fails without a fault would kill all of them.
sound() {
    check build float && check build double || return 1
    for script in ${SCRIPTS:-$all_scripts tests/faults}; do
        ask build "$script" || return 1
    done
    check build/sanitized float
}

# What the compiler makes of the mutated file, to see whether it is another.
objects() {
    case $1 in
    variants/*) cat "build/$(echo "$1" | sed 's/\.c$/.so/')" ;;
    *.h) cat $(find build/float -name '*.o' | sort) ;;
    *) cat "build/float/$(echo "$1" | sed 's/\.c$/.o/')" ;;
    esac 2>/dev/null | cksum
}

# What has noticed most of the faults in a file so far: it goes first.
before() { # FILE
    awk -F '\t' -v file="$1" '
        $1 == file && $7 == "killed" && ++times[$8] > most {
            most = times[$8]
            best = $8
        }
        END { print best }' "$report/list.tsv"
}

# Exits with the first thing that notices, in `killer`.
verdict() { # FILE
    killer=
    if ! make -s build/tests/float build/qkv variants-only >log 2>&1; then
        verdict="does not compile"
        return
    fi
    if [ "$(cd /dev/shm/tree && objects "$1")" = "$(objects "$1")" ]; then
        verdict="the same program"
        return
    fi
    verdict=killed
    first=$(before "$1")
    case $first in
    tests/*)
        killer=$first
        cp "$1" mutated
        make -s all >log 2>&1 || return 0
        cp -p original "$1" # what the lessons show of it is not what is asked
        ask build "$killer" || return 0
        cp mutated "$1"
        ;;
    esac
    for killer in $(suites "$1"); do
        check build float "$killer" || return 0
    done
    case $1 in
    core/driver/*) suite=$killer ;;
    *)
        suite='' killer=all
        check build float || return 0
        killer=double
        make -s build/tests/double >log 2>&1 && check build double || return 0
        ;;
    esac
    make -s all >log 2>&1 || return 0
    cp "$1" mutated
    cp -p original "$1" # what the lessons show of it is not what is asked
    for killer in ${SCRIPTS:-$(scripts "$1")}; do
        [ "$killer" = "$first" ] || ask build "$killer" || return 0
    done
    cp mutated "$1" # what none of them notices, the sanitizers are asked about
    killer=sanitizers
    eval "make -s $with_sanitizers all build/sanitized/tests/float" >log 2>&1 || return 0
    cp -p original "$1"
    (
        ulimit -S -v unlimited # what they need
        check build/sanitized float $suite
    ) || return 0
    verdict=survived
    killer=
}

# worker N: takes the next mutant until there are enough.
worker() {
    mkdir /tmp/worker$1
    cp -a /dev/shm/tree /dev/shm/worker$1
    cd /dev/shm/worker$1
    export TMPDIR=/tmp/worker$1
    ulimit -S -v 16000000
    while [ "$(valid)" -lt "$count" ]; do
        mutant=$(flock /tmp/lock sh -c 'head -n 1 /tmp/todo; sed -i 1d /tmp/todo')
        [ -n "$mutant" ] || break
        file=$(printf '%s\n' "$mutant" | cut -f1)
        cp "$file" original
        printf '%s\n' "$mutant" | awk -F '\t' '
            FNR == NR { line = $2; at = $3; width = length($4); to = $5; next }
            FNR == line {
                $0 = substr($0, 1, at - 1) to substr($0, at + width)
            }
            { print }' - original >"$file"
        verdict "$file"
        printf '%s\n' "$mutant" | awk -F '\t' -v OFS='\t' -v verdict="$verdict" -v killer="$killer" '
            { print $1, $2, $3, $4, $5, $6, verdict, killer, $7 }' >>"$report/list.tsv"
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
    /tmp/drawn "$report/list.tsv" | sort -n | head -n "$count" |
    cut -f 2- >"$report/counted.tsv"
awk -F '\t' '
    FNR == NR { why[$1 FS $2 FS $3 FS $4] = $5; next }
    { total++ }
    $7 == "killed" { killed++; by[$8]++ }
    $7 == "survived" {
        own = $6
        sub(/^ */, "", own)
        key = $1 FS own FS $4 FS $5
        reason = key in why ? why[key] : "not explained in tests/survivors.tsv"
        equal += reason ~ /^equivalent:/
        printf("survived: %s:%d:%d: %s -> %s: %s\n    %s\n", $1, $2, $3, $4, \
            $5 == "" ? "nothing" : $5, own, reason)
    }
    END {
        others = total - equal
        printf("mutants: %d of %d killed; %d equivalent; of the others %.1f%%:", \
            killed, total, equal, others ? 100 * killed / others : 0)
        for (k in by)
            printf " %s %d", k, by[k]
        print ""
        exit !total || killed < .9 * others
    }' tests/survivors.tsv "$report/counted.tsv"
