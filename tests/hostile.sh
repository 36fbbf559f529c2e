#!/bin/sh
# hostile.sh BUILD - whatever a plugin does wherever it is called, each command about
# it ends in time, with a line that names it and says what happened, and with nothing
# that looks like an answer: only here do you see a plugin take a command with it.
build=$1
export TMPDIR="$(cd "$build" && pwd)" # not in /tmp, which goes below
. tests/lib.sh
unset TMPDIR
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:allocator_may_return_null=1
sanitized() { nm "$qkv" 2>/dev/null | grep -q __asan_init; }
namespaces() { unshare -rm true 2>/dev/null; }
short="--steps 3 --test 8 --validate 8 --batch 4 -q"
small="$short --seeds 1"
export QKV_CALL_SECONDS=2
mkdir said
printf '\033' >escape

# victim NAME [PLACE STATEMENTS]: NAME/victim.so, and where QKV_PATH finds it.
victim() {
    inside= # what looks into a node is compiled as a plugin with an operator
    case ${3:-} in *'x->'*) inside='-include qkv/operator.h' ;; esac
    mkdir -p "$1"
    ${CC:-cc} -O1 -w -shared -fPIC -I"$top/core" $inside -D"${2:-NONE}=${3:-}" \
        "$top/tests/hostile/hostile.c" -o "$1/victim.so" || complain "$1 does not compile"
    export QKV_PATH=$work/$1
}

# A run of each, made while nothing happened.
victim harmless
"$qkv" compare -v standard,victim -t reverse $small --no-figures -o runs >table 2>err
expect "no runs" test "$(grep -c '^reverse' table)" -eq 2
its=$(echo runs/reverse.victim.*) other=$(echo runs/reverse.standard.*)

