#!/bin/sh
# together.sh BUILD [PAIRS] - a run, an experiment, a batch, a figure and a report
# are there whole or not at all: of PAIRS (5) comparisons that write one experiment
# at once; of commands that are killed before each of their calls that change a
# file, and repeated; after a power cut; on a full disk. kill.sh ends comparisons at
# any moment, but seldom between two such calls, and no other command.

build=$1
. tests/lib.sh
export LC_ALL=C
pairs=${2:-5}
[ "$pairs" -lt 100 ] && every=3 || every=1 # of so many calls one is the last
small="--steps 4 --test 16 --validate 16 --batch 4 --no-figures -q"
left() { find . -name '.?*' -o -name '*partial*' | head -n 3; }
# same WHOLE DIRECTORY WORDS: the one is what the other is, and nothing is left over.
same() {
    diff -r -x timing.tsv -x figures "$1" "$2" >err && [ -z "$(left)" ] && ok ||
        complain "$3: another result, or left over: $(left)"
}
compare() { # DIRECTORY OPTIONS
    out=$1
    shift
    "$qkv" compare -v standard,full-rank -t reverse --seeds 6 $small -o "$out" "$@"
}
# other DIRECTORY: its runs are those of another build of their plugins.
other() { sed -i 's/^plugin-hash.*/plugin-hash	0000000000000001/' "$1"/re*/config.tsv; }

# --- two at once
compare whole >table 2>err || complain "undisturbed"
cat >one.sh <<'END'
# ONE-OR-TWO COMMAND: says that it is there, waits for the other, and runs it.
me=$1
shift
: >"ready$me"
until [ -e "ready$((3 - me))" ]; do :; done
exec "$@"
END
at_once() { # WORDS COMMAND
    rm -f ready1 ready2
    sh one.sh 1 sh -c "$2" >out1 2>err1 &
    sh one.sh 2 sh -c "$2" >out2 2>err2
    second=$?
    wait $! && [ $second -eq 0 ] && ok || complain "$1: not both succeeded: $(cat err1 err2)"
}
for pair in $(seq "$pairs"); do
    for redo in '' --redo; do
        rm -rf two
        [ ! "$redo" ] || { cp -r whole two && other two; }
        at_once "pair $pair $redo" "'$qkv' compare -v standard,full-rank -t reverse $small --seeds 6 --jobs 2 $redo -o two"
        cmp -s table out1 && cmp -s table out2 && ok || complain "pair $pair $redo: tables"
        same whole two "pair $pair $redo"
    done
done

# --- one that replaces, and one that reads
{
    while [ ! -e enough ]; do
        other two
        compare two --redo >/dev/null 2>err3 || mv err3 wrong
    done
} &
for n in 1 2 3 4 5 6 7 8; do
    "$qkv" compare -v standard,full-rank -t reverse --seeds 6 ${small% -q} --keep -o two \
        >out 2>err && grep -q '^qkv: 12 of 12 runs are' err && ok || complain "beside --redo, $n"
done
: >enough
wait
[ ! -e wrong ] && ok || complain "--redo beside another: $(cat wrong)"
same whole two "--redo beside another"

# --- killed before each call that changes a file, and repeated
one="$qkv compare -v standard -t reverse --seeds 1 --jobs 1 $small"
$one -o single >table 2>err || complain "a single run"
run=$(basename single/re*)
"$qkv" export "single/$run" --batch kept -q 2>err || complain "export"
if ${CC:-cc} -O1 -D_GNU_SOURCE -shared -fPIC "$top/tests/together/moment.c" -o moment.so 2>err; then
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
    # looked at; then it is to succeed, and $result holds.
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
    # there: what is in x of the run is whole, of whichever build.
    there() {
        for path in x/re*; do
            [ ! -d "$path" ] || diff -r -I "^plugin-hash" -x timing.tsv "$path" "single/${path#*/}" >err ||
                complain "killed at $n: $path is not whole"
        done
    }
    result='same single x "killed at $n"'
    each $every 'rm -rf x' there $one -o x
    each $every 'rm -rf x; cp -r single x; other x' 'there
        [ -d "x/$run" ] && ok || complain "killed at $n: the run to be replaced is gone"' \
        $one -o x --redo
    result='same kept x "export killed at $n"'
    each $every 'rm -rf x' '[ ! -d x ] || diff -r kept x >err || complain "a batch, killed at $n"
        rm -rf x' "$qkv" export "single/$run" --batch x -q
    if command -v gnuplot >/dev/null; then
        draw="$qkv plot single -q --format svg"
        $draw -o drawn 2>err || complain "plot"
        result='diff -r drawn x >err && ok || complain "figures of a plot killed at $n"'
        each $((2 * every)) 'rm -rf x; cp -r drawn x' 'diff -r -x ".*" drawn x >err && ok ||
            complain "a figure, killed at $n"' $draw -o x
        "$qkv" report single -o told -q 2>err || complain "report"
        result='same told x "report killed at $n"
            [ "$(ls told/figures)" = "$(ls x/figures)" ] && ok || complain "report: figures"'
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
    full() { unshare -rm sh full.sh "$@" && ok || complain "a full disk, step $?: $*"; }
    full 24k kept "$qkv" export "single/$run" --batch disk/x -q
    [ ! -d told ] || full 24k drawn "$qkv" plot single -q --format svg -o disk/x
    [ ! -d told ] || full 48k told "$qkv" report single -q -o disk/x
fi

# --- interrupted, gnuplot's parent ends, and gnuplot goes too
if command -v gnuplot >/dev/null; then
    mkdir bin
    printf '#!/bin/sh\necho $$ >"%s/drawing"\nkill -TERM $PPID\nexec sleep 30\n' "$work" >bin/gnuplot
    chmod +x bin/gnuplot
    for command in 'plot whole' 'report whole' "inspect whole/$run --attention"; do
        rm -rf interrupted drawing
        PATH=$work/bin:$PATH timeout 20 "$qkv" $command -o interrupted -q >out 2>err
        [ $? -eq 143 ] && [ -z "$(find interrupted -name '.?*')" ] && sleep 0.1 &&
            ! grep -qs sleep "/proc/$(cat drawing)/cmdline" && ok ||
            complain "$command, interrupted, leaves $(find interrupted -name '.?*')"
    done
fi

finish
