#!/bin/sh
# together.sh BUILD [PAIRS] - a run, an experiment, a batch and a figure are there
# whole or not at all, and what is finished is not done again: of PAIRS (5)
# comparisons that write one experiment at once; of commands that are killed before
# each of their calls that change a file, driver or worker, and repeated; after a power
# cut; when the clock was set back; on a disk that is full or can only be read. Only here
# is a process ended by what it cannot catch.

build=$1
. tests/lib.sh
export LC_ALL=C
pairs=${2:-5}
[ "$pairs" -lt 100 ] && every=3 || every=1 # of so many calls one is the last
small="--steps 4 --test 16 --validate 16 --batch 4 --no-figures -q"
PATH=$build:$PATH # a command that is split into words names its program without its folder
grid="qkv compare -v standard,full-rank -t reverse --seeds 6 --jobs 2 $small"
draws=
companion gnuplot "figures" && draws=yes
left() { find . -name '.?*' -o -name '*partial*' | head -n 3; }
# same WHOLE DIRECTORY WORDS: the one is what the other is, and nothing is left over.
same() {
    diff -r -x timing.tsv "$1" "$2" >err && [ -z "$(left)" ] && ok ||
        complain "$3: another result, or left over: $(left)"
}
# other DIRECTORY: its runs are those of another build of their plugins.
other() { sed -i 's/^plugin-hash.*/plugin-hash	0000000000000001/' "$1"/re*/config.tsv; }
# finished DIRECTORY: which results are there, and when they were written.
finished() { stat -c '%n %i %Y' "$1"/re*/result.tsv 2>/dev/null | sort; }
# again DIRECTORY: none of `before`, which finished wrote, was done again.
again() {
    finished "$1" >after
    [ -z "$(comm -23 before after)" ]
}

# --- two at once, which have both looked at what is there before one of them writes
$grid -o whole >table 2>err || complain "undisturbed"
late=
if ${CC:-cc} -O1 -D_GNU_SOURCE -shared -fPIC "$top/tests/together/late.c" -o late.so 2>err; then
    late=$work/late.so
fi
cat >one.sh <<'END'
# ONE-OR-TWO COMMAND: says that it is there, waits for the other, and runs it.
me=$1
shift
: >"ready$me"
until [ -e "ready$((3 - me))" ]; do :; done
exec "$@"
END
for pair in $(seq "$pairs"); do
    for stale in '' yes; do
        rm -rf two ready1 ready2
        [ ! "$stale" ] || { cp -r whole two && other two; }
        LD_PRELOAD=$late sh one.sh 1 $grid -o two >out1 2>err1 &
        LD_PRELOAD=$late sh one.sh 2 $grid -o two >out2 2>err2
        second=$?
        wait $! && [ $second -eq 0 ] && ok || complain "pair $pair $stale: not both succeeded: $(cat err1 err2)"
        cmp -s table out1 && cmp -s table out2 && ok || complain "pair $pair $stale: tables"
        same whole two "pair $pair $stale"
    done
done

# --- killed before each call that changes a file, and repeated
one="qkv compare -v standard -t reverse --seeds 1 --jobs 1 $small"
$one -o single >out 2>err || complain "a single run"
run=$(basename single/re*)
"$qkv" export "single/$run" kept -q 2>err || complain "export"
if [ "$draws" ]; then
    "$qkv" plot single -q --format svg -o drawn 2>err || complain "plot"
fi
# at MOMENT COMMAND: killed before that call, 0 for never; until all its processes
# are gone, workers too, which have the pipe.
at() {
    last=$1
    shift
    : >moments
    {
        MOMENTS=$work/moments LAST=$last LD_PRELOAD=$work/moment.so timeout 300 "$@" 3>&1 >out 2>err
        echo $? >status
    } | cat
}
# each EACH BEFORE LOOK WHOLE COMMAND: BEFORE is done, the command killed, LOOK holds;
# then it is to succeed, and x is what WHOLE is.
each() {
    step=$1 before=$2 look=$3 wanted=$4
    shift 4
    rm -f before
    eval "$before"
    at 0 "$@"
    [ "$(cat status)" -eq 0 ] && ok || complain "undisturbed: $*"
    calls=$(wc -c <moments)
    for n in $(seq 1 "$step" "$calls"); do
        eval "$before"
        at "$n" "$@"
        $look && ok || complain "killed at $n of $calls: not whole: $*"
        "$@" >out 2>err || complain "killed at $n of $calls, then: $*"
        same "$wanted" x "killed at $n of $calls: $*"
        [ ! -e before ] || again x && ok || complain "killed at $n of $calls: done again: $*"
    done
    rm -rf x
    echo "together: killed before $(((calls + step - 1) / step)) of $calls calls: ${*#"$build/"}" | cut -c1-100
}
# What is in x of a run is whole, of whichever build.
runs() {
    for path in x/re*; do
        [ ! -d "$path" ] || diff -r -I "^plugin-hash" -x timing.tsv "$path" "whole/${path#*/}" >err || return 1
    done
    finished x >before
}
replaced() { runs && rm before && [ -d "x/$run" ]; }
batch() { [ ! -d x ] || diff -r kept x >err && rm -rf x; }
figures() { diff -r -x ".*" drawn x >err; }
if ${CC:-cc} -O1 -D_GNU_SOURCE -shared -fPIC "$top/tests/together/moment.c" -o moment.so 2>err; then
    each $every 'rm -rf x' runs single $one -o x
    each $every 'rm -rf x; cp -r single x; other x' replaced single $one -o x
    each $((5 * every)) 'rm -rf x' runs whole $grid -o x
    each $every 'rm -rf x' batch kept "$qkv" export "single/$run" x -q
    [ ! -d drawn ] || each $((2 * every)) 'rm -rf x; cp -r drawn x' figures drawn \
        "$qkv" plot single -q --format svg -o x
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
            "$qkv" export "x/$run" batch -q >out 2>err
            [ $? -eq 1 ] && grep -q "$run/$file" err && ok || complain "$file of $size bytes"
        fi
    done
