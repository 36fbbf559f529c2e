#!/bin/sh
# starve.sh BUILD [FROM [EACH]] - a short comparison to which each allocation in turn is
# refused, one a time: it ends with one line that says so, or does without it and has the
# same result; it never crashes, and leaves nothing half done. Only here does memory run
# out where it is asked for.

build=$1
. tests/lib.sh
n=${2:-1} each=${3:-1}
${CC:-cc} -O1 -shared -fPIC "$top/tests/starve/refuse.c" -o starve.so 2>err || {
    skip "refused allocations: no glibc here"
    finish
    exit
}
starved() { # N: the comparison, to which allocation N is refused
    rm -rf out
    head -c 8 /dev/zero >count
    QKV_STARVE=$work/count QKV_REFUSE=$1 LD_PRELOAD=$work/starve.so timeout 60 \
        "$qkv" compare -v standard,full-rank -t reverse --seeds 1 --steps 2 --log-every 1 \
        --batch 2 --test 2 --validate 2 --jobs 1 --no-figures -q -o out >table 2>err
}
# whole: the runs that are there are those of the comparison that nothing was refused to.
whole() {
    for run in out/re*; do
        [ ! -d "$run" ] || diff -r -x timing.tsv "$run" "sound/${run#out/}" >differs || return
    done
}
expect "without a refusal" starved 0
cp table sound.tsv
cp -r out sound
total=$(od -An -t u8 -N 8 count | tr -d ' ') without=0
while [ "$n" -le "$total" ]; do
    starved "$n"
    status=$? wrong=
    if [ $status -eq 0 ]; then
        without=$((without + 1))
        cmp -s table sound.tsv || wrong='another table'
        diff -r -x timing.tsv out sound >differs || wrong='other runs'
    else
        # The loader has words of its own for it.
        grep -qi 'memory\|could not load this plugin (.*cannot' err || wrong='no word of memory'
        [ "$(wc -l <err)" -le 2 ] || wrong="more than the run's line and the command's"
        whole || wrong="a run that is not whole: $run"
        [ $status -le 2 ] || wrong='it crashed'
    fi
    expect "allocation $n: status $status, and $wrong" [ -z "$wrong" ]
    n=$((n + each))
done
echo "starve: $total allocations, one in $each refused; $without were done without"
finish
