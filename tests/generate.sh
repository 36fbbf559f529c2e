#!/bin/sh
# generate.sh BUILD - qkv generate: what it says of each task, the same text from
# the same seed, and what it refuses: prompts, options, runs that were changed.

set -u
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
build=$(cd "$1" && pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0 refused=0

ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "generate: $*" >&2
    [ -f err ] && head -n 3 err | sed 's/^/    /' >&2
    [ -z "${STOP:-}" ] || exit 1
}
# refuses STATUS WORDS ARGUMENTS ...: exits so, in one line, with those words.
refuses() {
    wanted=$1 words=$2
    shift 2
    timeout 20 "$qkv" generate "$@" >out 2>err </dev/null
    status=$?
    refused=$((refused + 1))
    if [ $status -ne "$wanted" ]; then
        complain "$*: status $status, not $wanted"
    elif ! grep -qF -- "$words" err; then
        complain "$*: does not say \"$words\""
    elif [ "$(wc -l <err)" -ne 1 ] || LC_ALL=C grep -q '[[:cntrl:]]' err; then
        complain "$*: not one line of text"
    elif [ -s out ]; then
        complain "$*: prints something all the same"
    else
        ok
    fi
}
# says WORDS ARGUMENTS ...: exits 0 with those words, a line of them or a part.
says() {
    words=$1
    shift
    "$qkv" generate "$@" >out 2>err </dev/null
    status=$?
    if [ $status -ne 0 ]; then
        complain "$*: status $status"
    elif ! grep -qF -- "$words" out; then
        complain "$*: does not print \"$words\""
    else
        ok
    fi
}
# made NAME ARGUMENTS ...: trains a run, which is then called NAME.
made() {
    name=$1
    shift
    "$qkv" train "$@" -q -o runs >out 2>err || complain "no run: $*"
    mv runs/*.seed1.* "$name" && rm -rf runs
}
tab=$(printf '\t')
yes 'it was the best of times, it was the worst of times' | head -c 4000 >times
printf 'ein Häuschen, grün wie Gräser\n%.0s' $(seq 60) >umlauts
awk 'BEGIN { print "input\ttarget"; for (i = 0; i < 40; i++)
    print "the cat sat\tD N V"; print "a cat\t- N" }' >words
short="--d-model 16 --heads 2 --validate 16 --test 16 --steps 400"
made text -t text --file times $short --length 16
made rope -t text --file times $short --length 16 --positions rope
made waves -t text --file times $short --length 16 --positions sinusoidal
made onehot -t text --file times $short --length 16 --embed onehot --norm none --layers 1
made umlaut -t text --file umlauts $short --length 16
made bytes -t text --file umlauts $short --length 16 --characters bytes
made unmasked -t text --file times $short --length 16 --mask none
made pairs -t pairs --file words $short --steps 200
made window -t text --file times $short -v window --window 8
for task in reverse copy induction recall mqar modular-add sort cross-recall translate; do
    made $task -t $task
done
made subset -t subset --steps 20
made hot -t copy --embed onehot --steps 20
made linear -t linear --steps 20
made bare -t reverse --no-weights --steps 2

# --- a text goes on
says "it was the best of times, it was" text -p "it was the b" --greedy -q
says "it was" text -p "it was" -n 1 -q
says "Häuschen, grün" umlaut -p "ein Hä" --greedy -q
says "ein H\\xc3\\xa4uschen" bytes -p "ein H" --greedy -q -n 20
says "times, it" onehot -p "times," -q --greedy
says "position" hot -p "1 2 3" -n 2 -q # fewer positions than the matrices have columns for
says "it was the" window -p "it was the" -q --greedy
for run in text rope waves onehot window; do
    "$qkv" generate $run -p "it was" -q >one 2>err && "$qkv" generate $run -p "it was" -q >two &&
        cmp -s one two && ok || complain "$run: the same seed, another text"
    [ "$(wc -m <one)" -eq 207 ] && ok || complain "$run: $(wc -m <one) characters, not 6 + 200 and a line's end"
    "$qkv" generate $run -p "it was" -q --seed 2 >two && ! cmp -s one two && ok ||
        complain "$run: another seed, the same text"
    "$qkv" generate $run -p "it was" -q --greedy >one && "$qkv" generate $run -p "it was" -q --temperature 0 >two &&
        cmp -s one two && ok || complain "$run: greedy is not temperature 0"
    "$qkv" generate $run -p "it was" -q --top-k 1 >two && cmp -s one two && ok ||
        complain "$run: greedy is not the likeliest one of 1"
done
# Samples follow one another in one stream: the first is the one without --samples.
"$qkv" generate text -p "it was" -q >one && "$qkv" generate text -p "it was" -q --samples 3 >three &&
    grep -v '^---' three | cmp -s -n "$(wc -c <one)" - one && ok || complain "the first of three samples"
[ "$(grep -c '^--- [123] of 3$' three)" -eq 3 ] && ok || complain "three samples"
# Standard input, without its last newline.
echo "it was" | "$qkv" generate text -p - -q >two 2>err && cmp -s one two && ok || complain "standard input"
# What it says of sequences longer than it was trained on.
"$qkv" generate text -p "it was" >out 2>err && grep -q 'has positions for 16 tokens.*last 8 to 16' err && ok ||
    complain "learned positions end, and it does not say so"
"$qkv" generate rope -p "it was" >out 2>err && grep -q 'was trained on 16 tokens' err && ok ||
    complain "longer than it was trained on, and it does not say so"
"$qkv" generate rope -p "it was" -n 9 >out 2>err && [ ! -s err ] && ok || complain "has nothing to say, and does"
# The text may be gone.
mv times gone && says "it was the best" text -p "it was the b" --greedy -q && mv gone times
mv words gone && says "2${tab}cat${tab}N" pairs -p "the cat sat" && mv gone words
# A run of before symbols were recorded reads its text, which must be there.
cp -r text old && rm old/symbols.tsv && says "it was the best" old -p "it was the b" --greedy -q
mv times gone && refuses 1 "has no symbols.tsv, and its text times is not there" old -p "it" && mv gone times

# --- tasks answer
digits="3 3 0 4 6 7 9 7 8 1 0 2 2 6 7 2"
says "1${tab}3${tab}2${tab}" reverse -p "$digits"
says "16${tab}2${tab}3${tab}" reverse -p "$digits"
says "9${tab}10${tab}3${tab}" copy -p "3 1 4 1 5 9 2 6 10"
says "16${tab}2${tab}6${tab}" copy -p "3 1 4 1 5 9 2 6 10"
says "8${tab}3${tab}12${tab}" induction -p "3 12 14 2 13 1 4 3"
says "9${tab}18${tab}33${tab}" recall -p "3+38 28+43 30+40 18+33 29+38 1+43 4+47 31+45 18 30 29 28 1 31 4 3"
says "9${tab}2${tab}24${tab}" mqar -p "3 31 12 26 14 22 2 24 2 12 14 3"
says "3${tab}13${tab}8${tab}" modular-add -p "9 12 13"
says "1${tab}3${tab}0${tab}" sort -p "3 3 0 4 6 7 9 7"
says "2${tab}18${tab}36${tab}" cross-recall -p "3+42 28+38 30+40 18+36 29+39 1+44 4+44 31+45 | 4 18 3 28 4 18 31 1"
says "8${tab}3${tab}3${tab}" translate -p "3 3 0 4 6 7 9 7"
says "1${tab}1${tab}" subset -p "1 1 0 0 0 1 1 1 0 1 0 0 0 0 1 0"
says '"answer": "N"' pairs -p "the cat sat" --json
says "2${tab}cat${tab}N" pairs -p "a cat"
if script -qc true /dev/null >/dev/null 2>&1; then
    script -qc "'$qkv' generate reverse -p '$digits'" /dev/null >out 2>err </dev/null
    grep -q 'block0.attention, head 4' out && ok || complain "no maps on a terminal"
fi

# --- the same function in other matrices
made two-step -t text --file times $short --length 16 -v two-step
made mla -t text --file times $short --length 16 -v mla --positions none
made turned -t text --file times $short --length 16 -v mla --positions rope --steps 20
made full -t text --file times $short --length 16 -v full-rank --steps 20
for pair in 'two-step standard' 'mla mla-absorbed' 'mla standard' 'text v-from-k' 'rope v-from-k'; do
    set -- $pair
    "$qkv" generate $1 -p "it was" --greedy -q >one 2>err &&
        "$qkv" generate $1 -p "it was" --greedy -q --as $2 >two 2>err && cmp -s one two && ok ||
        complain "$1 as $2: another text"
done
"$qkv" generate two-step -p "it was" -n 4 --as standard >out 2>err &&
    grep -q 'two-step as standard: M and N are .* apart; entries in the cache for a token: 64, and before 64' err && ok ||
    complain "does not say what it converted"
"$qkv" generate rope -p it -n 1 --as v-from-k >out 2>err && grep -q 'entries in the cache for a token: 32, and before 64' err &&
    grep -q 'condition number of [1-9]' err && ok || complain "does not say what it inverted"
made narrow -t text --file times $short --length 16 --d-k 4 --steps 20
refuses 1 "standard cannot become v-from-k exactly" narrow -p it --as v-from-k
refuses 1 "two-step cannot become mqa exactly" two-step -p it --as mqa
refuses 1 "full-rank cannot become standard exactly" full -p it --as standard
refuses 1 "through a rotation" turned -p it --as mla-absorbed
refuses 1 'its plugin has no `fit`' two-step -p it --as two-step-tanh
refuses 2 "did you mean" two-step -p it --as standrad

# --- what a token costs
begin=$(date +%s)
"$qkv" generate mla --costs --as mla-absorbed >costs 2>err || complain "no costs"
# a token takes no longer than all
awk -F '\t' -v took=$(($(date +%s) - begin + 1)) 'NR > 1 {
        n++
        flops[$1 " " $2] = $5
        if ($3 != 16 * 4 || $4 != ($1 + 16) * $3 || !($6 * took > 1) ||
            ($2 == "mla" ? $7 != "NA" : !($7 < 1e-2)))
            bad = $0
    }
    END {
        if (bad || n != 14 || flops["8192 mla"] < 5 * flops["8192 mla-absorbed"])
            print n, bad
    }' costs >err
[ ! -s err ] && ok || complain "costs of mla"
refuses 1 "has positions for 16 tokens, and --costs begins with 144" text --costs
refuses 1 "is for runs that go on" reverse --costs
refuses 1 "is for runs that go on" translate --costs
refuses 2 "contradict" mla --costs -p it
refuses 2 "contradict" mla --costs -n 3
refuses 2 "chooses no tokens" mla --costs --greedy
refuses 2 "chooses no tokens" mla --costs --samples 2
refuses 2 "is one table" text -p it --samples 2 --json

# --- options and prompts
refuses 2 "needs a value" text -p
refuses 2 "did you mean" text --promt x
refuses 2 "takes RUN" -p x
refuses 2 "takes RUN" text rope -p x
refuses 2 "unknown option -z" text -z
for n in 0 -1 1.5 many '' 1000001 99999999999999999999 1e3 0x10; do
    for option in tokens top-k samples seed; do
        refuses 2 "--$option: " text -p it --$option "$n"
    done
done
for x in -1 nan inf 1001 -0.1 cold '' 1,5 1e9; do
    refuses 2 "--temperature: " text -p it --temperature "$x"
done
refuses 2 "contradict" text -p it --greedy --top-k 2
refuses 2 "contradict" text -p it --greedy --temperature 1
refuses 2 "contradict" text -p it --greedy --temperature 0
refuses 2 "to choose from" text -p it --top-k 1000
refuses 2 "to choose from" reverse -p "$digits" --top-k 11
refuses 2 "no more than 1000000" text -p it -n 1000000
for layout in tsv markdown latex json; do
    refuses 2 "continues a text" text -p it --$layout
done
refuses 2 "how the text begins" text
refuses 2 "the prompt is empty" text -p ''
refuses 2 "standard input is empty" text -p -
for c in X 7 é ł 語 '@' '~' '{'; do
    refuses 2 "\"$c\", U+" text -p "it $c"
done
refuses 2 'U+0009: a character that the text of text does not have' text -p "it${tab}was"
refuses 2 'U+001B: a character' text -p "$(printf 'it\033[2J')"
refuses 2 'U+0085: a character' text -p "$(printf 'it\302\205')"
refuses 2 "0x78: a byte" bytes -p "x"
refuses 2 "0x89: a byte" bytes -p "É"
for bytes in '\377' '\303' '\300\200' '\355\240\200' '\364\220\200\200' 'it\200'; do
    refuses 2 "not UTF-8" text -p "$(printf "$bytes")"
done
refuses 1 "has no causal mask" unmasked -p it
refuses 1 "no tokens to go on with" linear -p "1 2"
for task in reverse copy induction recall mqar modular-add sort cross-recall translate subset; do
    bar=
    [ $task != cross-recall ] || bar=' | 1'
    refuses 2 'generate needs --prompt TEXT, a sequence of the task, as "' $task
    refuses 2 'the prompt is empty' $task -p ''
    refuses 2 'the text is empty' $task -p '  '
    refuses 2 'tokens of' $task -p "1 -1 2$bar"
    refuses 2 'tokens of' $task -p "x$bar"
    refuses 2 'tokens of' $task -p "1000$bar"
    refuses 2 'tokens of' $task -p "1.5$bar"
    refuses 2 'tokens of' $task -p "99999999999999999999$bar"
    refuses 2 'tokens' $task -p "1+1+1$bar"
    refuses 2 'not UTF-8' $task -p "$(printf '1 \377')"
done
refuses 2 "how the text begins" text -q
refuses 2 "words of the table" pairs
refuses 2 '"cot" (did you mean "cat"?): a word that the inputs of' pairs -p "the cot sat"
refuses 2 'no more than 3' pairs -p "the cat sat sat"
for task in reverse sort recall mqar modular-add translate subset; do
    refuses 2 '1 token' $task -p "1"
done
refuses 2 '3 tokens, and sequences of reverse have 16, as in "' reverse -p "3 1 4"
refuses 2 'nothing is left' copy -p "3 1 4 1 5 9 2 6 10 3 1 4 1 5 9 2 6"
refuses 2 'knows positions of 16' copy -p "3 1 4 1 5 9 2 6 10" -n 9
refuses 2 '--tokens is for runs that go on' sort -p "3 3 0 4 6 7 9 7" -n 3
refuses 2 'no | in the prompt, after the first of two' cross-recall -p "3+42 28+38 30+40 18+36 29+39 1+44 4+44 31+45"
refuses 2 '2 tokens before |' cross-recall -p "3+42 28+38 | 3"

# --- runs
refuses 1 "cannot be read" nowhere -p it
refuses 1 "no config.tsv" . -p it
refuses 1 "were not kept" bare -p "$digits"
# spoilt FILE HOW: a copy of the run with that file changed.
spoilt() { rm -rf bad && cp -r "${3:-text}" bad && eval "$2" "bad/$1"; }
half() { head -c $(($(wc -c <"$1") / 2)) "$1" >half && cp half "$1"; }
empty() { : >"$1"; }
zeros() { head -c "$(wc -c <"$1")" /dev/zero >half && cp half "$1"; }
link() { mv "$1" elsewhere && ln -s "$PWD/elsewhere" "$1"; }
for file in config.tsv log.tsv result.tsv symbols.tsv weights/embedding.npy weights/unembedding.npy \
    weights/block1.attention.W_Q.npy weights/positions.npy; do
    for how in half empty zeros link; do
        spoilt $file $how
        refuses 1 "$file" bad -p it
    done
    spoilt $file rm
    [ $file = symbols.tsv ] || refuses 1 "$file" bad -p it
done
for line in "character${tab}9999999" "character${tab}-1" "character${tab}1.5" "character${tab}x" \
    "character${tab}55296" "character${tab}10" "token${tab}65000" "character" "x${tab}y${tab}z" "${tab}"; do
    spoilt symbols.tsv "printf '%s\\n' '$line' >>"
    refuses 1 "symbols.tsv" bad -p it
done
for line in "length${tab}3" "input${tab}" "input${tab}a b" "other${tab}x" "input${tab}later"; do
    spoilt symbols.tsv "printf '%s\\n' '$line' >>" pairs
    refuses 1 "symbols.tsv" bad -p "the cat sat"
done
for length in 0 -1 1.5 x 1e30 4; do
    spoilt symbols.tsv "sed -i 's/^length.*/length${tab}$length/'" pairs
    refuses 1 "$([ $length = 4 ] && echo positions.npy || echo symbols.tsv)" bad -p "the cat sat"
done
spoilt symbols.tsv "sed -i '\$d'" # a character less than the embedding has
refuses 1 "embedding.npy" bad -p it
[ $refused -ge 200 ] && ok || complain "$refused refusals, not 200"

# --- nowhere to write, nobody who reads, an end
if [ -w /dev/full ]; then
    "$qkv" generate text -p it -q -n 100000 >/dev/full 2>err
    [ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && ok || complain "a full disk"
fi
status=$( ("$qkv" generate text -p it -q -n 100000 2>err; echo $? >status) | head -c 10 >out; cat status)
[ "$status" -eq 141 ] && [ ! -s err ] && ok || complain "a closed pipe: status $status"
timeout -s INT 1 "$qkv" generate text -p it -q -n 900000 --samples 1000 >out 2>err
[ $? -ge 124 ] && [ -s out ] && [ ! -s err ] && ok || complain "an interrupt"
find . -name '.*@qkv-*' | grep -q . && complain "left something" || ok

# --- 8,192 tokens: the cache that count predicts, and 8 MB
made one-head -t text --file times --steps 2 --heads 1 --layers 1 --positions rope --validate 16 --test 16
peak() { # TOKENS: kB
    /usr/bin/time -f %M "$qkv" generate one-head -p i -q -n "$1" 2>&1 >/dev/null | tail -n 1
}
if [ -x /usr/bin/time ]; then
    few=$(peak 16) many=$(peak 8192)
    predicted=$("$qkv" count -v standard --d-model 32 --heads 1 --layers 1 --tsv |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["cache"] * 4 * 8192 / 1024 }')
    awk -v few="$few" -v many="$many" -v p="$predicted" 'BEGIN { exit !(p > 0 && many - few <= p + 8192) }' && ok ||
        complain "8192 tokens take $((many - few)) kB, and the cache has $predicted"
fi

echo "generate: $passed passed, $failed failed; $refused refused"
[ $failed -eq 0 ]