# asks WHAT STATUS WORDS LINES COMMAND: side by side; told says how they went.
asks() {
    what=$1 status=$2 words=$3 lines=$4
    shift 4
    {
        name=said/$deed-$what
        timeout 25 "$@" >"$name.out" 2>"$name.err" </dev/null
        got=$?
        grep -v '^x*$\|with another build' "$name.err" >"$name.lines"
        if [ $got -ne "$status" ]; then
            echo "status $got"
        elif [ "$lines" -gt 0 ] && ! grep -q "victim.*$words" "$name.lines"; then
            echo "does not say \"$words\""
        elif [ "$(wc -l <"$name.lines")" -ne "$lines" ]; then
            echo "more than $lines lines, or less"
        elif [ "$lines" -gt 0 ] && grep -q '^\([a-z]*	\)\{0,1\}victim	' "$name.out"; then
            echo "looks like an answer"
        elif grep -qf escape "$name.out" "$name.lines"; then
            echo "prints a control character"
        elif [ "$what" = compare ] && [ "$lines" -ne 1 ] && ! grep -q '^reverse	standard	' "$name.out"; then
            echo "standard did not finish beside it"
        elif [ "$what $status" = "compare 1" ] && ls -A "$deed/compare" 2>/dev/null |
            grep -qv '^experiment.tsv$\|^reverse.standard'; then
            echo "leaves something of its run"
        elif [ "$what" = check ] && ! grep -q "$words" "$name.out"; then
            echo "does not report \"$words\""
        else
            echo ok
        fi >"$name"
    } &
}
told() {
    wait
    for file in said/*.err; do
        name=${file%.err}
        cut -c 1-300 "$name.lines" | head -n 5 >err
        expect "${name#said/}: $(cat "$name")" grep -qx ok "$name"
    done
    rm -f said/* err
}
comparing() { # STATUS WORDS LINES OPTIONS
    status=$1 words=$2 lines=$3
    shift 3
    asks compare "$status" "$words" "$lines" "$qkv" compare -v standard,victim -t reverse \
        $small --no-figures -o "$deed/compare" "$@"
}

# tries NAME PLACE STATEMENTS WORDS: each command that calls it there fails of it.
tries() {
    deed=$1 place=$2 words=$4 lists=0
    victim "$1" "$2" "$3"
    case $place in LOAD | WEIGHTS) lists=1 ;; esac
    asks list $lists "$words" $lists "$qkv" list --variants
    asks same-start 1 "$words" 1 "$qkv" compare -v standard,victim -t reverse \
        --same-start standard $small -o "$deed/same"
    asks equiv-to 1 "$words" 1 "$qkv" equiv "$other" --to victim -q -o "$deed/to"
    asks check 1 '' 0 "$qkv" check victim -q
    [ "$place" != FIT ] || return 0
    asks count 1 "$words" 1 "$qkv" count -v victim
    asks count-beside 1 "$words" 1 "$qkv" count -v standard,victim
    asks inspect 1 "$words" 1 "$qkv" inspect "$its"
    asks export 1 "$words" 1 "$qkv" export "$its" --batch "$deed/batch" -q
    asks equiv 1 "$words" 1 "$qkv" equiv "$its" --to standard -q -o "$deed/from"
    asks trace 1 "$words" 1 "$qkv" trace 'the cat' -v victim
    asks bench 1 "$words" 1 "$qkv" bench layer -v victim -q
    asks match 1 "$words" 1 "$qkv" compare -v standard,victim -t reverse \
        --match params $small -o "$deed/match"
    lines=2 # the run's, and how many there are
    [ "$place" != LOAD ] || lines=1
    asks train 1 "$words" $lines "$qkv" train -v victim -t reverse $short --seed 1 \
        -o "$deed/train"
    comparing 1 "$words" $lines
}
late='took more than 2 seconds'
crashed='crashed in forward:'
hang='for (;;) sleep(1)' leak='for (;;) memset(malloc(1 << 20), 1, 1 << 20)'

# --- when it is loaded
tries load-hangs LOAD "$hang" "$late being loaded"
tries load-leaves LOAD '_exit(0)' 'ended its process being loaded (status 0)'
tries load-crashes LOAD '*(volatile int *)8 = 1' 'crashed being loaded: Segmentation fault'
told
tries load-hides LOAD 'hides()' "$late being loaded"
told

# --- when it declares its weights, and when it is fitted
tries weights-hang WEIGHTS "$hang" "$late in weights"
tries weights-leave WEIGHTS '_exit(0)' 'ended its process in weights (status 0)'
tries weights-paint WEIGHTS 'weight(w, 0, "\033[2J", 8, 8)' 'is no matrix with a name'
tries fit-hangs FIT "$hang" "$late in fit"
tries fit-leaves FIT '_exit(0)' 'ended its process in fit (status 0)'
tries fit-crashes FIT '*(volatile int *)8 = 1' 'crashed in fit: Segmentation fault'
told

# --- when it is called
tries hangs FORWARD "$hang" "$late in forward"
tries leaves FORWARD '_exit(0)' 'ended its process in forward (status 0)'
tries exits FORWARD 'exit(5)' 'ended its process in forward (status 5)'
told
tries hides FORWARD 'hides()' "$late in forward"
tries crashes FORWARD '*(volatile int *)8 = 1' "$crashed Segmentation fault"
tries stops FORWARD 'raise(SIGSTOP)' "$late in forward"
told
tries aborts FORWARD 'abort()' "$crashed Aborted"
tries divides FORWARD 'raise(SIGFPE)' "$crashed Floating point exception"
tries kills FORWARD 'raise(SIGKILL)' 'was ended in forward: Killed'
told
tries misfits FORWARD 'return add(x, w[W_O])' 'add: ([0-9]* x [0-9]*) and .*do not fit'
tries nothing FORWARD 'return NULL' 'forward returned'
told

# --- when it is called in a run, after it was described
# costs NAME STATEMENTS WORDS OPTIONS: it costs its own run.
costs() {
    deed=run-$1 words=$3
    victim "$deed" FORWARD "if (x->value) { $2; }"
    shift 3
    comparing 1 "$words" 2 "$@"
}
costs crashes '*(volatile int *)8 = 1' "$crashed Segmentation fault"
costs aborts 'abort()' "$crashed Aborted"
costs exits 'exit(0)' 'ended its process in forward (status 0)'
costs recurses 'recurses()' "$crashed Segmentation fault"
costs narrow 'return columns(x, 0, 1)' 'forward returned'
costs nothing 'return NULL' 'forward returned'
costs misfits 'return add(x, w[W_O])' 'add: ([0-9]* x 32) and .*W^O (32 x 32) do not fit'
costs loops 'for (volatile int i = 0;; i++)' "$late in forward"
told
export QKV_CALL_SECONDS=20
costs late "$hang" "$late in forward; --timeout gives more" --timeout 2
sanitized || costs leaks "$leak" 'it had taken [0-9.]* MB (--memory gives 200 MB)' --memory 200
deed=elsewhere # a node of the tape that only measured, and is gone
victim elsewhere FORWARD 'static Node *kept; if (!x->value) kept = x; return add(x, kept)'
comparing 1 'of an earlier call\|crashed' 2
told
QKV_CALL_SECONDS=2

# --- what is none of its faults
deed=shouts # what it prints is not taken for anything
victim shouts FORWARD 'shouts()'
asks count 0 '' 0 "$qkv" count -v victim
comparing 0 '' 0
deed=forks # a process that it leaves behind holds nobody up
victim forks FORWARD 'static int n; if (x->value && !n++ && !fork()) { setsid(); sleep(40); _exit(0); }'
comparing 0 '' 0
told
victim nan FORWARD 'return scale(x, NAN)'
"$qkv" compare -v standard,victim -t reverse $small --seeds 2 --no-figures -o diverged >out 2>err
expect "NaN is no result" test $? -eq 0
expect "no note of NaN" grep -q '2 runs diverged' err
expect "NaN is not marked" grep -q 'victim.*runs diverged' out

# --- memory: as much as there is, which is what a container has; a check has 1 GB
cat >contained <<'END'
#!/bin/sh
unshare -rm sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup && cd /sys/fs/cgroup &&
    echo 200000000 >memory.max && echo 0 >memory.current && cd "$OLDPWD" && exec "$@"' sh "$@"
END
if ! namespaces || sanitized; then
    echo "hostile: no namespaces here, or a sanitizer's memory: leaks are skipped"
else
    export QKV_CALL_SECONDS=20
    deed=leaks
    victim leaks FORWARD "$leak"
    asks count 1 'it had taken [0-9.]* MB (this machine has 200 MB)' 1 \
        sh contained "$qkv" count -v victim
    comparing 1 'it had taken [0-9.]* MB (--memory gives 100 MB)' 2 --memory 100
    asks check 1 'it had taken' 0 sh contained "$qkv" check victim -q
    told
    QKV_CALL_SECONDS=2
fi

# --- a plugin that anybody may write to is found by a typed path only
mkdir -p mine/double
cp harmless/victim.so mine
cp "$build/variants/standard.so" mine/double/broad.so
export QKV_PATH="$work/mine"
works victim "$qkv" count -v victim
chmod o+w mine/victim.so
refuses 1 'mine/victim.so: anybody may write' "$qkv" count -v victim
refuses 1 'victim is left out: ' "$qkv" list --variants
works victim "$qkv" count -v ./mine/victim.so
chmod o-w mine/victim.so
works broad "$qkv-double" count -v broad
chmod o+w mine/double/broad.so
refuses 1 'mine/double/broad.so: anybody may write' "$qkv-double" count -v broad
chmod o-w mine/double/broad.so && chmod o+w mine/double
refuses 1 'mine/double: anybody may write' "$qkv-double" count -v broad
refuses 1 'mine/double: anybody may write' "$qkv-double" list --variants
chmod o-w mine/double && chmod o+w mine
refuses 1 'mine: anybody may write' "$qkv" count -v victim
refuses 1 'mine: anybody may write' "$qkv" list --variants

# --- others at the same time
export QKV_PATH=$work/harmless
redo() { "$qkv" compare -v standard,victim -t reverse $small --seeds 2 --no-figures -o beside "$@"; }
redo >before 2>err
for n in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf beside/reverse.victim.* # both make it, and one takes the place
    redo --redo >out1 2>err1 &
    redo >out2 2>err2
    status=$?
    wait $!
    status=$?$status
    cat err1 err2 >err
    expect "compare beside compare --redo: status $status" test $status = 00
    expect "compare beside compare --redo blames the plugin" test -z "$(grep victim err)"
done
cp "$top/README.md" changing.md # a text that changes
"$qkv" compare --file changing.md -v standard --seeds 2 -j 1 --steps 1500 -q \
    --no-figures -o changed >out 2>err &
sleep 1
echo more >>changing.md
wait $!
expect "a text that changes: status $?" grep -q 'text has changed since' err

# --- Ctrl-Z, a pause, and on again
setsid "$qkv" train -v standard -t reverse --steps 2000 --timeout 5 --test 8 --validate 8 \
    --batch 4 -q -o paused >out 2>err &
sleep 0.3
kill -STOP -$!
sleep 6
kill -CONT -$! 2>/dev/null
wait $!
expect "stopped for a while, with a limit of time" test $? -eq 0

# --- nothing can be written in /tmp
if namespaces && [ -d /mnt ]; then
    bare() {
        unshare -rm sh -c 'mount --rbind "$1" /mnt && mount -t tmpfs -o ro tmpfs /tmp &&
            cd "/mnt/$2" && shift 2 && QKV_PATH=$PWD/harmless exec ../qkv "$@"' \
            sh "$build" "${work##*/}" "$@" >out 2>err
    }
    for command in 'list' 'count -v victim' "train -v victim $short -o bare" \
        "inspect $its" "equiv $its --to standard -q -o turned" 'check victim -q' \
        "compare -v standard,victim -t reverse $small --match params --no-figures -o bare"; do
        expect "/tmp cannot be written: $command" bare $command
    done
else
    echo "hostile: no namespaces here: /tmp that cannot be written is skipped"
fi

finish
