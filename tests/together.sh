#!/bin/sh
# together.sh BUILD [PAIRS] - a run, an experiment, a batch, a figure and a report
# are there whole or not at all: of PAIRS (10) comparisons that write one
# experiment at once, half of them in containers that have host name and process
# numbers in common; of commands that are killed before each of their calls that
# change a file, and repeated; and after a power cut.

set -u
build=$(cd "$1" && pwd)
pairs=${2:-10}
[ "$pairs" -lt 100 ] && every=3 || every=1 # of so many calls one is the last
top=$(pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "together: $*" >&2
    [ ! -f err ] || sed 's/^/    /' err >&2
}
left() { find . -name '.?*' -o -name '*partial*' | head -n 3; }
# same WHOLE DIRECTORY WORDS: the one is what the other is, and nothing is left over.
same() {
    if ! diff -r -x timing.tsv -x figures "$1" "$2" >err; then
        complain "$3: another result"
    elif [ -n "$(left)" ]; then
        complain "$3: left over: $(left)"
    else
        ok
    fi
}
small="--steps 4 --test 16 --validate 16 --batch 4 --no-figures -q"
compare() { # SEEDS DIRECTORY OPTIONS
    seeds=$1 out=$2
    shift 2
    "$qkv" compare -v standard,full-rank -t reverse --seeds "$seeds" $small -o "$out" "$@"
}

# --- two at once
compare 6 whole >table 2>err || complain "undisturbed"
cat >one.sh <<'END'
# ONE-OR-TWO COMMAND: says that it is there, waits for the other, and runs it.
me=$1
shift
: >"ready$me"
until [ -e "ready$((3 - me))" ]; do :; done
exec "$@"
END
apart="unshare -rpf --mount-proc"
$apart true 2>/dev/null || {
    apart=
    echo "together: no namespaces here: all pairs are of one"
}
# at_once PREFIX COMMAND WORDS: the command twice at once, both behind the prefix.
at_once() {
    prefix=$1 command=$2
    rm -f ready1 ready2
    $prefix sh one.sh 1 sh -c "$command" >out1 2>err1 &
    $prefix sh one.sh 2 sh -c "$command" >out2 2>err2
    second=$?
    wait $! && [ $second -eq 0 ] && ok || {
        cat err1 err2 >err
        complain "$3: not both succeeded"
    }
}
again="'$qkv' compare -v standard,full-rank -t reverse $small --seeds"
pair=0
while [ $pair -lt "$pairs" ]; do
    pair=$((pair + 1))
    rm -rf two
    [ $((pair % 2)) -eq 0 ] && prefix= || prefix=$apart
    at_once "$prefix" "$again 6 --jobs 2 -o two" "pair $pair"
    cmp -s table out1 && cmp -s table out2 && ok || complain "pair $pair: tables"
    same whole two "pair $pair"
done

# --- one that replaces, and one that reads
# other DIRECTORY: its runs are those of another build of their plugins.
other() { sed -i 's/^plugin-hash.*/plugin-hash	0000000000000001/' "$1"/re*/config.tsv; }
rm -rf two
cp -r whole two
{
    while [ ! -e enough ]; do
        other two
        compare 6 two --redo >/dev/null 2>err3 || mv err3 wrong
    done
} &
n=0
while [ $n -lt 15 ]; do
    n=$((n + 1))
    "$qkv" compare -v standard,full-rank -t reverse --seeds 6 ${small% -q} --keep -o two \
        >out 2>err && grep -q '^qkv: 12 of 12 runs are' err && ok || complain "beside --redo, $n"
done
: >enough
wait
[ ! -e wrong ] && ok || complain "--redo beside another: $(cat wrong)"
same whole two "--redo beside another"
for round in 1 2 3 4 5; do
    other two
    at_once "$apart" "$again 6 --redo -o two" "--redo twice at once"
    cmp -s table out1 && cmp -s table out2 && ok || complain "--redo twice at once: tables"
    same whole two "--redo twice at once"
done

