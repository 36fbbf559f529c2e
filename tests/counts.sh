#!/bin/sh
# counts.sh BUILD [NEW] - what training and commands cost, in instructions: a loss of speed is
# seen by whoever makes it, on any machine, however busy. Counted are the program's own
# instructions and its plugins', by callgrind, since a libc differs from machine to machine;
# BUILD is for the instruction set and by the compiler that tests/counts.tsv names, as
# `make run-counts` builds it. Elsewhere this is skipped. With NEW the table is written there.
#
# A step's count is half the difference of two runs, of which one has two steps more. Its
# system calls and its allocations, which must be none, are counted in the same way.

build=$1
. tests/lib.sh
new=${2:+$top/$2}
table=$top/tests/counts.tsv
here="$(${CC:-cc} -dumpfullversion) $(${CC:-cc} -dumpmachine)"
companion valgrind 'counting instructions' || finish
[ "${new:-}" ] || [ "$(sed -n 's/^# compiler: //p' "$table")" = "$here" ] || {
    skip "counting instructions: tests/counts.tsv is by another compiler than $here"
    finish
}

# counted COMMAND ...: the instructions of the program and its plugins, all processes
# together; except those of a parent that looks for its child now and then.
counted() {
    rm -f callgrind.*
    valgrind -q --tool=callgrind --callgrind-out-file=callgrind.%p "$qkv" "$@" >out 2>err </dev/null ||
        complain "qkv $*: it failed under callgrind"
    for file in callgrind.*; do
        callgrind_annotate --threshold=100 --show-percs=no "$file"
    done | awk -v program="[$build/" '/:(children_wait|command_in_child) / { next } index($0, program) { gsub(",", "", $1); sum += $1 } END { printf "%d\n", sum }'
}

# The training runs of the table: tests/bench/peers.py measures the same ones.
training() { # NAME STEPS: the options of a run
    alike='-q --threads 1 --no-weights --norm pre --mask causal --positions learned --validate 1 --test 1 --log-every 1000000'
    case $1 in
    tiny) echo "$alike --steps $2 --mlp 4 --symbols 64" ;;
    tiny-b1) echo "$alike --steps $2 --mlp 4 --symbols 64 --batch 1" ;;
    toy) echo "$alike --steps $2 --mlp 4 --symbols 64 --d-model 64 --layers 2 --length 32 --batch 2" ;;
    esac
}

# judge NAME COUNT: at most 2% more than the table has. What is 5% less is to be written down.
judge() {
    if [ "${new:-}" ]; then
        printf '%s\t%s\n' "$1" "$2" >>"$new"
        return
    fi
    awk -F '\t' -v name="$1" -v count="$2" '
        $1 == name { known = $2 }
        END { exit !(known && count > 0 && count <= 1.02 * known && count >= .95 * known) }' "$table" && ok ||
        complain "$1: $2 instructions; tests/counts.tsv has $(awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$table")"
}
[ -z "${new:-}" ] || {
    sed -n '/^#/p' "$table" | sed "s/^# compiler: .*/# compiler: $here/" >"$work/head"
    cp "$work/head" "$new"
}

for name in tiny tiny-b1 toy; do
    few=$(counted train $(training $name 3) -o few)
    many=$(counted train $(training $name 5) -o many)
    judge "step $name" $(((many - few) / 2))
done
judge 'start train' "$(counted train $(training tiny-b1 1) -o one)"
judge 'start count' "$(counted count -v standard)"

# calls STEPS: the system calls of a run; but for those by which its parent watches it.
calls() {
    strace -f -o trace "$qkv" train $(training tiny-b1 "$1") -o "calls$1" >out 2>err </dev/null &&
        grep -cv 'wait4\|nanosleep\|SIGCHLD\|exited with\|sigreturn\|resumed>' trace
}
blocks() { # STEPS: how often a run allocates memory
    valgrind "$qkv" train $(training tiny-b1 "$1") -o "blocks$1" 2>&1 >out </dev/null |
        sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' | tr -d , | awk '{ sum += $1 } END { print sum }'
}
few=$(blocks 20) many=$(blocks 40)
expect "twenty steps more: $few allocations, and $many" [ "$few" -gt 0 -a "$few" -eq "$many" ]
if companion strace 'system calls of a step' && strace -o trace true 2>err; then
    few=$(calls 20) many=$(calls 40)
    expect "twenty steps more: $few system calls, and $many" [ "$few" -gt 0 -a "$few" -eq "$many" ]
else
    skip 'system calls of a step: strace may not trace here'
fi
finish
