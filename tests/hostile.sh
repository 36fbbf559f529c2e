#!/bin/sh
# hostile.sh BUILD - whatever a plugin does wherever it is called, each command about
# it ends in time, with a line that names it and says what happened, and with nothing
# that looks like an answer: only here do you see a plugin take a command with it, and
# a run more than the machine, or its user, gives.
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
    ${CC:-cc} -O1 -w -D_GNU_SOURCE -shared -fPIC -I"$top/core" $inside -D"${2:-NONE}=${3:-}" \
        "$top/tests/hostile/hostile.c" -o "$1/victim.so" || complain "$1 does not compile"
    export QKV_PATH=$work/$1
}

# A run of each, made while nothing happened.
victim harmless
"$qkv" compare -v standard,victim -t reverse $small --no-figures -o runs >table 2>err
expect "no runs" test "$(grep -c '^reverse' table)" -eq 2
as='' its=$(echo runs/reverse.victim.*) other=$(echo runs/reverse.standard.*)
"$qkv" train -v victim -t induction $short --seed 1 -o texts >out 2>err
next=$(echo texts/induction.victim.*) # a run that `generate` goes on from

# asks WHAT STATUS WORDS LINES COMMAND: side by side; told says how they went.
asks() {
    what=$1 status=$2 words=$3 lines=$4 name=said/$deed-$1
    shift 4
    {
        timeout 120 "$@" >"$name.out" 2>"$name.err" </dev/null
        got=$?
        judged >"$name"
    } &
}
judged() {
    sed '/^ *x$/d; /with another build/d' "$name.err" >"$name.lines"
    [ $got -eq "$status" ] || echo "status $got"
    [ "$(wc -l <"$name.lines")" -eq "$lines" ] || echo "more than $lines lines, or less"
    ! grep -qf escape "$name.out" "$name.lines" || echo "prints a control character"
    if [ "$lines" -gt 0 ]; then
        grep -q "victim.*$words" "$name.lines" || echo "does not say \"$words\""
        ! grep -q '^\([a-z]*	\)\{0,1\}victim	' "$name.out" || echo "looks like an answer"
    fi
    [ "$what$lines" != check0 ] || grep -q "$words" "$name.out" || echo "does not report \"$words\""
    [ "$what" = compare ] || return
    [ "$lines" -eq 1 ] || grep -q '^reverse	standard	' "$name.out" || echo "standard did not finish"
    [ "$status" -eq 0 ] || ! ls -A "$deed/compare" 2>/dev/null | grep -v '^experiment.tsv$\|^reverse.standard'
}
told() {
    wait
    for file in said/*.err; do
        name=${file%.err}
        cut -c 1-300 "$name.lines" | head -n 5 >err
        expect "${name#said/}: $(cat "$name")" [ ! -s "$name" ]
    done
    rm -f said/* err
}
comparing() { # STATUS WORDS LINES OPTIONS
    status=$1 words=$2 lines=$3
    shift 3
    asks compare "$status" "$words" "$lines" $as "$qkv" compare -v standard,victim -t reverse \
        $small --no-figures -o "$deed/compare" "$@"
}

# tries NAME PLACE STATEMENTS WORDS: each command that calls it there fails of it.
tries() {
    deed=$1 place=$2 words=$4 lists=0
    victim "$1" "$2" "$3"
    case $place in LOAD | WEIGHTS | FORWARD) lists=1 ;; esac
    asks list $lists "$words" $lists "$qkv" list
    [ "$place" = LOAD ] || asks check 1 '' 0 "$qkv" check victim -q
    [ "$place" != LOAD ] || asks check 1 "$words" 1 "$qkv" check victim -q
    while read -r what command; do
        [ "$what" != count ] || [ "$place" != FIT ] || return 0 # the rest does not fit it
        asks "$what" 1 "$words" 1 "$qkv" $command
    done <<END
same-start compare -v standard,victim -t reverse --same-start standard $small -o $deed/same
equiv-to equiv $other -v victim -q
count count -v victim
count-beside count -v standard,victim
inspect inspect $its
export export $its $deed/batch -q
equiv equiv $its -v standard -q
trace trace 0 -v victim
generate generate $next -p 1
derive derive victim
END
    lines=2 # the run's, and how many there are
    [ "$place" != LOAD ] || lines=1
    asks train 1 "$words" $lines "$qkv" train -v victim -t reverse $short --seed 1 -o "$deed/train"
    comparing 1 "$words" $lines
}
# costs NAME STATEMENTS WORDS OPTIONS: in a run it costs that run only.
costs() {
    deed=run-$1 words=$3
    victim "$deed" FORWARD "if (x->value) { $2; }"
    shift 3
    comparing 1 "$words" 2 "$@"
}
late='took more than 2 seconds'
crashed='crashed in forward:'
hang='for (;;) sleep(1)' leak='for (;;) memset(malloc(1 << 20), 1, 1 << 20)'
hide="for (int i = 0; i < 1024; i++) close(i); $hang" # its files from whoever waits for their end

# --- when it is loaded
tries load-hangs LOAD "$hang" "$late being loaded"
tries load-leaves LOAD '_exit(0)' 'ended its process being loaded (status 0)'
tries load-crashes LOAD '*(volatile int *)8 = 1' 'crashed being loaded: Segmentation fault'
told
tries load-hides LOAD "$hide" "$late being loaded"
told

# --- when it declares its weights, and when it is fitted
tries weights-hang WEIGHTS "$hang" "$late in weights"
tries weights-leave WEIGHTS '_exit(0)' 'ended its process in weights (status 0)'
tries weights-paint WEIGHTS 'weight(w, 0, "\033[2J", 8, 8)' 'not a name: use letters'
tries fit-hangs FIT "$hang" "$late in fit"
tries fit-leaves FIT '_exit(0)' 'ended its process in fit (status 0)'
tries fit-crashes FIT '*(volatile int *)8 = 1' 'crashed in fit: Segmentation fault'
told

# --- when it is called
tries hangs FORWARD "$hang" "$late in forward"
tries leaves FORWARD '_exit(0)' 'ended its process in forward (status 0)'
tries exits FORWARD 'exit(5)' 'ended its process in forward (status 5)'
told
tries hides FORWARD "$hide" "$late in forward"
tries crashes FORWARD '*(volatile int *)8 = 1' "$crashed Segmentation fault"
told
tries aborts FORWARD 'abort()' "$crashed Aborted"
tries divides FORWARD 'raise(SIGFPE)' "$crashed Floating point exception"
tries kills FORWARD 'raise(SIGKILL)' 'was ended in forward: Killed'
told
tries misfits FORWARD 'return add(x, w[W_O])' 'add: .*do not fit'
tries nothing FORWARD 'return NULL' 'forward returned'
told

# --- when it does all that it can to be given more time
tries ignores FORWARD "for (int i = 1; i < 32; i++) signal(i, SIG_IGN); for (;;)" "$late in forward"
tries blocks FORWARD "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); $hang" "$late in forward"
told
tries disarms FORWARD "alarm(0); $hang" "$late in forward"
tries stops FORWARD 'raise(SIGSTOP)' "$late in forward"
told
tries load-stops LOAD 'raise(SIGSTOP)' "$late being loaded"
tries fit-stops FIT 'raise(SIGSTOP)' "$late in fit"
told

# --- when it is called in a run, after it was described
costs crashes '*(volatile int *)8 = 1' "$crashed Segmentation fault"
costs aborts 'abort()' "$crashed Aborted"
costs exits 'exit(0)' 'ended its process in forward (status 0)'
costs recurses 'recurses()' "$crashed Segmentation fault"
costs narrow 'return columns(x, 0, 1)' 'forward returned'
costs nothing 'return NULL' 'forward returned'
costs misfits 'return add(x, w[W_O])' 'add: ([0-9]* x 32) and .*W^O (32 x 32) do not fit'
costs loops 'for (volatile int i = 0;; i++)' "$late in forward"
costs stops 'raise(SIGSTOP)' "$late in forward"
costs alarms 'alarm(1); for (;;) pause()' "$crashed Alarm clock"
told
export QKV_CALL_SECONDS=20
sanitized || costs leaks "$leak" 'it had used [0-9.]* MB (the limit is 200 MB)' --memory 200
deed=elsewhere # a node of the tape that only measured, and is gone
victim elsewhere FORWARD 'static Node *kept; if (!x->value) kept = x; return add(x, kept)'
comparing 1 'made in an earlier call\|crashed' 2
told
QKV_CALL_SECONDS=2

# The time in which somebody has stopped the command, as Ctrl-Z does, is not the plugin's.
deed=paused
victim paused FORWARD 'if (x->value && access("called", F_OK)) { creat("called", 0666); works_for(0.4); }'
QKV_CALL_SECONDS=4 setsid "$qkv" train -v victim -t reverse $short --seed 1 -o paused/train >out 2>err &
paused=$!
soon test -e called
sleep 0.2 # it is seen in that call
kill -STOP -$paused
sleep 5
kill -CONT -$paused
expect 'a run that was stopped, and went on' wait $paused

# A hundred steps of a run need nothing of the system: its steps 20 to 120.
if sanitized || [ "$(uname)" != Linux ]; then
    echo 'hostile: system calls of a run are not watched here'
else
    deed=calls
    victim calls FORWARD 'static int n; n += !!x->value; if (n == 20) only_exits(); if (n == 120) _exit(77)'
    comparing 1 'ended its process in forward (status 77)' 2 --steps 200 --log-every 1000
    told
fi

# A default that no option could have is refused when the plugin is loaded, and -0 is 0.
for value in 1e308 0x nan -0; do
    victim "limit$value" SETTINGS "\"limit=$value\""
    [ "$value" = -0 ] || refuses 1 "its settings are \"limit=$value\": write at most 8" "$qkv" count -v victim
done
works victim "$qkv" compare -v standard,victim -t reverse $small --no-figures -o limit
expect 'limit=-0 is not limit=0' grep -qx 'settings	limit=0' limit/reverse.victim.*/config.tsv
# A comma for a point, in the whole program and in one thread of it.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    export LOCPATH="$work"
    deed=comma
    victim comma FORWARD 'setlocale(LC_ALL, "de_DE.UTF-8")'
    comparing 0 '' 0
    told
    works victim "$qkv" table comma/compare
    deed=thread
    victim thread FORWARD 'uselocale(newlocale(LC_ALL_MASK, "de_DE.UTF-8", NULL))'
    comparing 0 '' 0
    told
    works victim "$qkv" table thread/compare
    "$qkv" train --from comma/compare/reverse.standard.* -v victim --steps 0 -q -o threads >out 2>err
    expect 'a conversion wrote what cannot be read' [ "$? $(grep -h '^lr' threads/*/config.tsv)" = '0 lr	0.003' ]
    unset LOCPATH
else
    skip 'a plugin that sets a locale: localedef is not here, or has no locales'
fi

# --- what is none of its faults
deed=shouts # what it prints is not taken for anything
victim shouts FORWARD 'for (int i = 0; i < 160; i++) dprintf(2, "%65535s\n", "x")'
asks count 0 '' 0 "$qkv" count -v victim
comparing 0 '' 0
# What it prints is in no table: each is what it is when the plugin is silent.
victim prints FORWARD 'prints()'
while read -r kind command; do
    for plugin in harmless prints; do
        QKV_PATH=$work/$plugin "$qkv" $command >$plugin.out 2>err </dev/null
        status=$?
        expect "$kind, $plugin: status $status" [ $status -eq 0 ]
        rm -rf made
    done
    expect "$kind: what the plugin prints is in it" cmp -s harmless.out prints.out
done <<END
list list
check check victim -q
count count -v victim
derive derive victim
trace trace 0 -v victim
inspect inspect $its
generate generate $next -p 1
equiv equiv $its -v standard -q
export export $its made -q
train train -v victim -t reverse $short --seed 1 -o made
compare compare -v standard,victim -t reverse $small --no-figures -o made
END
"$qkv" count -v victim >out 2>err
expect 'what the plugin prints is not on stderr' grep -qx x err
deed=forks # a process that it leaves behind holds nobody up
victim forks FORWARD 'static int n; if (x->value && !n++ && !fork()) { setsid(); sleep(400); _exit(0); }'
comparing 0 '' 0
told

# --- memory: a run gets what it may have, and no more
fails() { # WORDS COMMAND: so, and a second line may count the runs that failed
    words=$1
    shift
    "$@" >out 2>err
    [ $? -eq 1 ] && grep -q -- "$words" err && ok || complain "$*: does not fail with \"$words\""
}
fails '(the limit is [0-9]* MB); make the model' \
    "$qkv" train --d-model 40000 --layers 100 --batch 1 -q -o large
fails '(the limit is 900 MB)' "$qkv" train --steps 1000000000 --log-every 1 --memory 900 -q -o log
expect "ulimit -f 0 is no message" sh -c "(ulimit -f 0 && exec '$qkv' train --steps 1 -q -o limited) 2>&1 |
    grep -q 'File too large'"
if ! sanitized; then
    fails 'the limit is 50 MB' "$qkv" train --d-model 1024 --memory 50 -q -o large
    works '' "$qkv" train --steps 5 --memory 50 -q -o small
    # A text is held as its bytes while it is read, and as ids of four bytes each.
    yes 'Each row of weights is positive and sums to 1.' | head -c 40000000 >long.txt
    works '' "$qkv" train --file long.txt --steps 1 --validate 1 --test 1 -q -o long
    expect "a text of 40 MB: $(grep peak long/*/timing.tsv)" \
        awk '$1 == "peak_bytes" { exit $2 > 250e6 }' long/*/timing.tsv
    fails 'the limit is 30 MB' "$qkv" train --file long.txt --memory 30 -q -o long2
    works '' sh -c "ulimit -v 400000 && exec '$qkv' compare -v standard -t reverse --seeds 100000 --plan -q -o plan"
    expect "100,000 runs are not planned" [ "$(wc -l <out)" -eq 100000 ]
fi
if sanitized; then
    skip "leaks: a sanitizer's memory"
else
    export QKV_CALL_SECONDS=20
    deed=leaks
    victim leaks FORWARD "$leak"
    comparing 1 'it had used [0-9.]* MB (the limit is 100 MB)' 2 --memory 100
    told
    QKV_CALL_SECONDS=2
fi

# --- a text that changes
cp "$top/README.md" changing.md
"$qkv" compare --file changing.md -v standard --seeds 2 -j 1 --steps 1500 -q \
    --no-figures -o changed >out 2>err &
first_run() { [ "$(find changed -name '*@qkv-*' 2>/dev/null)" ]; }
soon first_run
echo more >>changing.md
wait $!
expect "a text that changes: status $?" [ "$(cat changed/*/config.tsv | grep -c "file-hash	")" = 2 ]
expect "a text that changes while it is learnt" \
    [ "$(cat changed/*/config.tsv | grep "file-hash	" | sort -u | wc -l)" = 1 ]

# --- nothing can be written in /tmp, or /proc does not say where the program is
if namespaces && [ -d /mnt ]; then
    bare() {
        unshare -rm sh -c 'mount --rbind "$1" /mnt && mount -t tmpfs -o ro tmpfs /tmp &&
            cd "/mnt/$2" && shift 2 && QKV_PATH=$PWD/harmless exec ../qkv "$@"' \
            sh "$build" "${work##*/}" "$@" >out 2>err
    }
    while read -r command; do
        expect "/tmp cannot be written: $command" bare $command
    done <<END
list
count -v victim
train -v victim $short -o bare
inspect $its
equiv $its -v standard -q
check victim -q
compare -v standard,victim -t reverse $small --no-figures -o bare
END
    unset QKV_PATH
    for word in "$qkv" "../$(basename "$build")/qkv" qkv; do
        works full-rank unshare -rm sh -c 'mount -t tmpfs tmpfs /proc && cd "$1" && PATH=$1:$PATH
            exec "$2" list' sh "$build" "$word"
    done
else
    skip "/tmp that cannot be written: no namespaces here"
fi

finish
