#!/bin/sh
# starve.sh BUILD [FROM [EACH]] - a short comparison to which each allocation in
# turn is refused, one a time: it ends with one line that says so, or does
# without it and has the same result; it never crashes, and leaves nothing half
# done.
# Only here does memory run out where it is asked for.

set -u
build=$(cd "$1" && pwd)
from=${2:-1}
each=${3:-1}
top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
${CC:-cc} -O1 -shared -fPIC "$top/tests/starve/refuse.c" -o starve.so 2>log || {
    echo "starve: skipped: no glibc here"
    exit 0
}
failed=0 refused=0 without=0
complain() {
    failed=$((failed + 1))
    echo "starve: allocation $n: $*" >&2
    sed 's/^/    /' err >&2
}
# eight N: N as eight bytes, the lowest first.
eight() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < 8; i++) {
        printf "\\%03o", n % 256; n = int(n / 256) } }'
}
starved() { # N: the comparison, to which allocation N is refused
    rm -rf out
    printf "$(eight 0)$(eight "$1")" >count
    QKV_STARVE=$work/count LD_PRELOAD=$work/starve.so timeout 60 \
        "$build/qkv" compare -v standard,full-rank -t reverse --seeds 1 --steps 2 \
        --log-every 1 --batch 2 --test 2 --validate 2 --jobs 1 --no-figures -q \
        -o out >table 2>err
}
starved 0 || { n=0 complain "without a refusal"; exit 1; }
cp table whole
cp -r out sound
total=$(od -An -t u8 -N 8 count | tr -d ' ')
n=$from
while [ "$n" -le "$total" ]; do
    starved "$n"
    status=$?
    if [ $status -eq 0 ]; then
        without=$((without + 1))
        cmp -s table whole || complain "no message, and another table"
        diff -r -x timing.tsv out sound >differs || complain "no message, and other runs"
    elif [ $status -gt 2 ]; then
        complain "status $status"
    else
        refused=$((refused + 1))
        # The loader has words of its own for it.
        grep -qi 'memory\|can be loaded: cannot' err || complain "does not say that it is the memory"
        [ "$(wc -l <err)" -le 2 ] || complain "more than the run's line and the command's"
        for run in out/re*; do
            [ ! -d "$run" ] || diff -r -x timing.tsv "$run" "sound/${run#out/}" >differs ||
                complain "a run that is not whole: $run"
        done
    fi
    n=$((n + each))
done
echo "starve: $total allocations, one in $each refused from $from on: $refused ended with a line, $without did without; $failed faults"
[ $failed -eq 0 ]