done

# --- a clock that was set back: all that is there comes from the future
cp -r whole future
find future -exec touch -d '2038-01-01' {} +
finished future >before
$grid -o future >out 2>err && cmp -s table out && again future && ok || complain "from the future"

# --- a disk that is full, then one that can only be read, then one with room
if unshare -rm true 2>/dev/null; then
    cat >full.sh <<'END'
# full.sh BYTES WHOLE COMMAND: fails for want of BYTES, twice, says so and leaves nothing
# that is not whole; then for want of a disk to write to; then it succeeds.
bytes=$1 whole=$2
shift 2
mount -t tmpfs -o "size=$bytes" tmpfs disk || exit 9
for try in 1 2; do
    "$@" >out 2>err && exit 1
    grep -q 'No space left\|disk full' err || exit 2
    [ -z "$(find disk -name '.?*')" ] || exit 3
    for path in disk/x/re*.*; do
        [ ! -d "$path" ] || diff -r -x timing.tsv "$path" "$whole/${path#disk/x/}" >err || exit 4
    done
done
# With a source, mount does not repeat the options of before, which name an unknown owner.
mount -o remount,ro,size=20m tmpfs disk
"$@" >out 2>err && exit 5
grep -q 'Read-only' err && [ "$(wc -l <err)" -eq 1 ] || exit 6
mount -o remount,rw tmpfs disk
"$@" >out 2>err || exit 7
diff -r -x '*.pdf' -x timing.tsv "$whole" disk/x >err || exit 8 # which have a date
END
    mkdir disk
    full() { unshare -rm sh full.sh "$@" && ok || complain "a full disk, step $?: $*"; }
    full 200k whole $grid -o disk/x
    full 24k kept "$qkv" export "single/$run" disk/x -q
    [ ! -d drawn ] || full 40k drawn "$qkv" plot single -q --format svg -o disk/x
else
    skip "a full disk: no namespaces here"
fi

# --- interrupted, gnuplot's parent ends, and gnuplot goes too
if [ "$draws" ]; then
    mkdir bin
    printf '#!/bin/sh\necho $$ >"%s/drawing"\nkill -TERM $PPID\nexec sleep 600\n' "$work" >bin/gnuplot
    chmod +x bin/gnuplot
    has_gone() { ! grep -qs sleep "/proc/$1/cmdline"; }
    for command in 'plot whole' 'report whole' "inspect whole/$run --attention"; do
        rm -rf interrupted drawing
        PATH=$work/bin:$PATH timeout 120 "$qkv" $command -o interrupted -q >out 2>err
        [ $? -eq 143 ] && [ -z "$(find interrupted -name '.?*' 2>/dev/null)" ] &&
            soon has_gone "$(cat drawing)" && ok ||
            complain "$command, interrupted, leaves $(find interrupted -name '.?*' 2>/dev/null)"
    done
fi

# --- a report: ended at some moment, as ^C does (all of its processes) or kill (one), and
# given again; two at once, which end as one of them
if [ "$draws" ]; then
    "$qkv" report whole -o page -q 2>err || complain "a report"
    "$qkv" report whole -o other --size column --by seed -q 2>err || complain "another report"
    rm -rf ended
    was_ended=0
    for moment in 0.02 0.06 0.1 0.15 0.2; do
        for ending in INT TERM HUP KILL '--foreground INT' '--foreground TERM' '--foreground HUP' '--foreground KILL'; do
            timeout $(echo "$ending" | sed 's/[A-Z]*$/-s &/') $moment "$qkv" report whole -o ended -q >out 2>err
            [ $? -eq 0 ] || was_ended=$((was_ended + 1))
            for draft in ended/.draft*; do # its writer's death takes a moment
                (flock 9 9<"$draft") 2>/dev/null
            done
            "$qkv" report whole -o ended -q >out 2>err &&
                diff -r -x '*.pdf' page ended >err && [ -z "$(cd ended && left)" ] && ok ||
                complain "a report, given again after $ending at $moment: $(cd ended && left)"
            [ $moment != 0.02 ] || rm -rf ended
        done
    done
    expect "only $was_ended of 40 reports were ended" [ $was_ended -ge 20 ]
    for pair in $(seq "$pairs"); do
        rm -rf both ready1 ready2
        sh one.sh 1 "$qkv" report whole -o both -q >out1 2>err1 &
        sh one.sh 2 "$qkv" report whole -o both --by seed -q >out2 2>err2
        second=$?
        wait $! && [ $second -eq 0 ] && { diff -r -x '*.pdf' page both || diff -r -x '*.pdf' other both; } >err &&
            [ -z "$(cd both && left)" ] && ok || complain "two reports at once, pair $pair: $(cat err1 err2)"
    done
fi

finish
