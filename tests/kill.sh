#!/bin/sh
# kill.sh BUILD [COUNT] - whatever ends a comparison at whatever moment, the same
# command again ends with the same bits, nothing is left over, and nothing that
# was finished is lost or done twice: kill -9 of driver and workers at COUNT
# moments drawn by a fixed seed, two at once, a full disk, one that is read-only,
# a clock that was set back.
# Only here is a process ended at a moment that nothing in it marks.

build=$1
. tests/lib.sh
count=${2:-200}

# The comparison that is to be ended: twelve runs, each other time figures.
compare() { # DIRECTORY OPTIONS
    out=$1
    shift
    "$build/qkv" compare -v standard,full-rank -t reverse,recall --seeds 3 \
        --steps 40 --test 64 --validate 16 --jobs 2 --format svg -q -o "$out" "$@"
}
now() { date +%s%N; }
compare whole >table 2>err || complain "undisturbed"
begun=$(now)
compare timed --no-figures >table--no-figures 2>err # which counts no real parameters
bare=$((($(now) - begun) / 1000000))
begun=$(now)
compare timed2 >/dev/null 2>err
drawn=$((($(now) - begun) / 1000000))
echo "kill: undisturbed $bare ms, with figures $drawn ms"

# finished DIRECTORY: which results are there, and when they were written.
finished() {
    find "$1" -mindepth 2 -maxdepth 2 -name result.tsv -not -path '*/.*' \
        -exec stat -c '%n %i %Y' {} + 2>/dev/null | sort
}
# same DIRECTORY WORDS: it is what the undisturbed one is, and no more.
same() {
    if ! diff -r -x timing.tsv -x real.tsv -x figures whole "$1" >err; then
        complain "$2: another result"
    elif [ -n "$(find "$1" -name '.*' -not -name "$1")" ]; then
        complain "$2: left over: $(find "$1" -name '.*' -not -name "$1")"
    else
        ok
    fi
    rm -f err
}

# N: a number below it, the next of Park and Miller's (1988).
x=20261121
draw() {
    x=$((x * 16807 % 2147483647))
    drawn_number=$((x % $1))
}

hit=0 workers=0 lost=0
i=0
while [ $i -lt "$count" ]; do
    i=$((i + 1))
    figures= span=$drawn
    [ $((i % 5)) -eq 0 ] || {
        figures=--no-figures
        span=$bare
    }
    draw "$span"
    moment=$drawn_number
    draw 3
    whom=$drawn_number
    rm -rf killed
    compare killed $figures >/dev/null 2>said &
    driver=$!
    sleep "$(awk "BEGIN { print $moment / 1000 }")"
    program=$(pgrep -P $driver -x qkv | head -n 1)
    victim=$program
    [ $whom -ne 0 ] || victim=$(pgrep -P "${program:-1}" -x qkv | head -n 1)
    if [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null; then
        hit=$((hit + 1))
        [ $whom -ne 0 ] || workers=$((workers + 1))
    fi
    wait $driver 2>/dev/null
    while pgrep -f "^$build/qkv compare .* -o killed" >/dev/null; do sleep .02; done
    finished killed >before
    compare killed $figures >table2 2>err || complain "$i: the second time"
    finished killed >after
    [ -z "$(comm -23 before after)" ] || {
        lost=$((lost + 1))
        complain "$i: a finished run was done again"
    }
    cmp -s "table$figures" table2 || complain "$i: another table"
    same killed "kill -9 at $moment ms"
    [ -n "$figures" ] || diff -r whole/figures killed/figures >err ||
        complain "$i: other figures"
done
echo "kill: $hit of $count killed, $workers of them workers; $lost finished runs lost"
[ "$hit" -ge $((count / 2)) ] || complain "most came too late"

# Two at once, in one --out.
for n in 1 2 3 4 5; do
    rm -rf two
    compare two --no-figures >one.tsv 2>err &
    compare two --no-figures >two.tsv 2>err2
    wait $! || complain "the first of two at once"
    cmp -s table--no-figures one.tsv && cmp -s table--no-figures two.tsv && ok || complain "two at once: tables"
    same two "two at once"
done

# A clock that was set back: all that is there comes from the future.
cp -r whole future
find future -exec touch -d '2038-01-01' {} +
finished future >before
compare future --no-figures >table2 2>err && cmp -s table table2 && ok ||
    complain "from the future"
finished future >after
cmp -s before after && ok || complain "done again: it came from the future"

# A disk that is full, then one that can only be read, then one with room.
if unshare -rm true 2>/dev/null; then
    cat >full.sh <<'END'
set -u
mkdir disk
mount -t tmpfs -o size=200k tmpfs disk || exit 9
for try in 1 2; do
    "$@" -o disk/x >out 2>err && exit 1
    grep -q 'No space left' err || exit 2
    ls -A disk/x | grep -q '^\.' && exit 3
    for run in disk/x/re*; do
        [ ! -d "$run" ] || [ -s "$run/result.tsv" ] || exit 4
    done
done
ls -d disk/x/re*/result.tsv >before || exit 5
mount -o remount,ro,size=20m disk
"$@" -o disk/x >out 2>err && exit 6
grep -q 'Read-only' err && [ "$(wc -l <err)" -eq 1 ] || exit 7
mount -o remount,rw disk
"$@" -o disk/x >out 2>err || exit 8
cp -r disk/x refilled
END
    unshare -rm sh full.sh "$build/qkv" compare -v standard,full-rank \
        -t reverse,recall --seeds 3 --steps 40 --test 64 --validate 16 \
        --jobs 2 --no-figures -q
    status=$?
    [ $status -eq 0 ] && ok || complain "a full disk: step $status"
    same refilled "a full disk"
else
    echo "kill: no namespaces here: a full disk is not tried"
fi

finish
