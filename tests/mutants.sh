#!/bin/sh
# mutants.sh BUILD [COUNT [SEED]] - plants COUNT faults of one token, drawn by
# SEED, in core/ and variants/, one at a time, and tells which of them the tests
# do not notice. BUILD/mutants/counted.tsv has them all; tests/survivors.tsv says
# of each known survivor why it lives. Fails below 90 in 100 killed. With
# AGAIN=LIST it plants those again that survived in such a list. SCRIPTS are the
# scripts that are asked, each without its .sh or .md.
#
# A mutant may delete what it likes: all happens in a mount and process
# namespace of its own, where nothing but a /tmp in memory can be written.

set -eu
count=${2:-300}
seed=${3:-1}
scripts=${SCRIPTS:-tests/shown/tables tests/shown/inspect tests/shown/compare
    tests/command tests/check} # after the Check tests: the quick ones

if [ -z "${QKV_INSIDE:-}" ]; then
    if ! unshare -rmpf --mount-proc true 2>/dev/null; then
        echo "mutants: skipped: no namespaces here (unshare of util-linux)"
        exit 0
    fi
    mkdir -p "$1/mutants"
    [ -z "${AGAIN:-}" ] || grep '	survived	' "$AGAIN" >"$1/mutants/again.tsv"
    : >"$1/mutants/list.tsv"
    echo 0 >"$1/mutants/next"
    QKV_INSIDE=1 unshare -rmpf --mount-proc sh "$0" "$1" "$count" "$seed"
    exit
fi

# Inside: the tree goes to /tmp, one copy for each worker, and only the report
# can be written besides.
report=$(cd "$1/mutants" && pwd)
tree=$(pwd)
mount --make-rprivate /
mount -t tmpfs tmpfs /dev/shm
mkdir /dev/shm/tree /dev/shm/report
cp -r core variants plots lessons tests Makefile README.md LICENSE .clang-format \
    /dev/shm/tree/
mount --bind "$report" /dev/shm/report
report=/dev/shm/report
mount -t tmpfs tmpfs /tmp
mount -o remount,bind,ro /
cd /dev/shm/tree
make -s OPT=-O2 all build/tests/float >/tmp/log 2>&1

awk -f tests/mutants.awk core/*.[ch] core/driver/*.[ch] variants/*.c >/tmp/all
# Three for each that is asked for: some do not compile, or change nothing.
awk -v most=$((3 * count)) -v x="$seed" '
    { line[NR] = $0 }
    END {
        while (drawn < most && drawn < NR) {
            x = x * 16807 % 2147483647 # Park and Miller (1988)
            i = x % NR + 1
            if (!(i in taken)) {
                taken[i] = 1
                print ++drawn "\t" line[i]
            }
        }
    }' /tmp/all >/tmp/drawn
echo "mutants: $(wc -l </tmp/all) places, $count drawn"

# Those of a list again, wherever their lines stand now.
if [ -n "${AGAIN:-}" ]; then
    awk -F '\t' -v OFS='\t' '{
        own = $9
        sub(/^ */, "", own)
        for (line = 1; (getline text <$2) > 0; line++) {
            short = text
            sub(/^ */, "", short)
            if (short == own)
                break
        }
        close($2)
        if (short == own)
            print $1, $2, line, $4 - length($9) + length(text), $5, $6
        else
            print "mutants: " $2 ": gone: " own >"/dev/stderr"
    }' "$report/again.tsv" >/tmp/drawn
    count=$(wc -l </tmp/drawn)
fi

# What fails without a fault would kill all of them.
sound() {
    QKV_PATH=build/variants build/tests/float >log 2>&1 || return 1
    for script in $scripts; do
        ask "$script" || return 1
    done
}