# --- killed before each call that changes a file, and repeated
if ${CC:-cc} -O1 -D_GNU_SOURCE -shared -fPIC "$top/tests/together/moment.c" -o moment.so \
    2>err; then
    # eight N: N as eight bytes, the lowest first.
    eight() {
        awk -v n="$1" 'BEGIN { for (i = 0; i < 8; i++) {
            printf "\\%03o", n % 256; n = int(n / 256) } }'
    }
    number() { od -An -t u8 -j "$1" -N 8 moment | tr -d ' '; }
    # at MOMENT COMMAND: killed before that call, 0 for never.
    at() {
        printf "$(eight 0)$(eight "$1")$(eight 0)" >moment
        shift
        QKV_MOMENT=$work/moment LD_PRELOAD=$work/moment.so timeout 60 "$@" >out 2>err
    }
    # each EACH BEFORE AFTER COMMAND: BEFORE is done, the command killed, AFTER
    # looked at; then it is to succeed, and the whole to be there.
    each() {
        step=$1 before=$2 after=$3
        shift 3
        eval "$before"
        at 0 "$@" || complain "undisturbed: $*"
        calls=$(number 0)
        [ "$(number 16)" -eq 0 ] && ok ||
            complain "renamed $(number 16) times before it was on the disk: $*"
        n=1
        while [ $n -le "$calls" ]; do
            eval "$before"
            at $n "$@"
            eval "$after"
            "$@" >out 2>err || complain "killed at $n of $calls, then: $*"
            eval "$result"
            n=$((n + step))
        done
        rm -rf x
        echo "together: killed before $(((calls + step - 1) / step)) of $calls calls: ${*#"$build/"}" | cut -c1-100
    }
    one="$qkv compare -v standard -t reverse --seeds 1 --jobs 1 $small"
    $one -o single >table 2>err || complain "a single run"
    # there DIRECTORY: what is there of runs is whole, of whichever build.
    there() {
        for path in "$1"/re*; do
            [ ! -d "$path" ] || diff -r -I "^plugin-hash" -x timing.tsv "$path" "single/${path#*/}" >err ||
                complain "killed at $n: $path is not whole"
        done
    }
    result='same single x "killed at $n"'
    each $every 'rm -rf x' 'there x' $one -o x
    run=$(basename single/re*)
    each $every 'rm -rf x; cp -r single x; other x' 'there x
        [ -d "x/$run" ] && ok || complain "killed at $n: the run to be replaced is gone"' \
        $one -o x --redo
    export QKV_NO_EXCHANGE=1
    each $every 'rm -rf x; cp -r single x; other x' 'there x' $one -o x --redo
    rm -rf two
    cp -r whole two
    for round in 1 2 3; do
        other two
        at_once "env LD_PRELOAD=$work/moment.so $apart" "$again 6 --redo -o two" \
            "--redo twice, without exchange"
        same whole two "--redo twice, without exchange"
    done
    unset QKV_NO_EXCHANGE
    rm -rf x
    "$qkv" export "single/$run" --batch batch -q 2>err || complain "export"
    mv batch kept
    result='same kept batch "export killed at $n"'
    each $every 'rm -rf batch' '[ ! -d batch ] || diff -r kept batch >err ||
        complain "a batch, killed at $n"
        rm -rf batch' \
        "$qkv" export "single/$run" --batch batch -q
    rm -rf batch
    long=$(printf '%0250d' 1) # of the 255 bytes that a name may have
    "$qkv" export "single/$run" --batch "$long" -q 2>err && diff -r kept "$long" >err && ok ||
        complain "export into a long name"
    rm -rf "$long"
    if command -v gnuplot >/dev/null; then
        draw="$qkv plot single -q --format svg"
        $draw -o drawn 2>err || complain "plot"
        at_once "$apart" "'$qkv' report whole -o two-told -q" "two reports at once"
        [ -s two-told/report.md ] && [ -s two-told/figures/parameters.svg ] && ok ||
            complain "two reports at once"
        result='diff -r drawn x >err && ok || complain "figures of a plot killed at $n"'
        each $((2 * every)) 'rm -rf x; cp -r drawn x' 'diff -r -x ".*" drawn x >err && ok ||
            complain "a figure, killed at $n"' $draw -o x
        "$qkv" report single -o told -q 2>err || complain "report"
        result='same told x "report killed at $n"
            [ "$(ls told/figures)" = "$(ls x/figures)" ] && ok || complain "report: figures"'
        each $((3 * every)) 'rm -rf x' : "$qkv" report single -o x -q
        each $((5 * every)) 'rm -rf x; cp -r told x' '[ -s x/report.md ] && [ -s x/figures/parameters.svg ] &&
            ok || complain "killed at $n: the report that was there is gone"' \
            "$qkv" report single -o x -q
    fi
