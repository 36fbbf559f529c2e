#!/bin/sh
# mutants.sh BUILD [COUNT [SEED]] - plants COUNT faults of one token, drawn by SEED, in
# core/ and variants/, one at a time, and tells which of them the quick tests do not
# notice: they are printed, and BUILD/mutants.tsv has them all. Nothing else tells how
# much the tests are worth. Fails below 85 in 100 killed, as some survivors are the
# same program in other words.
#
# Each is shown to the parts of the tests that run its line (coverage.sh), cheapest
# first, up to the first that notices. A mutant may delete what it likes: all happens in
# a mount and process namespace of its own, where only what is in memory can be written.

set -eu
export OPT=-O1 CK_EXCLUDE_TAGS=long
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
tree=/dev/shm/tree

# --- of one mutant, in the tree of a worker (MUTANT: a line of mutants.awk)
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
ask() { # PART COST
    (
        ulimit -t $((10 + 4 * ${2%.*}))
        CK_DEFAULT_TIMEOUT=600 timeout 1800 sh tests/ask.sh build "$1"
    ) >log 2>&1
}
# judge FILE LINE: ends with the first thing that notices, in `killer`.
judge() {
    killer='' verdict="does not compile"
    make -s build/tests/float build/float/core/driver/main.o variants-only >log 2>&1 || return 0
    verdict="the same program"
    [ "$(cd $tree && objects "$1")" != "$(objects "$1")" ] || return 0
    verdict=killed killer=make
    make -s all build/tests/float build/tests/double >log 2>&1 || return 0
    # A line that gcov does not know, which has no code of its own, has those parts
    # that run its file.
    awk -F '\t' -v file="$1" -v line="$2" '
        FNR == NR { if ($1 != "fails") cost[$2] = $1; next }
        $1 != file { next }
        $2 == line { known = 1; here = $3 }
        { all = all " " $3 }
        END {
            n = split(known ? here : all, parts, " ")
            for (i = 1; i <= n; i++)
                if (parts[i] in cost && !(parts[i] in told)) {
                    print cost[parts[i]], parts[i]
                    told[parts[i]]
                }
        }' /dev/shm/parts.tsv /dev/shm/lines.tsv >asked
    while read -r cost killer; do
        case $killer in # what the lessons show of the file is not what is asked
        shown/*) mv "$1" mutated && cp -p $tree/"$1" "$1" ;;
        esac
        ask "$killer" "$cost" </dev/null || return 0
        [ ! -e mutated ] || mv mutated "$1"
    done <asked
    verdict=survived killer=
    [ -s asked ] || killer="not run"
}
if [ "${MUTANT:-}" ]; then
    [ "$(grep -cE '	(killed|survived)	' /tmp/list)" -lt "$1" ] || exit 0
    cd /dev/shm/worker"$WORKER"
    export TMPDIR=/tmp/worker$WORKER
    mkdir -p "$TMPDIR"
    ulimit -S -v 16000000
    file=$(printf '%s\n' "$MUTANT" | cut -f 1)
    line=$(printf '%s\n' "$MUTANT" | cut -f 2)
    printf '%s\n' "$MUTANT" | awk -F '\t' '
        FNR == NR { line = $2; at = $3; width = length($4); to = $5; next }
        FNR == line { $0 = substr($0, 1, at - 1) to substr($0, at + width) }
        { print }' - $tree/"$file" >"$file"
    judge "$file" "$line"
    printf '%s\t%s\t%s\n' "$MUTANT" "$verdict" "$killer" >>/tmp/list
    cp $tree/"$file" "$file"
    rm -rf mutated "${TMPDIR:?}"
    exit
fi

# --- outside
count=${2:-300}
if [ -z "${QKV_INSIDE:-}" ]; then
    if ! unshare -rmpf --mount-proc true 2>/dev/null; then
        echo "mutants: skipped: no namespaces here (unshare of util-linux)"
        exit 0
    fi
    lines=$1/coverage/lines.tsv
    [ -e "$lines" ] && [ -z "$(find core variants -newer "$lines")" ] ||
        sh tests/coverage.sh "$1" || true
    : >"$1/mutants.tsv"
    QKV_INSIDE=1 exec unshare -rmpf --kill-child --mount-proc sh "$0" "$1" "$count" "${3:-1}"
fi

# --- inside: the tree goes into memory, a copy for each worker; only the report can be
# written besides.
mount --make-rprivate /
mount -t tmpfs tmpfs /dev/shm
mkdir $tree
cp -r core variants plots lessons tests Makefile README.md LICENSE .clang-format $tree/
cp "$1/coverage/lines.tsv" "$1/coverage/parts.tsv" /dev/shm/
: >/dev/shm/report
mount --bind "$1/mutants.tsv" /dev/shm/report
mount -t tmpfs tmpfs /tmp
mount -o remount,bind,ro /
export CCACHE_DISABLE=1 # it cannot write
script=$tree/tests/mutants.sh
cd $tree
make -s -j"$jobs" all build/tests/float build/tests/double >/tmp/log 2>&1
for worker in $(seq "$jobs"); do
    cp -a $tree /dev/shm/worker"$worker"
done

# Three are drawn for each that is asked for: some do not compile, or change nothing.
awk -f tests/mutants.awk core/*/*.[ch] core/driver/*/*.[ch] variants/*.c >/tmp/all
awk -v seed="$3" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' /tmp/all | sort -n |
    head -n $((3 * count)) | cut -f 2- >/tmp/drawn
echo "mutants: $(wc -l </tmp/all) places, $count drawn"
: >/tmp/list
tr '\n' '\0' </tmp/drawn | xargs -0 -n 1 -P "$jobs" --process-slot-var=SLOT sh -c '
    MUTANT=$2 WORKER=$((SLOT + 1)) exec sh "$0" "$1"' "$script" "$count"
# The first COUNT in the order drawn, so that two reports of one seed are one.
awk -F '\t' -v count="$count" '
    { place = $1 FS $2 FS $3 FS $4 FS $5 }
    FNR == NR { found[place] = $0; next }
    !(place in found) || killed + survived == count { next }
    { $0 = found[place]; print >"/dev/shm/report" }
    $7 == "killed" { killed++; sub(/[:\/].*/, "", $8); by[$8]++ }
    $7 == "survived" {
        survived++
        sub(/^ */, "", $6)
        printf("survived: %s:%d:%d: %s -> %s%s\n    %s\n", $1, $2, $3, $4, \
            $5 == "" ? "nothing" : $5, $8 == "" ? "" : " (" $8 ")", $6)
    }
    END {
        all = killed + survived
        printf("mutants: %d of %d killed, %.1f%%:", killed, all, all ? 100 * killed / all : 0)
        for (k in by)
            printf " %s %d", k, by[k]
        print ""
        exit !all || killed < .85 * all
    }' /tmp/list /tmp/drawn
