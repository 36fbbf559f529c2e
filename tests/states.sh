#!/bin/sh
# states.sh BUILD [-p] - what each command does with a run in each state that a
# run can be in, as tests/states.tsv has it; where it says so, with the command
# ended by SIGKILL at a quarter, half and three quarters of its way and at its last
# step, and begun again. -p prints a line for each cell as it is now.

set -u
build=$(cd "$1" && pwd)
top=$(pwd)
print=${2:-}
qkv=$build/qkv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "states: $*" >&2
    [ ! -s err ] || head -n 3 err | sed 's/^/    /' >&2
    [ -z "${STOP:-}" ] || exit 1
}
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
cc=${CC:-cc}
$cc -O1 -shared -fPIC "$top/tests/states/hold.c" -o hold.so -ldl 2>/dev/null || {
    echo "states: skipped: no glibc here"
    exit 0
}
cat >trip.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void
trip(void)
{
    close(open(getenv("TRIPPED"), O_WRONLY | O_CREAT, 0600));
}
END
$cc -O1 -shared -fPIC -I"$top/core" "$top/variants/standard.c" trip.c -o standard.so || exit 1
export TRIPPED="$work/tripped"

# The experiment, its run that is looked at, and one that nothing may happen to.
small="-t reverse --steps 2 --batch 2 --validate 2 --test 4 --d-model 8 --heads 2
    --length 4 --symbols 3 --log-every 1 -q"
$qkv compare -v standard,full-rank $small --seeds 1 --no-figures -o base >out 2>err || {
    complain "no experiment"
    exit 1
}
run=$(basename base/reverse.standard*) other=$(basename base/reverse.full-rank*)
cp -r base/"$run" reference
echo 0 1 2 0 >prompt

# eight N: N as eight bytes, the lowest first.
eight() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < 8; i++) {
        printf "\\%03o", n % 256; n = int(n / 256) } }'
}
# held KILL_AT RENAMES COMMAND: under hold.c, in a process group of its own; comes
# back when the last of its processes is gone, which closes what $() reads.
held() {
    printf "$(eight 0)$(eight "$1")$(eight "$2")" >hold
    shift 2
    rm -f hold.go
    held_open=$(exec 2>/dev/null
        HOLD=$work/hold HOLD_NAME=/$run LD_PRELOAD=$work/hold.so \
            setsid -w timeout 60 "$@" 3>&1 >out 2>err
        exit $?)
}
held 0 1 true 2>/dev/null
setsid -w true 2>/dev/null || {
    echo "states: skipped: no setsid -w of util-linux"
    exit 0
}

half() { # FILE: cut in the middle of it
    size=$(wc -c <"$1")
    head -c $((size / 2)) "$1" >half && cp half "$1"
}
# put STATE: x is the experiment with its run in that state, y is not there.
put() {
    rm -rf x y elsewhere
    cp -r base x
    its=x/$run
    case $1 in
    finished) ;;
    absent) rm -r "$its" ;;
    written | left) # by somebody who has all but its name done, or was killed then
        rm -r "$its"
        [ "$1" = written ] && how=1 || how=2
        held 0 $how "$qkv" train -v standard $small -o x &
        writer=$!
        [ "$1" = left ] && wait $writer && complain "was not killed"
        if [ "$1" = written ]; then
            for try in $(seq 500); do
                [ "$(od -An -t u1 -j 16 -N 1 hold | tr -d ' ')" = 3 ] && break
                sleep .02
            done
            mv hold held # its own; hold.go is looked for beside the first name
        fi
        ;;
    foreign) sed -i 's|^variant	.*|variant	./standard.so|' "$its/config.tsv" ;;
    rebuilt) sed -i 's|^plugin-hash	.*|plugin-hash	0123456789abcdef|' "$its/config.tsv" ;;
    renamed) mv "$its" "${its%.*}.00000000" ;;
    linked) mv "$its" elsewhere && ln -s ../elsewhere "$its" ;;
    file) rm -r "$its" && echo x >"$its" ;;
    no-*) rm -r "$its/${1#no-}" ;;
    cut-*) half "$its/${1#cut-}" ;;
    empty-*) : >"$its/${1#empty-}" ;;
    esac 2>/dev/null
    rm -rf before
    cp -r x before
}
# End a writer that is held.
let_go() {
    [ "$1" = written ] || return 0
    touch hold.go
    wait $writer
}

