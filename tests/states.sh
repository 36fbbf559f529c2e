#!/bin/sh
# states.sh BUILD - what each command does with an experiment or a run in each
# state that it can be in, as states.tsv has it: only here would you see that one
# command believes, follows, executes or overwrites what another one refuses.
build=$1
. tests/lib.sh
companion gnuplot "all states" || { finish; exit; }
command -v flock >/dev/null || { skip "all states: no flock here"; finish; exit; }
nm "$qkv" 2>/dev/null | grep -q __asan_init || limited=yes
q() {
    (
        [ -z "${limited:-}" ] || ulimit -S -v 2000000
        exec timeout 120 "$qkv" "$@"
    ) >out 2>err <prompt
}
tab=$(printf '\t')

# The canary: a plugin as good as standard, except that to load it leaves a file.
# Commands that a run's words hide are to leave the same file.
export TRIPPED="$work/tripped"
${CC:-cc} -O1 -w -shared -fPIC -I"$top/core" -DLOAD='fclose(fopen(getenv("TRIPPED"), "w"))' \
    "$top/tests/hostile/hostile.c" -o standard.so || complain "the canary does not compile"
echo 0 1 2 0 >prompt
expect "a path that is typed is not opened" q count -v ./standard.so
expect "the canary cannot sing" rm tripped
expect "more than one dlopen in core/" test "$(cd "$top" &&
    cat core/*/*.c | grep 'dlopen(' | grep -vc RTLD_NOLOAD)" -eq 1

# The experiments that are spoiled: each has a run of standard.
tiny="--steps 2 --batch 2 --validate 2 --test 4 --d-model 8 --heads 2 --length 4 --log-every 1 -q"
small="-t reverse --symbols 3 $tiny"
figureless="--seeds 1 --no-figures"
seq 300 >numbers.txt
for made in "base $small -v standard,full-rank" "text --file numbers.txt $tiny -v standard" \
    "alike $small -v standard,full-rank --same-start standard"; do
    expect "no experiment ${made%% *}" q compare ${made#* } $figureless -o ${made%% *}
done
cp -r base square
expect "no square" q equiv -v standard,full-rank $small --format svg -o square
reference=$(echo base/reverse.standard*)

# What the edits of states.tsv are made of; all is about the run $its, which is x/$run.
use() { # EXPERIMENT: x is a copy of it
    rm -rf x
    cp -r "$1" x
    its=$(echo x/*.standard.*seed1.*) run=${its#x/}
}
half() { # FILE: cut in the middle of it
    size=$(wc -c <"$its/$1")
    head -c $((size / 2)) "$its/$1" >half && cp half "$its/$1"
}
link() { # PATH: is moved outside, and a link to it has its place
    mv "$1" outside/moved
    ln -s "$work/outside/moved" "$1"
}
pipe() { rm -rf "$1" && mkfifo "$1"; }
grow() { rm -f half && mkdir -p "$(dirname "$2")" && truncate -s "$1" "$2"; }
setting() { sed -i "s|^$1	.*|$1	$2|" "$its/config.tsv"; }
name() { mv "$its" "x/$1" && its=x/$1 run=$1; }
column() { # NAME: one more column of the logs, and its result
    for of in x/re*/; do
        sed -i "1s|\$|	$1|; 2,\$s|\$|	1|" "$of/log.tsv"
        printf '%s\t1\n' "$1" >>"$of/result.tsv"
    done
}
record() { printf '%b\n' "$1" >>x/experiment.tsv; }
draft() { # the run has all but its name, in the draft of another process
    draft=x/.$run@qkv-abcdef
    mkdir "$draft" && mv "$its" "$draft"
}
hold() { # which still writes it
    flock -F "$draft" sleep 600 &
    writer=$!
    while flock -n "$draft" true; do sleep .02; done
}