else
    echo "together: no glibc here: nothing is killed"
fi

# --- a power cut: of a finished run, one file after the other is empty, or half
for file in config.tsv log.tsv result.tsv weights/embedding.npy; do
    for part in 0 2; do
        rm -rf x batch
        cp -r single x
        size=$(($(stat -c %s "single/$run/$file") * part / 4))
        truncate -s $size "x/$run/$file"
        if $one -o x >out 2>err && diff -r -x timing.tsv single x >differs; then
            ok # it was none, and was trained again
        else
            "$qkv" export "x/$run" --batch batch -q >out 2>err
            [ $? -eq 1 ] && grep -q "$run/$file" err && ok || complain "$file of $size bytes"
        fi
    done
done

# --- a full disk
if unshare -rm true 2>/dev/null; then
    cat >full.sh <<'END'
# full.sh BYTES WHOLE COMMAND: fails for want of BYTES, says so, leaves nothing, and
# succeeds where there are more.
bytes=$1 whole=$2
shift 2
mount -t tmpfs -o "size=$bytes" tmpfs disk || exit 9
"$@" >out 2>err && exit 1
grep -q 'No space left\|disk full' err || exit 2
[ -z "$(find disk -name '.?*')" ] || exit 3
mount -o remount,size=20m disk
"$@" >out 2>err || exit 4
diff -r -x '*.pdf' "$whole" disk/x >err || exit 5 # which have a date
END
    mkdir disk
    full() {
        unshare -rm sh full.sh "$@" && ok || complain "a full disk, step $?: $*"
    }
    full 24k kept "$qkv" export "single/$run" --batch disk/x -q
    if command -v gnuplot >/dev/null; then
        full 24k drawn "$qkv" plot single -q --format svg -o disk/x
        "$qkv" report single -q -o reported 2>err
        full 48k reported "$qkv" report single -q -o disk/x
    fi
fi

# --- a report that failed
if command -v gnuplot >/dev/null; then
    mkdir bin
    printf '#!/bin/sh\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$work/bin:$PATH "$qkv" report whole -o failed -q >out 2>err
    [ $? -eq 1 ] && ok || complain "a report without a picture"
    "$qkv" report whole -o failed -q >out 2>err && [ -s failed/report.md ] && ok ||
        complain "a report that had failed"

    # --- and one that was interrupted: gnuplot's parent is, and gnuplot goes too
    printf '#!/bin/sh\necho $$ >"%s/drawing"\nkill -TERM $PPID\nexec sleep 30\n' \
        "$work" >bin/gnuplot
    for command in 'plot whole' 'report whole' "inspect whole/$run --attention"; do
        rm -rf interrupted drawing
        PATH=$work/bin:$PATH timeout 20 "$qkv" $command -o interrupted -q >out 2>err
        [ $? -eq 143 ] && [ -z "$(find interrupted -name '.?*')" ] && sleep 0.1 &&
            ! grep -qs sleep "/proc/$(cat drawing)/cmdline" && ok ||
            complain "$command, interrupted, leaves $(find interrupted -name '.?*')"
    done
fi

echo "together: $passed passed, $failed failed"
[ $failed -eq 0 ]