words_of() { # COMMAND: sets the words
    case $1 in
    train) set -- train -v standard $small -o x ;;
    compare) set -- compare -v standard,full-rank $small --seeds 1 --no-figures -o x ;;
    redo) set -- compare -v standard,full-rank $small --seeds 1 --no-figures --redo -o x ;;
    keep) set -- compare -v standard,full-rank $small --seeds 1 --no-figures --keep -o x ;;
    plan) set -- compare -v standard,full-rank $small --seeds 1 --plan -q -o x ;;
    equiv) set -- equiv -v standard,full-rank $small --format svg -o x ;;
    plot) set -- plot x -q --format svg -o y ;;
    table) set -- table x ;;
    report) set -- report x -q -o y ;;
    inspect) set -- inspect -q "x/$run" ;;
    generate) set -- generate -q "x/$run" --prompt - ;;
    export) set -- export "x/$run" --batch y -q ;;
    from) set -- train --from "x/$run" --steps 1 -q -o y ;;
    esac
    words="$*"
}
same() { diff -r -x timing.tsv -x real.tsv "$1" "$2" >/dev/null 2>&1; }
# What became of the run: kept as it was, made, or is not there.
after() {
    if [ ! -e "x/$run" ] && [ ! -L "x/$run" ]; then
        echo none
    elif [ -e "before/$run" ] && diff -r -x real.tsv "before/$run" "x/$run" >/dev/null 2>&1; then
        echo kept
    elif same reference "x/$run"; then
        echo made
    else
        echo half
    fi
}
# Nothing else has changed, no code was run, and what was written is whole.
unharmed() { # STATE COMMAND
    same "base/$other" "x/$other" || complain "$1, $2: the other run has changed"
    [ ! -e tripped ] || complain "$1, $2: opened the plugin that the run names"
    rm -f tripped
    for one in y/reverse*; do
        [ ! -d "$one" ] || [ -s "$one/result.tsv" ] || complain "$1, $2: half a run in y"
    done
    ok
}

# cell STATE COMMAND STATUS AFTER WORDS
cell() {
    put "$1"
    words_of "$2"
    timeout 60 "$qkv" $words >out 2>err <prompt
    status=$?
    let_go "$1"
    if [ -n "$print" ]; then
        printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" $status "$(after)" "$(head -n 1 err | cut -c1-150)"
        return
    fi
    now=$(after)
    if [ $status -ne "$3" ] || [ "$now" != "$4" ]; then
        complain "$1, $2: status $status and the run $now, not $3 and $4"
    elif [ -n "$5" ] && ! grep -qF -- "$5" err; then
        complain "$1, $2: does not say \"$5\""
    elif [ -z "$5" ] && [ -s err ]; then
        complain "$1, $2: has nothing to say, and does"
    else
        ok
    fi
    unharmed "$1" "$2"
}
# The same, killed on the way, and once more.
killed() {
    put "$1"
    words_of "$2"
    held 0 0 "$qkv" $words
    steps=$(od -An -t u8 -N 8 hold | tr -d ' ')
    last=0
    for at in $((steps / 4)) $((steps / 2)) $((steps * 3 / 4)) "$steps"; do
        [ "$at" -gt "$last" ] || continue
        last=$at
        [ -z "${TELL:-}" ] || echo "$1, $2: step $at of $steps" >&2
        put "$1"
        held "$at" 0 "$qkv" $words && complain "$1, $2: was not killed at step $at of $steps"
        case $(after) in
        half) complain "$1, $2, killed at step $at of $steps: half a run" ;;
        *) ok ;;
        esac
        unharmed "$1" "$2, killed at step $at of $steps"
        case $2 in
        export) # which has to be told another name where the last step was done
            [ ! -e y ] || continue ;;
        esac
        timeout 60 "$qkv" $words >out 2>err
        status=$?
        now=$(after)
        [ "$now" != kept ] || [ "$4" != made ] || now=made # by the one that was killed
        [ $status -eq "$3" ] && [ "$now" = "$4" ] && ok ||
            complain "$1, $2, killed at step $at of $steps and again: status $status and the run $now, not $3 and $4"
        unharmed "$1" "$2, killed at step $at and again"
        left=$(find x y -name '.?*' 2>/dev/null)
        [ -z "$left" ] || [ "$4" != made ] ||
            complain "$1, $2, killed at step $at and again: left over: $left"
    done
}

if [ -n "$print" ]; then
    for state in absent written left finished foreign rebuilt renamed linked file \
        no-config.tsv no-log.tsv no-result.tsv no-timing.tsv no-weights \
        no-weights/embedding.npy empty-config.tsv empty-log.tsv empty-result.tsv \
        empty-weights/embedding.npy cut-config.tsv cut-log.tsv cut-result.tsv \
        cut-weights/embedding.npy; do
        for command in train compare redo keep plan equiv plot table report inspect generate export from; do
            cell $state $command
        done
    done
    exit
fi
tab=$(printf '\t')
grep -v '^#' "$top/tests/states.tsv" | tail -n +2 >cells
while IFS=$tab read -r states commands status_wanted run_wanted again says <&3; do
    for state in $states; do
        for command in $commands; do
            cell "$state" "$command" "$status_wanted" "$run_wanted" "${says:-}"
            [ "$again" != again ] || killed "$state" "$command" "$status_wanted" "$run_wanted"
        done
    done
done 3<cells
echo "states: $passed passed, $failed failed"
[ $failed -eq 0 ]