put() { # STATE EDIT
    rm -rf x y outside before writer draft recipe.sh
    writer='' draft=''
    mkdir outside
    echo mine >outside/precious
    use base
    eval "$2" || complain "$1 cannot be made"
    rm -rf y tripped
    mkdir before
    cp -r x outside before
}
same() { diff -r --no-dereference "$@" >/dev/null 2>&1; }
# What became of the run: kept as it was, made, or is not there.
after() {
    if [ ! -e "$its" ] && [ ! -L "$its" ]; then
        echo none
    elif [ -e "before/$its" ] && same -x real.tsv "before/$its" "$its"; then
        echo kept
    elif same -x real.tsv -x timing.tsv "$reference" "$its"; then
        echo made
    else
        echo half
    fi
}
# What holds in every cell.
harm() {
    [ ! -e tripped ] || echo "it executed what is not the user's"
    same before/outside outside || echo "it wrote outside"
    for of in before/x/re*/; do
        [ ! -d "$of" ] || [ "$of" = "before/$its/" ] || same -x real.tsv "$of" "${of#before/}" ||
            echo "another run has changed: $of"
    done
    for of in y/re*/; do
        [ ! -d "$of" ] || [ -s "$of/result.tsv" ] || echo "half a run: $of"
    done
    if [ $status -ne 0 ]; then
        [ ! -e y/report.md ] || echo "a report, though it failed"
        [ "$(wc -l <err)" -le 2 ] || echo "more than two lines"
        ! grep -v '^qkv: ' err || echo "no message"
    fi
    [ -z "$(find x y -name '.?*' ! -name '*@qkv-abcdef' 2>/dev/null)" ] ||
        echo "it leaves a draft"
    if [ -n "$writer" ]; then
        same "$reference" "$draft/$run" || echo "swept the draft of a process that lives"
    elif [ -n "$draft" ]; then
        [ "$is" != made ] || [ ! -e "$draft" ] || echo "did not sweep a dead process's draft"
    fi
    ! tr -d '\t' <out | LC_ALL=C grep -q '[[:cntrl:]]' - err || echo "prints control characters"
}
# judge: what is wrong with the cell, after its command: $edit, $command, $wanted, ...
judge() {
    [ "$became" = - ] && is=- || is=$(after)
    [ "$status $is" = "$wanted $became" ] ||
        echo "status $status and the run $is, not $wanted and $became"
    case $words in
    '*') ;;
    '') [ ! -s err ] || echo "has something to say" ;;
    *) grep -qF -- "$words" err || echo "does not say \"$words\"" ;;
    esac
    harm
}
# rows SECTION: each cell of it; awk writes each state in full, for each command.
rows() {
    awk -F '\t' -v OFS='\t' -v heading="# --- $1" '
        /^# ---/ { on = $0 == heading; next }
        !on || /^#/ { next }
        $1 != ">" {
            if (told)
                n = told = 0
            words = match($1, /\{.*\}/) ? substr($1, RSTART + 1, RLENGTH - 2) : "%"
            sub(/\{.*\}/, "%", $1)
            for (i = split(words, each, ";"); i; i--) {
                value[++n] = each[i]
                state[n] = $1 OFS $2
                gsub(/%/, each[i], state[n])
            }
            next
        }
        {
            told = split($2, commands, " ")
            for (i = 1; i <= n; i++) {
                words = $5
                sub(/%/, value[i], words)
                for (k = 1; k <= told; k++)
                    print state[i], commands[k], $3, $4, words
            }
        }' "$top/tests/states.tsv" >cells
    expect "no rows under $1" [ -s cells ]
    while IFS=$tab read -r state edit command wanted became words <&3; do
        put "$state" "$edit"
        eval "q $(sed -n "s/^@$command$tab//p" "$top/tests/states.tsv")"
        status=$?
        wrong=$(judge)
        [ -z "$writer" ] || { kill "$writer" && wait "$writer"; } 2>/dev/null
        if [ -n "$wrong" ]; then complain "$state, $command: $wrong"; else ok; fi
    done 3<cells
}

# --- a run
rows 'a run'

# --- a file of a run
rows 'a file of a run'

# --- links and what is not a plain file
rows 'links and what is not a plain file'

# --- what a run says
rows 'what a run says'

# --- what an experiment says
rows 'what an experiment says'
put quoted 'record "train\\tfrom=\$(touch x)"'
expect "a word of the record is not quoted" q report x -q -o y
expect "a word of the record is not quoted" grep -q "from '\$(touch x)'" y/report.md

# --- a recipe
rows 'a recipe'

# --- experiments brought together
# twice WORDS: two experiments are drawn at once, or refused with those words.
twice() { refuses 1 "$1" "$qkv" plot one two -q --format svg -o y; }
make() { "$qkv" compare $small --no-figures "$@" >out 2>err; }
make -v standard --seed 1,2 -o one
make -v standard,full-rank --seed 2,3 -o two
cp -r two both && cp -r one/*seed1* both
make -v standard --seed 1,2,3 -o both
rm -rf y z
expect "no figure of two" "$qkv" plot one two -q --format svg -o y
expect "no figure of both" "$qkv" plot both -q --format svg -o z
expect "two experiments are not drawn as one" diff -r -x '*.txt' y z
expect "no report of two" "$qkv" report one two -q -o told
for words in 'seed 1, 2, 3' 'seed 1,2 .*--out one' 'seed 2,3 .*--out two'; do
    expect "a report of two has no \"$words\"" grep -q "$words" told/report.md
done
make -v standard --seed 2 --warmup 3 -o other # averaged with none that differs
cp -r other/reverse* two
twice 'because they differ in warmup; choose'
make -v standard --seed 2 --warmup 3 -o two
expect "not drawn again" "$qkv" plot two -q --format svg -o recorded
expect "the command that made it does not record it" grep -q "^2	standard	" recorded/figures/validation_loss-reverse.tsv

# one text under two paths is one text; another text is another
head -c 9000 "$top/README.md" >here.txt
cp here.txt there.txt && echo more | cat here.txt - >longer.txt
small='-t text --steps 3 --batch 2 --test 8 --validate 8 -q'
rm -rf one two other
make --file here.txt -v standard,full-rank --seed 1,2 -o one
make --file there.txt -v standard,full-rank --seed 3,4 -o two
make --file longer.txt -v standard,full-rank --seed 5,6 -o other
expect "one text under two paths: verdicts" sh -c '"$1" table one two --verdicts --columns seeds --tsv | tail -n +2 | tr "\n" " " | grep -qx "4 4 "' sh "$qkv"
expect "one text under two paths: a figure" "$qkv" plot one two -q --format svg -o paths
expect "one text under two paths: a report" "$qkv" report one two -q -o paths-told
expect "two texts are averaged" sh -c '"$1" table one other --verdicts --columns seeds --tsv | tail -n +2 | tr "\n" " " | grep -qx "2 2 2 2 "' sh "$qkv"

finish
