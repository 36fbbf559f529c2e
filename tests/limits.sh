#!/bin/sh
# limits.sh BUILD - what the machine gives, asked for before the start and kept to:
# memory, files, a cluster's tasks, the width of a terminal. Only here would you see a
# run that takes more than it may, or a table wider than the screen.
build=$1
. tests/lib.sh
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:allocator_may_return_null=1
sanitized() { nm "$qkv" 2>/dev/null | grep -q __asan_init; }

# fails WORDS COMMAND: so, and a second line counts the runs that failed.
fails() {
    words=$1
    shift
    "$@" >out 2>err
    expect "$*: status $?" test $? -eq 1
    expect "$*: no $words" grep -q -- "$words" err
}

# --- memory
# It is asked for before the start, with the sum.
fails 'it needs .* TB: weights, gradients and moments .* TB, a batch .*, the matrices of a step .*; this machine has .* GB' \
    "$qkv" train --d-model 40000 --layers 100 --batch 1 -q -o large
fails 'its file and log 40 GB; --memory' \
    "$qkv" train --steps 1000000000 --log-every 1 --memory 900 -q -o log
if ! sanitized; then
    fails '; --memory gives 50 MB' "$qkv" train --d-model 1024 --memory 50 -q -o large
    works '' "$qkv" train --steps 5 --memory 50 -q -o small
    # A text is held once, a byte for each character.
    yes 'Each row of weights is positive and sums to 1.' | head -c 40000000 >long.txt
    works '' "$qkv" train --file long.txt --steps 1 --validate 1 --test 1 -q -o long
    expect "a text of 40 MB: $(grep peak long/*/timing.tsv)" \
        awk '$1 == "peak_bytes" { exit $2 > 60e6 }' long/*/timing.tsv
    fails '40000001 .*--memory gives 30 MB' "$qkv" train --file long.txt --memory 30 -q -o long2
    works '' sh -c "ulimit -v 400000 && exec '$qkv' compare -v standard -t reverse \
        --seeds 100000 --plan -q -o plan"
    expect "100,000 runs are not planned" test "$(wc -l <out)" -eq 100000
    expect "ulimit -f 0 is no message" sh -c "(ulimit -f 0 && exec '$qkv' train --steps 1 -q -o limited) 2>&1 |
        grep -q 'File too large'"
fi
# A container has what its limit is, not what the machine has.
if unshare -rm true 2>/dev/null && [ -d /sys/fs/cgroup ]; then
    fails '; this machine has 40 MB' unshare -rm sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup &&
        cd /sys/fs/cgroup && echo 40000000 >memory.max && cd "$OLDPWD" &&
        exec "$1" train --d-model 1024 -q -o large' sh "$qkv"
fi

# --- a system that does not say where the program is
if unshare -rm true 2>/dev/null; then
    for word in "$qkv" "../$(basename "$build")/qkv" qkv; do
        works full-rank unshare -rm sh -c 'mount -t tmpfs tmpfs /proc && cd "$1" && PATH=$1:$PATH
            exec $2 list --variants' sh "$build" "$word"
    done
fi

# --- a terminal, and what is none
"$qkv" compare -v standard,two-step -t reverse,sort,recall --steps 2 --test 4 --validate 4 \
    --seeds 2 --no-figures -o noted >mixed 2>&1
expect "no note in one file with a table" grep -q '^qkv: a single' mixed
expect "a note in the middle of a row" test -z "$(grep '.qkv: ' mixed)"
if ! script -qec true /dev/null >/dev/null 2>&1; then
    echo "limits: skipped, on a terminal: it needs script and a pseudo-terminal"
else
    draws() { # ENVIRONMENT: a comparison on a terminal of 80 columns
        script -qec "stty cols 80 rows 24; env $1 $qkv compare -v standard,fused \
            -t reverse --seeds 2 --steps 3000 --test 16 --no-figures -o $1" \
            /dev/null >drawn 2>&1
    }
    draws TERM=xterm
    for words in '#\.*\].* left' 'of 4 runs' '/3000  loss'; do
        expect "no progress on a terminal: $words" grep -q "$words" drawn
    done
    expect "the last lines still have a bar" test -z "$(tail -n 3 drawn | grep '\[[#.]*\]')"
    table() { # WORDS COMMAND: a table for 80 columns
        words=$1
        shift
        script -qec "stty cols 80 rows 24; $*" /dev/null 2>&1 | tr -d '\r' >drawn
        expect "on a terminal: $*: no $words" grep -qF -- "$words" drawn
        expect "on a terminal: $*: tabs, or too wide" awk '/\t/ || length > 80 { exit 1 }' drawn
    }
    table 'softmax(x W_i y' "$qkv list"
    table '= the same function' "$qkv equiv -v standard,two-step --steps 5 -q -o tabled"
    table ' 2 mqa              =  =  ' "$qkv equiv -v standard,mqa --steps 5 -q -o tabled"
    table 'cache' "$qkv count -v standard,mla"
    table 'identical at 2 seeds' "$qkv compare -v standard,fused -t reverse --seeds 2 --steps 30 -q --no-figures -o tabled2"
    table 'rank' "$qkv inspect TERM=xterm/reverse.fused*seed1*"
    for length in 69 70; do # keys of which a map shows 69
        "$qkv" train -t reverse --length $length --steps 0 --test 8 --validate 8 -q -o mapped >out 2>&1
        table 'block0.attention, head 4' "$qkv inspect mapped/reverse*length$length.* --attention -q"
        expect "a map of $length keys" test $(($(grep -c ' \.\.$' drawn) > 0)) -eq $((length - 69))
    done
    draws TERM=dumb
    expect "TERM=dumb: escapes" test -z "$(grep "$(printf '\033')" drawn)"
    expect "TERM=dumb: no lines" grep -q '^4/4 reverse' drawn
fi

finish
