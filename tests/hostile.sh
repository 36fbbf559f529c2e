#!/bin/sh
# hostile.sh BUILD - whatever a plugin does, each command about it ends in time,
# with a line that names it and says what happened, and with nothing that looks
# like an answer. What others do at the same time is nobody's fault, and neither
# is a /tmp where nothing can be written.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:allocator_may_return_null=1
build=$(cd "$1" && pwd)
top=$(pwd)
qkv=$build/qkv
work=$(mktemp -d "$build/hostile.XXXXXX") # not in /tmp, which goes below
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir said
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "hostile: $*" >&2
    [ -z "${STOP:-}" ] || exit 1
}
sanitized() { nm "$qkv" 2>/dev/null | grep -q __asan_init; }
namespaces() { unshare -rm true 2>/dev/null; }
short="--steps 3 --test 8 --validate 8 --batch 4 -q"
small="$short --seeds 1"
export QKV_CALL_SECONDS=2

# plugin DEED PLACE: DEED-PLACE/victim.so, and where QKV_PATH finds it.
plugin() {
    mkdir -p "$1-$2"
    ${CC:-cc} -O1 -shared -fPIC -I"$top/core" -DDEED="$1" -DPLACE="$2" \
        "$top/tests/hostile/hostile.c" -o "$1-$2/victim.so" ||
        complain "$1 $2 does not compile"
    export QKV_PATH=$work/$1-$2
}

# A run of each, made while nothing happened.
sed 's/DEED()/(void)0/' "$top/tests/hostile/hostile.c" >harmless.c
mkdir harmless
${CC:-cc} -O1 -shared -fPIC -I"$top/core" -DPLACE=4 harmless.c -o harmless/victim.so
export QKV_PATH=$work/harmless
"$qkv" compare -v standard,victim -t reverse $small --no-figures -o runs \
    >table 2>err && [ "$(grep -c '^reverse' table)" -eq 2 ] && ok || complain "no runs"
its=$(echo runs/reverse.victim.*) other=$(echo runs/reverse.standard.*)