# The suites most likely to notice, which go first.
suites() {
    case $1 in
    *matrix* | *svd* | *threads* | *vector*) echo matrix algebra ;;
    *random* | *elementary* | *rows*) echo numbers attend ;;
    *tape* | *operator* | *layers* | *steps*) echo tape formula ;;
    *attend*) echo attend ;;
    *canonical* | *adopt* | *difference* | *cost* | *plugin* | *call*)
        echo variant algebra ;;
    *convert* | *fold* | *model* | *linear* | *watched*) echo model formula ;;
    *task* | *source* | *text* | *pairs*) echo task ;;
    *train* | *optimizer* | *observe*) echo train ;;
    *driver*) echo report ;;
    variants/*) echo variant formula ;;
    *) echo run ;;
    esac
}

# What the compiler makes of the mutated file, to see whether it is another.
objects() {
    case $1 in
    variants/*) cat "build/$(echo "$1" | sed 's/\.c$/.so/')" ;;
    *.h) cat $(find build/float -name '*.o' | sort) ;;
    *) cat "build/float/$(echo "$1" | sed 's/\.c$/.o/')" ;;
    esac 2>/dev/null | cksum
}

ask() { # SCRIPT
    case $1 in
    tests/shown/*) set -- lessons/check.sh build "$1.md" ;;
    *) set -- "$1.sh" build ;;
    esac
    STOP=1 timeout 240 sh "$@" >log 2>&1
}

# Exits with the first thing that notices, in `killer`.
verdict() { # FILE
    killer=
    if ! make -s OPT=-O2 build/tests/float build/qkv variants-only >log 2>&1; then
        verdict="does not compile"
        return
    fi
    if [ "$(cd /dev/shm/tree && objects "$1")" = "$(objects "$1")" ]; then
        verdict="the same program"
        return
    fi
    verdict=killed
    rest=all
    [ "$1" = "${1#core/driver/}" ] || rest=
    for suite in $(suites "$1") $rest; do
        killer=$suite
        [ $suite = all ] || export CK_RUN_SUITE=$suite
        status=0
        CK_DEFAULT_TIMEOUT=20 QKV_PATH=build/variants timeout 120 \
            build/tests/float >log 2>&1 || status=$?
        unset CK_RUN_SUITE
        [ $status -eq 0 ] || return 0
    done
    make -s OPT=-O2 all >log 2>&1 || return 0
    cp original "$1" # what the lessons show of it is not what is asked
    for script in $scripts; do
        killer=$script
        ask "$script" || return 0
    done
    verdict=survived
    killer=
}

valid() { grep -cE '	(killed|survived)	' "$report/list.tsv" || true; }

# worker N: takes the next mutant until there are enough.
worker() {
    mkdir /tmp/worker$1
    cp -a /dev/shm/tree /dev/shm/worker$1
    cd /dev/shm/worker$1
    export TMPDIR=/tmp/worker$1
    ulimit -v 16000000
    while [ "$(valid)" -lt "$count" ]; do
        number=$(flock "$report/next" sh -c \
            'read n <"$0"; echo $((n + 1)) >"$0"; echo $((n + 1))' "$report/next")
        mutant=$(sed -n "${number}p" /tmp/drawn) # by its place in the list
        [ -n "$mutant" ] || break
        file=$(echo "$mutant" | cut -f2)
        cp "$file" original
        echo "$mutant" | awk -F '\t' '
            FNR == NR { line = $3; at = $4; width = length($5); to = $6; next }
            FNR == line {
                $0 = substr($0, 1, at - 1) to substr($0, at + width)
            }
            { print }' - original >"$file"
        text=$(sed -n "$(echo "$mutant" | cut -f3)p" original)
        verdict "$file"
        printf '%s\t%s\t%s\t%s\n' "$mutant" "$verdict" "$killer" "$text" \
            >>"$report/list.tsv"
        cp original "$file"
        rm -rf "${TMPDIR:?}"/*
    done
}

sound || {
    echo "mutants: without a fault the tests fail here: $(tail -n 5 log)" >&2
    exit 1
}
rm -f log
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
for n in $(seq "$jobs"); do
    worker "$n" &
done
wait

# The first COUNT, by number, so that two reports of one seed are one.
sort -n "$report/list.tsv" | grep -E '	(killed|survived)	' |
    head -n "$count" >"$report/counted.tsv"
awk -F '\t' '
    FNR == NR { why[$1 FS $2 FS $3 FS $4] = $5; next }
    { total++ }
    $7 == "killed" { killed++; by[$8]++ }
    $7 == "survived" {
        sub(/^ */, "", $9)
        key = $2 FS $9 FS $5 FS $6
        printf "survived: %s:%d:%d: %s -> %s: %s\n    %s\n", $2, $3, $4, $5, \
            $6 == "" ? "nothing" : $6, $9, \
            key in why ? why[key] : "not explained in tests/survivors.tsv"
    }
    END {
        printf "mutants: %d of %d killed, %.1f%%:", killed, total, \
            total ? 100 * killed / total : 0
        for (k in by)
            printf " %s %d", k, by[k]
        print ""
        exit !total || killed < .9 * total
    }' tests/survivors.tsv "$report/counted.tsv"