# asks WHAT STATUS WORDS LINES COMMAND: side by side; told says how they went.
asks() {
    what=$1 status=$2 words=$3 lines=$4
    shift 4
    name=$(echo "$deed-$place-$what" | tr ' ' '_')
    {
        timeout 25 "$@" >"said/$name.out" 2>"said/$name.err" </dev/null
        got=$?
        grep -v '^x*$\|with another build' "said/$name.err" >"said/$name.lines"
        if [ $got -ne "$status" ]; then
            echo "status $got"
        elif [ "$lines" -gt 0 ] && ! grep -q "victim.*$words" "said/$name.lines"; then
            echo "does not say \"$words\""
        elif [ "$(wc -l <"said/$name.lines")" -ne "$lines" ]; then
            echo "more than $lines lines, or less"
        elif [ "$lines" -gt 0 ] && grep -q '^\([a-z]*	\)\{0,1\}victim	' "said/$name.out"; then
            echo "looks like an answer"
        else
            echo ok
        fi >"said/$name"
    } &
}
told() {
    wait
    for file in said/*.err; do
        name=${file%.err}
        if [ "$(cat "$name")" = ok ]; then
            ok
        else
            complain "${name#said/}: $(cat "$name")"
            head -n 5 "$name.lines" | cut -c 1-300 | sed 's/^/    /' >&2
        fi
    done
    for file in said/*-FORWARD-compare.out; do
        [ ! -e "$file" ] || grep -q '^reverse	standard	' "$file" && ok ||
            complain "$file: standard did not finish beside it"
    done
    rm -f said/*
}

# commands WORDS: those that call it at that place, and so fail of it.
commands() {
    words=$1
    case $place in
    LOAD | WEIGHTS)
        asks list 1 "$words" 1 "$qkv" list --variants ;;
    *)
        asks list 0 "" 0 "$qkv" list --variants ;;
    esac
    asks same-start 1 "$words" 1 "$qkv" compare -v standard,victim -t reverse \
        --same-start standard $small -o "$deed-$place/same"
    asks 'equiv --to' 1 "$words" 1 "$qkv" equiv "$other" --to victim -q \
        -o "$deed-$place/to"
    asks check 1 '' 0 "$qkv" check victim -q
    [ "$place" != FIT ] || return 0
    asks count 1 "$words" 1 "$qkv" count -v victim
    asks 'count beside' 1 "$words" 1 "$qkv" count -v standard,victim
    asks inspect 1 "$words" 1 "$qkv" inspect "$its"
    asks export 1 "$words" 1 "$qkv" export "$its" --batch "$deed-$place/batch" -q
    asks equiv 1 "$words" 1 "$qkv" equiv "$its" --to standard -q -o "$deed-$place/from"
    asks trace 1 "$words" 1 "$qkv" trace 'the cat' -v victim
    asks bench 1 "$words" 1 "$qkv" bench layer -v victim -q
    asks match 1 "$words" 1 "$qkv" compare -v standard,victim -t reverse \
        --match params $small -o "$deed-$place/match"
    lines=2 # the run's, and how many there are
    [ "$place" != LOAD ] || lines=1
    asks train 1 "$words" $lines "$qkv" train -v victim -t reverse $short --seed 1 \
        -o "$deed-$place/train"
    asks compare 1 "$words" $lines "$qkv" compare -v standard,victim -t reverse $small \
        --no-figures -o "$deed-$place/compare"
}
tries() { # DEED PLACE WORDS
    deed=$1 place=$2
    plugin "$1" "$2"
    commands "$3"
}
late='took more than 2 seconds'
tries hangs LOAD "$late being loaded"
tries leaves LOAD 'ended its process being loaded (status 0)'
tries crashes LOAD 'crashed being loaded: Segmentation fault'
told
tries hangs WEIGHTS "$late in weights"
tries leaves WEIGHTS 'ended its process in weights (status 0)'
tries hangs FIT "$late in fit"
tries leaves FIT 'ended its process in fit (status 0)'
tries crashes FIT 'crashed in fit: Segmentation fault'
told
tries hangs FORWARD "$late in forward"
tries leaves FORWARD 'ended its process in forward (status 0)'
tries exits FORWARD 'ended its process in forward (status 0)'
told
tries hides LOAD "$late being loaded"
tries hides FORWARD "$late in forward"
tries crashes FORWARD 'crashed in forward: Segmentation fault'
told
tries stops FORWARD "$late in forward"
tries aborts FORWARD 'crashed in forward: Aborted'
tries kills FORWARD 'was ended in forward: Killed'
told

# What it prints is not taken for anything.
deed=shouts place=FORWARD
plugin shouts FORWARD
asks count 0 '' 0 "$qkv" count -v victim
asks compare 0 '' 0 "$qkv" compare -v standard,victim -t reverse $small --no-figures \
    -o shouts-FORWARD/compare
told

# As much memory as there is, which is what a container has; a check has 1 GB.
deed=leaks place=FORWARD
plugin leaks FORWARD
QKV_CALL_SECONDS=20
cat >contained <<'END'
#!/bin/sh
unshare -rm sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup && cd /sys/fs/cgroup &&
    echo 200000000 >memory.max && echo 0 >memory.current && cd "$OLDPWD" && exec "$@"' sh "$@"
END
if ! namespaces || sanitized; then
    echo "hostile: no namespaces here, or a sanitizer's memory: leaks are skipped"
else
    asks count 1 'it had taken [0-9.]* MB (this machine has 200 MB)' 1 \
        sh contained "$qkv" count -v victim
    asks compare 1 'it had taken [0-9.]* MB (--memory gives 100 MB)' 2 \
        "$qkv" compare -v standard,victim -t reverse $small --no-figures --memory 100 \
        -o leaks-FORWARD/compare
    asks check 1 '' 0 sh contained "$qkv" check victim -q
    wait
    grep -q 'it had taken' said/leaks-FORWARD-check.out && ok || complain "check of a leak"
    told
fi
QKV_CALL_SECONDS=2

# --- others at the same time
export QKV_PATH=$work/harmless
redo() { "$qkv" compare -v standard,victim -t reverse $small --seeds 2 --no-figures -o beside "$@"; }
redo >before 2>err
n=0
while [ $n -lt 20 ]; do
    n=$((n + 1))
    rm -rf beside/reverse.victim.* # both make it, and one takes the place
    redo --redo >out1 2>err1 &
    redo >out2 2>err2
    status=$?
    wait $! && [ $status -eq 0 ] && ! cat err1 err2 | grep -q victim && ok || {
        complain "compare beside compare --redo: status $status"
        cat err1 err2 >&2
    }
done

# --- Ctrl-Z, a pause, and on again
setsid "$qkv" train -v standard -t reverse --steps 2000 --timeout 5 --test 8 --validate 8 \
    --batch 4 -q -o paused >out 2>err &
sleep 0.3
kill -STOP -$!
sleep 6
kill -CONT -$! 2>/dev/null
wait $! && ok || {
    complain "stopped for a while, with a limit of time"
    cat err >&2
}

# --- nothing can be written in /tmp
if namespaces && [ -d /mnt ]; then
    bare() {
        unshare -rm sh -c 'mount --rbind "$1" /mnt && mount -t tmpfs -o ro tmpfs /tmp &&
            cd "/mnt/$2" && shift 2 && QKV_PATH=$PWD/harmless exec ../qkv "$@"' \
            sh "$build" "${work##*/}" "$@"
    }
    for command in 'list' 'count -v victim' "train -v victim $short -o bare" \
        "inspect $its" "equiv $its --to standard -q -o turned" 'check victim -q' \
        "compare -v standard,victim -t reverse $small --match params --no-figures -o bare"; do
        bare $command >out 2>err && ok || {
            complain "/tmp cannot be written: $command"
            cat err >&2
        }
    done
else
    echo "hostile: no namespaces here: /tmp that cannot be written is skipped"
fi

echo "hostile: $passed passed, $failed failed"
[ $failed -eq 0 ]
