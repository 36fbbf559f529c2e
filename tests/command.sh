#!/bin/sh
# command.sh BUILD - the command as a user meets it: what it does, and what it
# says of everything that is wrong. Each line of a `refuses` is one bad input,
# the exit status it must have, and words that its message must hold.

set -u
# Under the address sanitizer: a program that ends with a message does not free
# first, and a crash is to look like one. Leaks are valgrind.sh's.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
build=$(cd "$1" && pwd)
top=$(pwd)
qkv=$build/qkv
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "command: $*" >&2
    [ -f err ] && sed 's/^/    /' err >&2
    [ -z "${STOP:-}" ] || exit 1 # the first is enough (mutants.sh)
}

# refuses STATUS WORDS COMMAND ...: exits so, with one line, with those words.
refuses() {
    wanted=$1 words=$2
    shift 2
    "$@" >out 2>err </dev/null
    status=$?
    if [ $status -ne "$wanted" ]; then
        complain "$*: status $status, not $wanted"
    elif ! grep -qF -- "$words" err; then
        complain "$*: does not say \"$words\""
    elif [ "$(wc -l <err)" -ne 1 ]; then
        complain "$*: not one line"
    else
        ok
    fi
}

# works WORDS COMMAND ...: exits 0 with those words on stdout.
works() {
    words=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    if [ $status -ne 0 ]; then
        complain "$*: status $status"
    elif ! grep -qF -- "$words" out; then
        complain "$*: does not print \"$words\""
    else
        ok
    fi
}

# plugin NAME FLAGS: compiles NAME.c here, as the README says to.
plugin() {
    name=$1
    shift
    ${CC:-cc} -shared -fPIC -I "$top/core" "$@" "$name.c" -o "$name.so" ||
        complain "$name.c does not compile"
}
small="--steps 20 --test 32 --validate 32 --d-model 16 -q"
yes 'a line of text' | head -c 3000 >lines

# has NAME: an experiment that several sections read. Each section can be run alone
# (ask.sh): it makes what is not there.
has() {
    [ -d "$1" ] || case $1 in
    grid) "$qkv" compare -v standard,full-rank -t recall --seeds 2 --d-k 2,8 $small -o grid ;;
    drawn) "$qkv" compare -v standard,fused -t reverse --seeds 2 $small -o drawn ;;
    rated)
        "$qkv" compare -t reverse --seeds 2 -v standard,fused $small \
            --lr 0.00001,0.01 -o rated --no-figures
        ;;
    cross) "$qkv" train -t cross-recall --queries 3 $small -o cross ;;
    bare) "$qkv" train --no-weights $small -o bare ;;
    esac >table 2>err || complain "an experiment: $1"
}

# --- help, versions, lists
works "compare" "$qkv"
works "compare" "$qkv" help
works "qkv 0" "$qkv" --version
works "--d-model" "$qkv" compare --help
works "--format" "$qkv" help plot
works "standard" "$qkv" list
works "d-model=32" "$qkv" list --tasks
works "4096" "$qkv" list --variants
works "16384" "$qkv" list --variants --d-model 64
works "| two-step | 448 | 224 |" "$qkv" list --real --variants --markdown
works "| standard | 256 | 224 | 32 |" "$qkv" count --real -v standard --d-model 8 --markdown
works "| standard | W^Q | 8 | 8 | 64 | 48 |" "$qkv" count --real --weights -v standard --d-model 8 --markdown
"$qkv" count --real -v identity --d-model 8 >out 2>err
[ -s out ] && [ ! -s err ] && ok || complain "count --real of nothing: $(cat err)"
refuses 1 "no formula fits" "$qkv" count --real -v mla-rope --d-model 64
refuses 2 "name some with -v" "$qkv" count --real --d-model 8
refuses 2 "it takes \"fitted\" or nothing" "$qkv" count --real=x
for layers in 1 2 3 5; do # each layer has its own
    "$qkv" count --real=fitted -v standard,mqa --d-model 8 --layers $layers --tsv >out 2>err
    [ "$(cut -f 1-3 out | tail -n 2 | tr '\n\t' '  ')" = \
        "standard $((256 * layers)) $((224 * layers)) mqa $((160 * layers)) $((152 * layers)) " ] && ok ||
        complain "count --real=fitted of $layers layers: $(cat out err)"
done
"$qkv" count --real=fitted -v standard --d-model 8 >out 2>err &&
    grep -qF 'standard: -h v^2 + 2 d h v - h k^2 + 2 d h k, by a formula fitted' err && ok ||
    complain "count --real=fitted: $(cat err)"
refuses 2 "tasks have no parameters" "$qkv" list --real --tasks
works "fewer keys	mqa	2560" "$qkv" list --family
refuses 2 'did you mean "compare"' "$qkv" comprae
refuses 2 'qkv help' "$qkv" xyzzy
works "complete -o" "$qkv" completion bash
works "#compdef qkv" "$qkv" completion zsh
refuses 2 'takes bash | zsh' "$qkv" completion
refuses 2 'bash or zsh' "$qkv" completion fish
# completes COMMAND BEFORE FIRST: the first word that may follow
completes() {
    [ "$("$qkv" completion words "$1" "$2" | head -n 1)" = "$3" ] && ok ||
        complain "completion after $1 $2: $("$qkv" completion words "$1" "$2" | head -n 2)"
}
"$qkv" completion words '' '' >out
[ "$(head -n 3 out | tr '\n' ' ')" = "--version help list train " ] && grep -qx equiv out && ok ||
    complain "completion of commands"
"$qkv" completion words train '' >out
grep -qvx -- '--[a-z][a-z0-9-]*' out && complain "options of train: $(cat out)" || ok
completes train -t reverse
completes train --task reverse
completes train -v biased
completes train --quiet --threads
completes train -q --threads
completes train - --threads
completes train t --threads
completes train task --threads
completes train -o ''
completes compare --match 'params real flops cache'
completes compare --plan --seeds # which needs no word
completes check identity --tsv
"$qkv" completion words nosuch '' >out 2>err && [ ! -s out ] && ok || complain "completion of no command"
if bash -c true 2>/dev/null; then
    "$qkv" completion bash >script
    bash_completes() { # WORDS COMPLETED
        PATH=$build:$PATH bash -c '. ./script && COMP_WORDS=(qkv $1) &&
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _qkv && echo "${COMPREPLY[@]}"' - "$1" >out
        [ "$(cat out)" = "$2" ] && ok || complain "bash completes $1 as $(cat out)"
    }
    bash_completes tra "train trace"
    bash_completes "train -t rev" reverse
    bash_completes "compare -v standard,fus" standard,fused
    bash_completes "train -t --see" --seed
fi

# --- options
refuses 2 'did you mean "d-model"' "$qkv" train --d-modle 3
refuses 2 'unknown option -z' "$qkv" train -z
refuses 2 'unknown option -z' "$qkv" train -zq
refuses 2 'needs a value' "$qkv" train --steps
refuses 2 'takes no value' "$qkv" compare --quiet=3
refuses 2 '--help=x: takes no value' "$qkv" compare --help=x
refuses 2 '--tsv=1: takes no value' "$qkv" check standard --tsv=1
refuses 2 'new takes NAME' "$qkv" new
refuses 2 'there is --plan, lines for any shell' "$qkv" compare --plan=3
refuses 2 'nothing else' "$qkv" train reverse
refuses 2 'is not a number' "$qkv" train --steps many
refuses 2 'whole number' "$qkv" train --steps 1.5
refuses 2 'not within' "$qkv" train --steps -1
refuses 2 'not within' "$qkv" train --d-model -3
refuses 2 'not within' "$qkv" train --d-model 99999999999
refuses 2 'at least one head' "$qkv" train --heads 0
refuses 2 'does not divide' "$qkv" train --heads 3 --d-model 32
refuses 2 'does not divide' "$qkv" list --heads 3
refuses 2 'does not divide heads 4' "$qkv" train -v gqa --kv-heads 3
refuses 2 '--kv-heads: no variant named here uses it; leave it out' "$qkv" train -v mqa --kv-heads 2 -o never
refuses 2 '--latent: no variant' "$qkv" count -v standard,gqa --latent 2
refuses 2 '--kv-heads: no variant' "$qkv" equiv -v standard,two-step --kv-heads 2 -o never
refuses 2 '--latent: no variant' "$qkv" trace 'a b' -v standard --latent 2
works 3072 "$qkv" count -v standard,gqa --kv-heads 2
# Shapes that only the variant's equation knows of cost its run.
refuses 1 'no-wq.so: split: (16 x 16) does not divide into 3 heads' \
    "$qkv" count -v no-wq --heads 3 --d-v 4 --d-model 16
refuses 2 'unknown option --steps' "$qkv" list --steps 3
refuses 2 'not within' "$qkv" train --beta1 1
refuses 2 'lists are for' "$qkv" train --heads 1,2
refuses 2 'not one of: none pre' "$qkv" train --norm post
refuses 2 'not within' "$qkv" compare --lr 0.1,-1
refuses 2 'within 1 and' "$qkv" compare --seeds 0
refuses 2 'is not a number' "$qkv" compare --jobs two
refuses 2 'contradict' "$qkv" compare --seeds 3 --seed 4
refuses 2 'did you mean "reverse"' "$qkv" train -t revers
refuses 2 'did you mean "standard"' "$qkv" train -v standrad
refuses 2 'variants/nothing-like-it.so' "$qkv" train -v nothing-like-it
refuses 2 'not one of: svg' "$qkv" compare --format gif
refuses 2 'an empty word' "$qkv" train -t ''
refuses 2 'cannot all differ' "$qkv" train -t recall --length 40
refuses 2 'at least 9' "$qkv" train -t induction --length 8
refuses 2 'longer than steps' "$qkv" train --warmup 500
refuses 2 '1000000 x 10000) would' "$qkv" train --batch 1000000 --length 10000
refuses 2 'for the tasks text and pairs' "$qkv" train -t sort --file x
[ ! -e qkv-out ] && ok || complain "a refusal left qkv-out behind"

# --- texts
refuses 2 'needs a file' "$qkv" train -t text
refuses 1 'No such file' "$qkv" train --file missing
refuses 1 'not a plain file' "$qkv" train --file .
: >empty
refuses 1 '0 characters are too few' "$qkv" train --file empty
echo short >short
refuses 1 'too few' "$qkv" train --file short
# Ten times --length 9 + 1 characters are just enough.
printf '%099d\n' 0 >enough
printf '%098d\n' 0 >one_less
works text "$qkv" train --file enough --length 9 --steps 1 -q -o enough_run
refuses 1 'are too few' "$qkv" train --file one_less --length 9
refuses 2 'is not within 1 and 1000' "$qkv" train --layers 0
works '(reverse, recall, sort, induction)' "$qkv" compare --help
works '(the seven of the questions)' "$qkv" equiv --help
"$qkv" train -t linear --depth 2 --loss l4 --length 3 --steps 1 -q -o fourth >out 2>err
grep -q '^chance_loss	68.25$' fourth/*/result.tsv && ok || # (4^4 + 2^4 + 1) / 4
    complain "what l4 is at chance"
head -c 3000 "$qkv" >binary
refuses 1 'not UTF-8' "$qkv" train --file binary
works text "$qkv" train --file binary --characters bytes $small
works text "$qkv" train --file lines $small
if [ "$(id -u)" -ne 0 ]; then
    chmod 0 lines
    refuses 1 'Permission' "$qkv" train --file lines
fi

# --- plugins
refuses 2 'no such plugin file' "$qkv" train -v ./none.so
echo 'not an ELF file' >text.so
refuses 1 'not a shared object' "$qkv" train -v ./text.so
cp "$build/variants/standard.so" cut.so
head -c 300 cut.so >half.so
refuses 1 'not a shared object' "$qkv" train -v ./half.so
cp "$build/variants/standard.so" standard.so
refuses 2 'two variants are called standard' \
    "$qkv" compare -v standard,./standard.so -t reverse
refuses 2 'given twice' "$qkv" compare -v standard,standard -t reverse
refuses 2 'not the name of a variant' "$qkv" train -v './a b.so'
refuses 2 'with a slash, ./standard.so' "$qkv" train -v standard.so
refuses 2 'named with a slash' "$qkv" train -v standard.c

echo 'int nothing;' >no-entry.c
plugin no-entry
refuses 1 'no symbol qkv_variant' "$qkv" train -v ./no-entry.so
sed 's/QKV_ABI/99/' "$top/variants/standard.c" >abi.c
plugin abi
refuses 1 'ABI 99' "$qkv" train -v ./abi.so
sed '/forward = forward/d' "$top/variants/standard.c" >no-forward.c
plugin no-forward
refuses 1 'qkv_variant.forward is NULL' "$qkv" train -v ./no-forward.so
sed '/weights = weights/d' "$top/variants/standard.c" >no-weights.c
plugin no-weights -Wno-unused-function
refuses 1 'qkv_variant.weights is NULL' "$qkv" train -v ./no-weights.so
sed '/shape = /d' "$top/variants/standard.c" >no-shape.c
plugin no-shape
refuses 1 'qkv_variant.shape is NULL' "$qkv" train -v ./no-shape.so
sed '/equation = /d' "$top/variants/standard.c" >no-equation.c
plugin no-equation
refuses 1 'qkv_variant.equation is NULL' "$qkv" train -v ./no-equation.so
sed 's/"heads d-k d-v"/"heads d-q"/' "$top/variants/standard.c" >shape.c
plugin shape
refuses 1 'no shape option' "$qkv" train -v ./shape.so
sed 's/attend(a/ponder(a/; s/^static Node/Node *ponder(void *, Node *, Node *, Node *, double);\n&/' \
    "$top/variants/standard.c" >unresolved.c
plugin unresolved
refuses 1 'undefined symbol: ponder' "$qkv" train -v ./unresolved.so

# An operator of its own: float for the one program, double for the other.
sed 's|<qkv/variant.h>|<qkv/variant.h>\n#include <qkv/operator.h>|' \
    "$top/variants/standard.c" >operator.c
plugin operator
works reverse "$qkv" train -v ./operator.so $small
refuses 1 'with -DQKV_DOUBLE' "$qkv-double" train -v ./operator.so
plugin operator -DQKV_DOUBLE
works reverse "$qkv-double" train -v ./operator.so $small
refuses 1 'without -DQKV_DOUBLE' "$qkv" train -v ./operator.so

# Plugins that break: their own run fails, the others finish, the status tells.
breaks() {
    words=$1
    shift
    sed "$@" "$top/variants/standard.c" >broken.c
    plugin broken
    "$qkv" compare -v standard,./broken.so -t reverse --seeds 1 $small \
        --no-figures --redo -o broken-out >out 2>err </dev/null
    status=$?
    if [ $status -eq 1 ] && grep -qF "$words" err && grep -q standard out &&
        [ -z "$(ls -A broken-out | grep '^\.')" ]; then
        ok
    else
        complain "a plugin that should break ($words): status $status"
    fi
}
breaks 'crashed' 's|return matmul|*(volatile int *)8 = 1; return matmul|'
breaks 'add: (64 x 16) and block0.attention.W^Q (16 x 16) do not fit' \
    's|return matmul|return add(x, w[W_Q]); matmul|'
breaks 'forward returned' 's|return matmul|return columns(x, 0, 1); matmul|'
breaks 'forward returned NULL' 's|return matmul|return 0; matmul|'
breaks 'ended its process in forward (status 3)' \
    's|return matmul|extern void _exit(int); _exit(3); return matmul|'

# Outside of a run the plugin is named too.
sed 's|return matmul|return add(x, w[W_O]); matmul|' \
    "$top/variants/standard.c" >broken.c
plugin broken
"$qkv" count -v ./broken.so --d-model 64 >out 2>err
[ $? -eq 1 ] && grep -q 'broken.so: add: (16 x 64) and W^O (64 x 64) do not fit' err && ok ||
    complain "count: whose bug it is"
sed 's|return matmul|*(volatile int *)8 = 1; return matmul|' \
    "$top/variants/standard.c" >broken.c
plugin broken
"$qkv" count -v ./broken.so >out 2>err
[ $? -eq 1 ] && grep -q 'broken.so: crashed in forward: Seg\|broken.so: ended its process in forward' err &&
    ok || complain "count: a plugin that crashes"

# A crash while loading; no other plugin suffers from it in a list.
mkdir path
printf '%s\n' '#include <stdlib.h>' \
    '__attribute__((constructor)) static void f(void) { abort(); }' >path/bad.c
(cd path && plugin bad)
cp "$build/variants/standard.so" path/other.so
QKV_PATH=$work/path "$qkv" list --variants >out 2>err
[ $? -eq 1 ] && grep -q 'bad is left out' err && grep -q '^other' out &&
    grep -q '^fused' out && ok || complain "list with a bad plugin"

# --- settings of a plugin's own
sed 's|sqrt(a->d_k)|& * setting(a, "gain") + setting(a, "shift")|
     s|    .weights = weights|    .settings = "shift=0 gain=1",\n&|' \
    "$top/variants/standard.c" >gain.c
plugin gain
sed 's|"shift=0 gain=1"|"gain=2"|; s| + setting(a, "shift")||' gain.c >gain2.c
plugin gain2
works 'nothing wrong' sh -c '"$1" check ./gain.so 2>&1' - "$qkv"
works '  --gain X' "$qkv" train -v ./gain.so --help
mkdir own && cp gain.so gain2.so own
QKV_PATH=$work/own works 'shift=0 gain=1' "$qkv" list --variants
refuses 2 'unknown option --gain' "$qkv" train --gain 2
refuses 2 'no variant named here declares it' "$qkv" compare -v standard --gain 2
refuses 2 'did you mean "gain"' "$qkv" train -v ./gain.so --gian 2
refuses 2 '"x" is not a number' "$qkv" train -v ./gain.so --gain x
refuses 2 'not within' "$qkv" train -v ./gain.so --gain inf
refuses 2 'needs a value' "$qkv" train -v ./gain.so --gain
refuses 2 'no such plugin file' "$qkv" train -v ./none.so --gain 2

# An axis: the two that declare it run twice, standard once.
works 'reverse.gain3' "$qkv" compare -v standard,./gain.so,./gain2.so \
    -t reverse --seeds 1 $small --gain 2,3 -o gains
[ "$(ls -d gains/reverse.* | wc -l)" -eq 5 ] &&
    [ "$(ls -d gains/reverse.gain.*gain3* | wc -l)" -eq 1 ] &&
    [ "$(ls -d gains/reverse.gain2.*gain2.seed* 2>/dev/null | wc -l)" -eq 0 ] &&
    [ -f gains/figures/test_loss-gain-reverse.svg ] && ok || complain "a grid of a plugin's setting"
[ "$(tail -n 2 gains/reverse.gain.*gain3*/config.tsv)" = "$(printf 'gain\t3\nshift\t0')" ] &&
    [ "$(tail -n 1 gains/reverse.standard.*/config.tsv | cut -f1)" = file-hash ] &&
    ok || complain "a plugin's setting in config.tsv"
query=weights/block0.attention.W_Q.npy
cmp -s gains/reverse.gain.*gain2.seed1.*/$query gains/reverse.gain2.*test32.seed1.*/$query &&
    ok || complain "the same value of it in two variants is another function"
cmp -s gains/reverse.gain.*gain2.seed1.*/$query gains/reverse.gain.*gain3.seed1.*/$query &&
    complain "its value changes nothing"
works gain "$qkv" table gains
works '--gain 2,3' sh -c '"$1" report gains -o gains-report -q && cat gains-report/report.md' \
    - "$qkv"
rm gains/figures/*
"$qkv" plot gains --x gain --y test_loss -q && "$qkv" plot gains --by gain --y loss -q &&
    [ -f gains/figures/test_loss-gain-reverse.svg ] && [ "$(ls gains/figures/*.svg | wc -l)" -gt 2 ] &&
    ok || complain "figures of a plugin's setting"
refuses 2 'no setting of a run' "$qkv" plot gains --by gian
works '--shift 0 --gain 3' "$qkv" compare -v standard,./gain.so,./gain2.so -t reverse --seeds 1 \
    $small --gain 2,3 -o gains-again --plan
sed "s|^qkv|'$qkv'|" out >plan.sh
sh plan.sh >/dev/null 2>&1
[ "$(cd gains && ls -d reverse.*)" = "$(cd gains-again && ls -d reverse.*)" ] && ok ||
    complain "a plan with a plugin's settings"
QKV_PATH=$work/own works 'exact' "$qkv" equiv gains/reverse.gain.*gain3* --to gain2 --gain 5 \
    -o gains-turned
works 4096 "$qkv" count -v ./gain.so --gain 3
works 'scores' "$qkv" trace 'a b' -v ./gain.so --gain 3
works reverse "$qkv" compare -v standard,./gain.so -t reverse --seeds 1 $small \
    --same-start ./gain.so+gain=3 --no-figures -o gains-start
grep -q 'same-start.*:./gain.so+.*+gain=3+shift=0' gains-start/reverse.standard*/config.tsv &&
    ok || complain "a start with a plugin's setting"
# Its source will do.
rm gain.so
works reverse "$qkv" compare -v standard,./gain.c -t reverse --seeds 1 $small \
    --same-start ./gain.c+gain=3 --no-figures -o gains-source
[ -f gain.so ] && [ "$(ls -d gains-source/* | grep -c seed1)" -eq 2 ] && ok || complain "a start from a source"
# What is no declaration; and what a run's config cannot have.
for settings in 'gain' 'gain=' 'gain=x' '=1' 'Gain=1' 'gain=1 gain=2' 'gain=1,2' \
    'a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1'; do
    sed "s|\"gain=2\"|\"$settings\"|" gain2.c >wrong.c
    plugin wrong
    refuses 1 'qkv_variant.settings' "$qkv" train -v ./wrong.so
done
for word in lr d-k jobs from command help format x; do
    sed "s|\"gain=2\"|\"$word=2\"|" gain2.c >wrong.c
    plugin wrong
    refuses 1 "declares \"$word\"" "$qkv" train -v ./wrong.so
    "$qkv" check ./wrong.so >out 2>&1 && complain "check: declares $word" || ok
done
sed 's|"gain=2"|"gains=2"|' gain2.c >wrong.c
plugin wrong
refuses 1 '"gain" is not declared: qkv_variant.settings has gains=2' \
    "$qkv" count -v ./wrong.so
run=$(ls -d gains/reverse.gain.*gain3*)
for line in 'gain\t3' 'gain\tx' 'Gain\t3' 'lr\t3' 'b b\t3'; do
    cp -r gains gains-wrong
    printf "$line\n" >>gains-wrong/"${run#gains/}"/config.tsv
    refuses 1 'remove the run' "$qkv" table gains-wrong
    rm -r gains-wrong
done

# --- an out-of-tree plugin next to the built-in ones
cp "$top/variants/full-rank.c" mine.c
plugin mine
works mine "$qkv" compare -v standard,./mine.so -t reverse --seeds 2 $small \
    --no-figures
"$qkv" compare -v standard,./mine.so -t reverse --seeds 1 $small -o unheard -q \
    --format svg >out 2>err && [ ! -s err ] && ok || # what qkv-double says is not for us
    complain "compare of a plugin by its path: $(cat err)"
grep -q '	mine	.*	[0-9]*$' out && ok ||
    complain "no real parameters of a plugin by its path: $(cat out)"
works 'the baseline' "$qkv" compare -v standard,./mine.so -t reverse --seeds 1 $small --no-figures \
    --baseline ./mine.so -o unheard
works 'the baseline' "$qkv" compare -v standard,./mine.so -t reverse --seeds 1 $small --no-figures \
    --baseline mine --match params -o matched
mkdir more && cp mine.so more
QKV_PATH=$work/more works mine "$qkv" list
chmod o+w "$work/more"
QKV_PATH=$work/more refuses 1 'anybody may write to it' "$qkv" list
chmod o-w "$work/more"

# Runs are plain files, whole or not at all.
run=$(ls -d qkv-out/reverse.standard.*seed1.* | head -1)
for file in config.tsv log.tsv result.tsv timing.tsv \
    weights/block0.attention.W_Q.npy weights/unembedding.npy; do
    [ -s "$run/$file" ] && ok || complain "no $run/$file"
done
"$qkv" compare -v standard,./mine.so -t reverse --seeds 2 ${small% -q} --no-figures >out 2>err
grep -q '4 of 4 runs are in' err && ok || complain "nothing was resumed"
has bare
[ ! -e "$(echo bare/reverse*)/weights" ] && ok || complain "--no-weights"

# Same bits at any --jobs, but for the times.
for jobs in 1 3; do
    "$qkv" compare -v standard,fused -t sort --seeds 3 $small -j $jobs \
        -o "jobs$jobs" >"table$jobs" 2>err || complain "--jobs $jobs"
done
cmp -s table1 table3 && diff -r -x timing.tsv jobs1 jobs3 >/dev/null && ok ||
    complain "--jobs changes results"

# Nor do threads change them, in a run large enough to be shared.
for threads in 1 2; do
    "$qkv" train -t reverse --d-model 64 --heads 4 --length 64 --mlp 4 \
        --batch 8 --steps 5 --validate 8 --test 8 --threads $threads \
        -o "threads$threads" >/dev/null 2>err || complain "--threads $threads"
done
diff -r -x timing.tsv threads1 threads2 >/dev/null && ok ||
    complain "--threads changes results"
refuses 2 'at most' "$qkv" train --threads 65
refuses 2 'did you mean "toy"' "$qkv" bench toi
refuses 2 'decode is a table of its own' "$qkv" bench matmul decode
"$qkv" bench tiny -q >out &&
    [ "$(wc -l <out)" -eq 3 ] &&
    awk -F '\t' '/^training step\ttiny\t/ { # 6 for each number, 6 (T + 1) d for attention
            want = 6 * (4 * 32 * 32 + 8 * 32 * 32 + 32 * 64) + 6 * 17 * 32
            off = $3 * 1e9 - want * $5
            right = $5 > 0 && off * off < (0.06e9 + 0.01 * want * $5) ^ 2
        } END { exit !right }' out && ok || complain "bench tiny: $(cat out)"
"$qkv" bench decode tiny -q >out &&
    awk -F '\t' 'NR > 1 { # all matrices but the embedding, and the mean of 1 to 16 tokens
            want = 4 * (12 * 32 * 32 + 5 * 32 + 32 * 64 + 32 + $3 * 2 * 32 * 8.5)
            rows += $1 == "tiny" && $2 == 16 && $4 > 0 && $6 > 0 && $8 > 0 &&
                $3 == (NR == 2 ? 1 : NR == 3 ? 8 : 64)
            off = $5 * 1e9 - want * $4 / $3
            rows -= off * off > (0.06e9 + 0.01 * want * $4 / $3) ^ 2
            want = 2 * (12 * 32 * 32 + 32 * 64) + 4 * 32 * 8.5 # FLOPs of a token
            off = $7 * 1e9 - want * $4
            rows -= off * off > (0.06e9 + 0.01 * want * $4) ^ 2
        } END { exit rows != 3 }' out && ok || complain "bench decode: $(cat out)"
begin=$(date +%s) # a token takes no longer than all
cp "$top/variants/window.c" windowed.c
"$qkv" bench context tiny -v mqa,./windowed.c -q -o context >out 2>err &&
    awk -F '\t' -v took=$(($(date +%s) - begin + 1)) '
        $2 == "mqa" { same += $3 == $1 * 2 * 8 * 4 && $4 * took > 1 }
        $2 == "windowed" { same += $3 < 32 * 2 * 32 * 4 && $4 * took > 1 }
        END { exit same != 14 }' out && [ -s context/figures/decoding.tsv ] && ok ||
    complain "bench context: $(cat out err)"
"$qkv" bench context tiny -q >out 2>err && [ "$(grep -c standard out)" -eq 7 ] &&
    [ "$(wc -l <out)" -eq 50 ] && ok || complain "bench context, all: $(cat out err)"
refuses 2 'times one variant' "$qkv" bench decode tiny -v standard,mqa
refuses 2 'times one variant' "$qkv" bench layer -v standard,mqa
refuses 2 'one of tiny' "$qkv" bench decode layer
"$qkv" bench layer -q >out 2>err && grep -q '^attention layer' out && ok ||
    complain "bench layer: $(cat err)"

# A plan does what the command does.
has grid
grep -q 'standard.d-k8	' grid/figures/parameters.tsv && ok || complain "which standard has d-k 8"
[ "$(ls -d grid/recall.* | wc -l)" -eq 6 ] && ok ||
    complain "full-rank does not use d-k: 4 + 2 runs"
"$qkv" compare -v standard,full-rank -t recall --seeds 2 --d-k 2,8 $small \
    -o planned --plan >plan
[ "$(wc -l <plan)" -eq 6 ] && ok || complain "the plan has not 6 lines"
[ "$(wc -l <grid/figures/parameters.tsv)" -eq 4 ] && # seeds share a bar
    grep -q 'standard.d-k2' grid/figures/parameters.tsv &&
    grep -q '	full-rank	' grid/figures/parameters.tsv && ok ||
    complain "bars: which standard, and which full-rank"
sed "s|^qkv|$qkv|; s|\$| -q|" plan | sh >/dev/null 2>err
sed "s|^qkv|$qkv|; s|\$| -q|" plan | sh >/dev/null 2>err ||
    complain "a plan a second time"
diff -r -x timing.tsv -x experiment.tsv -x real.tsv -x figures grid planned >err && ok ||
    complain "the plan's runs differ"
# A run that a comparison asks for is recorded with it; another, of itself.
"$qkv" compare -v standard,fused -t reverse --seed 1,2 --lr 0.01 $small --no-figures -q -o asked >out 2>err
"$qkv" train -v standard -t reverse --seed 1 --lr 0.01 $small -q -o asked >out 2>>err
[ "$(grep -c '^command' asked/experiment.tsv)" -eq 1 ] && ok || complain "a run recorded twice: $(cat err)"
"$qkv" train -v standard -t reverse --seed 1 $small -q -o asked >out 2>>err
[ "$(grep -c '^command' asked/experiment.tsv)" -eq 2 ] && ok || complain "a run not recorded: $(cat err)"
works '1 runs to do: about ' sh -c "'$qkv' compare -v standard -t sort --seeds 1 --warmup 50 \
    --steps 100 -o planned --plan 2>&1 >/dev/null"
works ' hours of a core' sh -c "'$qkv' compare -v standard -t sort --seeds 2000 --steps 10000000 \
    -o planned --plan 2>&1 >/dev/null"
! grep -q 'e+' out && ok || complain "hours: $(cat out)"
works '; 1 MB on disk in 1000 files;' sh -c "'$qkv' compare -t reverse \
    -v standard,full-rank --seeds 125 --steps 5 --no-weights -o planned --plan 2>&1 >/dev/null"
# Its lines are any shell's, whatever the folder is called.
for folder in "it's" '$HOME `id` a\b' '"x"; *' 'größer ☃'; do
    PATH=$build:$PATH "$qkv" compare -v fused -t reverse --seeds 1 --steps 1 $small \
        --no-figures --plan -q -o "$folder" >quoted 2>err &&
        sed "s|^qkv|$qkv|" quoted | sh >out 2>err && [ -d "$folder"/reverse.fused* ] && ok ||
        complain "a plan for $folder"
done
refuses 2 '--out: it has a control character' "$qkv" compare --plan -o "$(printf 'two\nlines')"

# A rebuilt plugin under old runs.
sed 's/a->d_k)/2.0 * a->d_k)/' "$top/variants/full-rank.c" \
    >mine.c && echo 'int more;' >>mine.c
plugin mine
refuses 1 'another build' "$qkv" compare -v standard,./mine.so -t reverse \
    --seeds 2 $small --no-figures
works mine "$qkv" compare -v standard,./mine.so -t reverse --seeds 2 $small \
    --no-figures --keep
works mine "$qkv" compare -v standard,./mine.so -t reverse --seeds 2 $small \
    --no-figures --redo
refuses 2 'contradict' "$qkv" train --redo --keep

# --- places to write
: >file
refuses 1 'Not a directory' "$qkv" train $small -o file
mkdir full && : >full/x
refuses 1 'no experiment' "$qkv" train $small -o full
refuses 1 'cannot be made' "$qkv" train $small -o no/such/place
refuses 1 'cannot be made' "$qkv" train $small -o /proc/qkv

mkdir sealed && "$qkv" train $small -o sealed >out 2>err
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w sealed
    refuses 1 'nothing can be written' "$qkv" train $small --seed 9 -o sealed
fi
"$qkv" list >/dev/full 2>err
[ $? -eq 1 ] && grep -q 'stdout: cannot be written;' err && ok ||
    complain "a full stdout"

# A disk that is full, or nearly: a limit on the size of files.
(ulimit -f 1; "$qkv" train $small --seed 7 -o limited >out 2>err)
[ $? -eq 1 ] && [ "$(ls -A limited)" = experiment.tsv ] && ok ||
    complain "a limit on files: $(ls -A limited)"

# Killed at any moment, and told to go on: the same bits as without.
"$qkv" compare -v standard,fused -t reverse --seeds 4 $small -o whole \
    --no-figures >out 2>err || complain "an uninterrupted compare"
for pause in 0.01 0.03 0.06; do
    "$qkv" compare -v standard,fused -t reverse --seeds 4 $small -o killed \
        --no-figures >out 2>err &
    sleep $pause
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
mkdir -p killed
: >killed/experiment.tsv # killed between making and writing it
mkdir -p killed/.reverse.x@qkv-abcdef/reverse.x
"$qkv" compare -v standard,fused -t reverse --seeds 4 $small -o killed \
    --no-figures >out 2>err || complain "a compare that was killed"
diff -r -x timing.tsv whole killed >err && ok || complain "killed and resumed"
"$qkv" compare -v standard -t sort --seeds 8 -j 1 -q -o stopped --no-figures \
    >out 2>err &
sleep 0.3
kill -TERM $!
wait $!
[ $? -eq 143 ] && grep -q 'the same command goes on' err &&
    [ -z "$(ls -A stopped | grep '^\.')" ] && ok || complain "SIGTERM"
# A run without its result is no run: it is made again.
run=$(ls -d whole/reverse.standard.*seed1.* | head -1)
rm "$run/result.tsv"
"$qkv" compare -v standard,fused -t reverse --seeds 4 $small -o whole \
    --no-figures >out 2>err
diff -r -x timing.tsv whole killed >err && ok || complain "half a run"

# --- figures
has drawn
has grid
for file in curves-reverse parameters; do
    for ending in tsv gp svg png; do
        [ -s drawn/figures/$file.$ending ] && ok ||
            complain "no $file.$ending"
    done
done
cp -r drawn/figures first
"$qkv" plot drawn -o drawn -q || complain "plot"
diff -r first drawn/figures >/dev/null && ok || complain "drawn twice, differs"
(cd drawn/figures && gnuplot -e "term='pdf'" curves-reverse.gp) &&
    [ -s drawn/figures/curves-reverse.pdf ] && ok || complain "a script alone"
works 'accuracy' "$qkv" plot drawn -o drawn --format dumb --y accuracy
"$qkv" plot grid -o grid --x d-k --y test_accuracy -q || complain "plot --x"
[ -s grid/figures/test_accuracy-d-k-recall.svg ] && ok || complain "--x d-k"
refuses 2 'did not log it' "$qkv" plot drawn --y perplexity
refuses 2 'did not log it' "$qkv" plot grid --x d-k --y test_acuracy
refuses 2 'did not log it' "$qkv" plot drawn --y loss,,accuracy
refuses 1 'give another --out' "$qkv" plot drawn -o no/where

# More than seven curves are two figures: standard in both, each other in one.
"$qkv" compare -v standard,per-head,fused,two-step,full-rank,symmetric,mqa,wide -t reverse --seeds 1 \
    $small --steps 2 -o eight -q --format svg >out 2>err
works 'reverse (2 of 2): ' cat eight/figures/curves-reverse-2.txt
[ "$(tail -qn +2 eight/figures/curves-reverse-?.tsv | cut -f 2 | sort | uniq -c | sort -n | tail -n 1 |
    awk '{ print $2 }')" = standard ] &&
    [ "$(tail -qn +2 eight/figures/curves-reverse-?.tsv | cut -f 2 | sort -u | wc -l)" -eq 8 ] && ok ||
    complain "curves of two parts: $(cat eight/figures/*.txt)"
# One seed: the figure's mean is that seed's log. What is text stays text.
title='a "b" $HOME `touch ran` it'"'"'s \\n'
mkdir made
"$qkv" plot "$(ls -d drawn/reverse.standard.*seed1.* | head -1)" -o single \
    --y loss --title "$title" -q 2>err || complain "a title with quotes"
[ "$(stat -c %a single)" = "$(stat -c %a made)" ] && ok || complain "the rights of --out"
[ ! -e ran ] && [ ! -e single/figures/ran ] && ok || complain "a title was run"
awk -F'\t' 'FNR == 1 { next } NR == FNR { loss[$1] = $2; next }
    { n++; if ($3 in loss && loss[$3] / $4 - 1 < 1e-5 && $4 / loss[$3] - 1 < 1e-5) same++ }
    END { exit n == 0 || n != same }' \
    "$(ls -d drawn/reverse.standard.*seed1.* | head -1)/log.tsv" \
    single/figures/loss-step-reverse.tsv && ok || complain "data of a figure"
cp -r drawn evil
for file in evil/*/config.tsv; do
    sed 's/^task\t.*/task\t`touch ran`/' "$file" >x && mv x "$file"
done
refuses 1 'not the name of a task' "$qkv" plot evil
refuses 2 'no setting' "$qkv" plot drawn --by variety
refuses 2 'none of the runs uses it' "$qkv" plot drawn --x latent --y test_loss
refuses 1 'No such file' "$qkv" plot nowhere
mkdir none
mkdir -p none
refuses 1 'no finished run' "$qkv" plot none

# --- count: the published figures
# published VARIANT COLUMN VALUE OPTIONS ...: a number that a paper states.
published() {
    "$qkv" count -v "$1" --tsv $4 >out 2>err
    found=$(awk -F'\t' -v column="$2" 'NR == 2 { print $column }' out)
    [ "$found" = "$3" ] && ok || complain "$1, $4: $found, not $3"
}
# 18 sublayers of 4 * 512^2; rows (B) of table 3 cut 4,718,592 and 7,077,888.
published standard 2 $((18 * 1048576)) '--preset transformer-base'
published standard 2 $((18 * 1048576 - 4718592)) '--preset transformer-base --d-k 32'
published standard 2 $((18 * 1048576 - 7077888)) '--preset transformer-base --d-k 16'
# DeepSeek-V2: 34,560 with the rotary key's 3,840; multi-head 1,966,080.
published mla 5 $((34560 - 3840)) '--preset deepseek-v2'
published mla-rope 5 34560 '--preset deepseek-v2'
published standard 5 1966080 '--preset deepseek-v2'
published full-rank 2 $((8 * 512 * 512 + 2 * 512 * 512)) \
    '--d-model 512 --heads 8'
# preset NAME VARIANT PARAMETERS CACHE: of all attention layers, from the matrices
# in the models' configurations.
preset() {
    "$qkv" count --preset "$1" --tsv 2>err | awk -F'\t' 'NR == 2 { print $1, $2, $5 }' >out
    [ "$(cat out)" = "$2 $3 $4" ] && ok || complain "$1: $(cat out), not $2 $3 $4"
}
cited=$("$qkv" count --preset gpt2 2>&1 >out) && ! echo "$cited" | grep -q changed && ok ||
    complain "a preset as it is: $cited"
works 'changed by what was given with it' sh -c "'$qkv' count --preset gpt2 --d-k 32 2>&1"
preset gpt2 biased $((12 * (4 * 768 * 768 + 4 * 768))) $((12 * 2 * 768))
preset llama-3-8b gqa $((32 * (2 * 4096 * 4096 + 2 * 4096 * 1024))) $((32 * 2048))
preset qwen3-8b gqa-qk-norm $((36 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 256))) $((36 * 2048))
# q_a 5120 x 1536 and norm, q_b to 128 heads of 192, kv_a 5120 x 576, norm of 512,
# kv_b to 128 heads of 256, o: 149,227,520 a layer.
preset deepseek-v2 mla-rope $((60 * 149227520)) $((60 * 576))
preset deepseek-v2-lite mla-rope \
    $((27 * (2048 * 16 * 192 + 2048 * 576 + 512 + 512 * 16 * 256 + 2048 * 2048))) $((27 * 576))
published standard 2 $((18 * 1048576 - 4718592)) '--preset transformer-b32'
published standard 2 $((18 * 1048576 - 7077888)) '--preset transformer-b16'
published gqa 5 $((80 * 2 * 8 * 128)) '--preset llama-2-70b'
published standard 2 $((12 * 4 * 768 * 768)) '--preset bert-base'
published standard 2 $((96 * 4 * 12288 * 12288)) '--preset gpt-3'
works '| full-rank | 6144 |' "$qkv" count -v full-rank --markdown
works '|---|--:|' "$qkv" count -v full-rank --markdown
works 'full-rank & $6144$ &' "$qkv" count -v full-rank --latex
works '"variant": "full-rank", "parameters": 6144,' "$qkv" count -v full-rank --json
works '"cache": null,' "$qkv" count -v full-rank --preset bert-base --json
works '"variant": "wide", "parameters": 10240,' "$qkv" list --variants --json
works '"task": "text", "chance": null,' "$qkv" list --tasks --json
refuses 2 'give --variants or --tasks' "$qkv" list --json
refuses 2 'contradict' "$qkv" list --tasks --family
works '| settings |' "$qkv" list --tasks --markdown
works '84.93\,\mathrm{M}$ &' "$qkv" count -v wide --preset transformer-base --latex
works '$W^Q$' "$qkv" count -v mla --latex --weights
works 'W^DKV	32	16	512	512' "$qkv" count -v mla --weights
refuses 2 'contradict' "$qkv" count --latex --markdown
refuses 2 'did you mean "deepseek-v2"' "$qkv" count --preset deepseek-v3
refuses 2 'there are transformer-base' "$qkv" count --preset nothing
refuses 2 'does not divide' "$qkv" count -v standard --heads 3

# --- inspect
has bare
"$qkv" train -v shared-qk -t induction $small -o looked >out 2>err
run=$(ls -d looked/induction.shared-qk*)
works 'symmetric_share_M' "$qkv" inspect "$run"
awk -F'\t' 'NR > 1 && ($4 != 4 || $7 != "1.00" || $8 != 4) { exit 1 }
    END { exit NR != 9 }' out && ok || complain "inspect: shared-qk"
works 'values_beyond' "$qkv" inspect "$run" --range
refuses 2 'give one' "$qkv" inspect "$run" --range --attention
refuses 2 'give one' "$qkv" inspect "$run" --spectrum --attention
refuses 1 'one matrix at all distances' "$qkv" inspect "$run" --distances
"$qkv" train -t copy --positions rope --steps 20 $small -o rotated >out 2>err
rotated=$(ls -d rotated/copy*)
works '| family |' "$qkv" inspect "$rotated" --markdown
"$qkv" inspect "$run" --markdown >out 2>err && ! grep -q 'family' out && ok ||
    complain "inspect: a family of matrices, where one serves all distances"
works 'mean_score' "$qkv" inspect "$rotated" --distances=0,8 -q --format svg
[ -s "$rotated/figures/distances.svg" ] || complain "inspect --distances: no figure"
refuses 2 '"a" is not a number' "$qkv" inspect "$rotated" --distances=a
refuses 2 '100001 is not within' "$qkv" inspect "$rotated" --distances=100001
refuses 2 '-100001 is not within' "$qkv" inspect "$rotated" --distances=-100001
"$qkv" compare -t recall -v standard,mla --positions rope --match params \
    --seeds 1 --steps 2 $small -o even >out 2>err || complain "--match: even widths"
works 'q_1, the queries' "$qkv" trace 'hello world' -v two-step-tanh
works 'v_1, the values' "$qkv" trace 'hello world' -v mla-rope
works 'k_1 = x W^DKV W^UK, the keys' "$qkv" trace 'hello world' -v mla
works 'weights = softmax(scores), beside a sink that takes the rest' "$qkv" trace 'hello world' -v sink
works 'both rotated' "$qkv" trace 'hello world' --positions rope
works "k_1' + bias" "$qkv" trace 'hello world' --positions alibi
"$qkv" inspect "$run" --spectrum -q >out 2>err || complain "--spectrum"
[ -s "$run/figures/spectrum.svg" ] && ok || complain "no spectrum.svg"
"$qkv" train -v two-step-tanh $small -o looked >out 2>err
refuses 1 'no canonical form: not linear in its tokens' \
    "$qkv" inspect "$(ls -d looked/*tanh*)"
# Keys and values that are weights: as many as they have rows, whatever the tokens.
sed 's/matmul(y, w\[\(W_K\|W_V\)\])/w[\1]/' "$top/variants/standard.c" >memory.c
"$qkv" train -v ./memory.c --batch 1 $small -o looked >out 2>err
QKV_PATH=$work refuses 1 'not one of each token' "$qkv" inspect "$(ls -d looked/*memory*)"
"$qkv" train -v mla-rope $small -o looked >out 2>err
refuses 1 'it rotates by the position itself' \
    "$qkv" inspect "$(ls -d looked/*mla-rope*)"
refuses 1 'it rotates by the position itself' \
    "$qkv" inspect "$(ls -d looked/*mla-rope*)" --distances
"$qkv" train -v kv-shift $small -o looked >out 2>err
refuses 1 'kv-shift has no canonical form: a key or value of it is made of several tokens' \
    "$qkv" inspect "$(ls -d looked/*kv-shift*)"
"$qkv" train -v value-residual $small -o looked --layers 2 >out 2>err
refuses 1 'block1.attention: value-residual has no canonical form: it recalls' \
    "$qkv" inspect "$(ls -d looked/*value-residual*)"
refuses 2 'inspect takes RUN' "$qkv" inspect
refuses 1 'an experiment, a directory of runs' "$qkv" inspect looked
mkdir nothing
refuses 1 'no run: it has no config.tsv' "$qkv" inspect nothing
# Attention maps, of labels that a script must not run.
yes 'a `touch ran` "b" '"'c'"' \ $(touch ran)' | head -c 3000 >hostile
"$qkv" train --file hostile --layers 1 $small -o looked >out 2>err
run=$(ls -d looked/text*)
"$qkv" inspect "$run" --attention -q --format svg,png >out 2>err ||
    complain "--attention"
[ -s "$run/figures/attention.png" ] && [ ! -e ran ] &&
    [ ! -e "$run/figures/ran" ] && ok || complain "attention.png"
awk -F'\t' 'NR > 1 { sum[$1 "." $2] += $6 }
    END { for (i in sum) { n++; if (sum[i] < .999 || sum[i] > 1.001) exit 1 }
          exit n != 4 * 32 }' out && ok || complain "weights that do not sum to 1"
refuses 1 'No such file' "$qkv" inspect nowhere
head -c 100 "$run/weights/unembedding.npy" >x
mv x "$run/weights/unembedding.npy"
refuses 1 'unembedding.npy: cut short' "$qkv" inspect "$run"
refuses 1 'were not kept' "$qkv" inspect "$(ls -d bare/reverse*)"

# --- equiv: which are the same function? An out-of-tree plugin joins in.
has grid
cp "$top/variants/wide.c" other.c
plugin other
"$qkv-double" equiv -v standard,two-step,full-rank,two-step-tanh,./other.so \
    -t reverse $small -o same >out 2>err || complain "equiv"
awk -F'\t' '
    function wide(name) { return name == "full-rank" || name == "other" }
    NR > 1 {
        n++
        wanted = "exact"
        if (wide($1) && !wide($2)) wanted = "nearest"
        if ($1 == "two-step-tanh" || $2 == "two-step-tanh") wanted = "none"
        if ($3 != wanted || (wanted == "exact" && $4 > 1e-10)) bad = bad $0 "\n"
    }
    END { printf "%s", bad; exit n != 25 || bad != "" }' out >err && ok ||
    complain "equiv: verdicts"
run=$(ls -d same/reverse.standard*)
works exact "$qkv-double" equiv "$run" --to full-rank -o turned -q
works 'rank_M' "$qkv-double" inspect "$(ls -d turned/reverse.full-rank*)"
ls turned | grep -q '\.from[0-9a-f]*\.seed' && ok ||
    complain "a converted run's name"
# It is a run like any other, and trains on.
turned=$(ls -d turned/reverse.full-rank*)
works 'full-rank' "$qkv-double" train --from "$turned" --steps 40 --seed 7 \
    --test 32 -q -o turned
[ "$(ls -d turned/*.from*.seed7.* | wc -l)" -eq 1 ] && ok ||
    complain "train --from: its name"
awk -F'\t' 'FNR == 1 { f++ } $1 == "validation_loss" { loss[f] = $2 }
    END { exit !(loss[2] < loss[1]) }' "$turned/result.tsv" \
    turned/*.seed7.*/result.tsv && ok || complain "train --from: no better"
refuses 2 'only settings of training' "$qkv-double" train --from "$turned" \
    --heads 2
mkdir -p nothing
refuses 1 'no run: it has no config' "$qkv" train --from nothing
"$qkv-double" equiv "$run" --to fused -o same -q >out 2>err
"$qkv-double" plot same -o same -q --format svg 2>err &&
    ! ls same/figures | grep -q 'curves.*from' && ok ||
    complain "a converted run among the curves"
for place in "$run" "$turned"; do
    awk -F'\t' '$1 == "test_loss" { print $2 }' "$place/result.tsv"
done | awk '{ loss[NR] = $1 } END { d = loss[1] - loss[2]
    exit NR != 2 || d > 1e-8 || d < -1e-8 }' && ok || complain "a converted run"
refuses 1 'cannot become two-step-tanh: its plugin has no `fit`' \
    "$qkv-double" equiv "$run" --to two-step-tanh -o turned
refuses 2 'one run and --to' "$qkv" equiv "$run"
refuses 2 'keeps it' "$qkv-double" equiv "$run" --to fused --steps 3
# A fit may be an approximation of its own form: not broken.
"$qkv" equiv -v collaborative,standard -t reverse $small -o broken -q >out 2>err
grep -q 'collaborative.collaborative.nearest' out && ok || complain "equiv: collaborative"

# As wide as the model, a pair is as good as one full matrix.
"$qkv-double" equiv -v standard,full-rank -t reverse --d-k 32 $small -o wide \
    >out 2>err
[ "$(grep -c exact out)" -eq 4 ] && ok || complain "equiv at d_k = d_model"

# What diverged, or was never solved, is left out of the figures, and said.
"$qkv" compare -t reverse --optimizer sgd --lr 0.1,100000 --seeds 1 $small \
    -v standard -o diverged >out 2>err
[ $? -eq 0 ] && [ -s diverged/figures/parameters.svg ] &&
    [ ! -e diverged/figures/curves-reverse.lr1e+05.tsv ] && ok ||
    complain "a diverged run in a figure"
# Steps are a median, where a run that never got there counts with all it had.
"$qkv" plot grid --x d-k --y solved_at -o grid >out 2>err &&
    grep -q "20 unsolved" grid/figures/solved_at-d-k-recall.gp &&
    grep -q 'A seed that never got there' grid/figures/solved_at-d-k-recall.txt && ok ||
    complain "never solved"
# Other figures of the same runs: panels, along a result, for LaTeX.
"$qkv" plot grid --x d-k --y solved,test_accuracy --facet task -o grid -q \
    --labels 'width,right & wrong' --size column --format svg,tikz,cairolatex &&
    grep -q 'right \\& wrong' grid/figures/solved-d-k-by-task-tikz.tex &&
    [ -s grid/figures/test_accuracy-d-k-by-task-cairolatex.tex ] &&
    [ -s grid/figures/test_accuracy-d-k-by-task-cairolatex.pdf ] && ok ||
    complain "a figure for LaTeX"
"$qkv" plot grid --x attention_parameters --y test_loss -o grid -q \
    --format svg && [ -s grid/figures/test_loss-attention_parameters-recall.svg ] &&
    ok || complain "along a result"
"$qkv" plot grid --x attention_parameters --y seconds,test_loss \
    --facet quantity -o grid -q --format svg &&
    [ -s grid/figures/quantities-attention_parameters-recall.svg ] && ok ||
    complain "seconds in a figure"
refuses 2 'not one of: column' "$qkv" plot grid --size poster
refuses 2 'did not log it' "$qkv" plot grid --x speed --y test_loss
refuses 2 'no setting' "$qkv" plot grid --x d-k --y test_loss --facet colour
run=$(ls -d diverged/*1e+05*)
for way in "inspect $run" "inspect $run --range" "inspect $run --attention" \
    "export $run --batch exported" "equiv $run --to fused" "trace 1,2 $run"; do
    refuses 1 'numbers that are not finite, as after a training that diverged' "$qkv" $way
done
"$qkv" train --from "$run" -q -o diverged >out 2>err
[ $? -eq 1 ] && grep -q 'numbers that are not finite' err && ok || complain "from a diverged run"
# The last step alone may do it; and train says so too.
"$qkv" train --optimizer sgd --lr 100000 --steps 2 -q -o last >out 2>err
[ $? -eq 0 ] && grep -q '1 run diverged: .* smaller --lr' err &&
    grep -q '^status	diverged' last/*/result.tsv && ok || complain "NaN after the last step"

# A run of another version, of a plugin that is gone, or with weights that are
# no matrix of ours: one line, and what is wrong.
"$qkv" train $small -o sound >out 2>err
sound=$(ls -d sound/reverse*)
spoilt() {
    rm -rf spoilt
    cp -r "$sound" spoilt
    LC_ALL=C sed -i "$2" "spoilt/$1"
    refuses "$4" "$3" "$qkv" inspect spoilt
}
spoilt config.tsv 's/^format\t2/format\t9/' 'another version' 1
spoilt config.tsv 's/^variant\t.*/variant\tgone/' 'unknown variant "gone"' 2
spoilt config.tsv 's|^variant\t.*|variant\t./gone.so|' 'only a path that you typed' 1
spoilt config.tsv 's/^heads\t4/heads\tfour/' 'is not a number' 1
spoilt config.tsv 's/^task\t.*/task\tnothing/' 'unknown task' 2
matrix=weights/unembedding.npy
spoilt $matrix "s/'fortran_order': False/'fortran_order': True /" 'Fortran' 1
spoilt $matrix "s/<f4/<i4/" "not '<f4' or '<f8'" 1
spoilt $matrix "s/(16, 10)/(99999999, 10)/" 'its shape is' 1
spoilt $matrix '1s/NUMPY/NUMPO/' 'not a NumPy file' 1
spoilt $matrix '$d' 'bytes of numbers' 1

# Who cannot have a shape is left out of a list, and named.
"$qkv" count --d-model 7 --heads 7 >out 2>err
[ $? -eq 1 ] && grep -q '^standard' out && grep -q 'gqa is left out: kv-heads' err &&
    ok || complain "count at a shape that gqa cannot have"
refuses 2 'an empty word' "$qkv" inspect ''
refuses 2 'neither a .c nor a .so' "$qkv" check ./lines

# --- trace: a text followed through
works 'hello          1.000' "$qkv" trace hello
works 'q_1 = x W^Q W_i^Q' "$qkv" trace hello -v two-step
works 'q is 2 linear maps in a row' "$qkv" trace hello -v two-step
works 'k is 2 linear maps in a row' "$qkv" trace hello -v mla
"$qkv" trace hello -v two-step-tanh >out 2>err
grep -q 'in a row' out && complain "trace: a tanh is no product" || ok
works 'ids     0 1 2 2 3 of 4' "$qkv" trace hello --characters --mask causal
awk '/^weights/ { n = -1 } n < 0 && /^[helo] / {
        sum = 0
        for (i = 2; i <= NF; i++) sum += $i
        if (sum < 0.997 || sum > 1.003) exit 1
        rows++ } /^head_1/ { n = 1 } END { exit rows != 5 }' out && ok ||
    complain "trace: weights do not sum to 1"
grep -q 'masked  masked' out && ok || complain "trace: nothing is masked"
for variant in "$build"/variants/*.so; do
    works 'output' "$qkv" trace 'a b a' -v "$(basename "$variant" .so)"
done
works 'head 2' "$qkv" trace 'a b' --head 2
"$qkv" train --file lines --layers 1 --residual no $small -o followed >out 2>err
run=$(ls -d followed/text*)
works '=== answers' "$qkv" trace 'a line' "$run" --characters
refuses 2 'add --characters' "$qkv" trace 'a line' "$run"
i=0
while [ $i -lt 200 ]; do
    printf 'aé€𝄞'
    i=$((i + 1))
done >accents
"$qkv" train --file accents --length 8 $small -o followed >out 2>err
works 'ids     0 3 1 2 of 4' "$qkv" trace 'a𝄞é€' "$(ls -d followed/*length8*)" --characters
"$qkv" trace "b$(printf '€%.0s' $(seq 30))" --characters -v standard >out 2>err &&
    [ "$(sed -n 's/^text    //p' out)" = "b$(printf '€%.0s' $(seq 23)).." ] && ok || complain "trace cuts a character"
refuses 2 'does not have' "$qkv" trace 'xyz!' "$run" --characters
refuses 1 'knows positions of 32' "$qkv" trace \
    'a line of text a line of text a line' "$run" --characters
refuses 2 'the run has it already' "$qkv" trace a "$run" --heads 2
"$qkv" train -t recall -v full-rank $small -o followed >out 2>err
run=$(ls -d followed/recall*)
works 'ids     3+40 3 of 48' "$qkv" trace '3+40 3' "$run"
refuses 2 'numbers from 0 to 47, or two' "$qkv" trace '3+48' "$run"
refuses 2 'numbers from 0 to 47, or two' "$qkv" trace '3+4+5' "$run"
refuses 2 'the text is empty' "$qkv" trace ' '
for byte in 200 301 302 365 377; do
    refuses 2 'not UTF-8' "$qkv" trace "$(printf '%b' "\\0$byte")"
done
# Ids to column 60, and one more.
wide='a b c d e f g h i j a a a a a k l m n o p q r s t'
works ' 18 19 of 20' "$qkv" trace "$wide"
works ' 18 19 .. of 20' "$qkv" trace "$wide a"
refuses 2 'trace takes TEXT' "$qkv" trace
refuses 2 'there are 2' "$qkv" trace a --head 3

# --- two sequences, and the embedding folded away
has drawn
for variant in "$build"/variants/*.so; do
    works 'translate' "$qkv" train -t translate $small -o cross \
        -v "$(basename "$variant" .so)"
done
works 'cross-recall' "$qkv" train -t cross-recall --queries 3 $small -o cross
run=$(ls -d cross/translate.standard*)
works '0.cross' "$qkv" inspect "$run"
works exact "$qkv" equiv "$run" --to full-rank -o cross -q
refuses 2 '--kv-heads: no variant' "$qkv" equiv "$run" --to full-rank --kv-heads 2 -o cross
# A variant of its own in each of the three places.
works 'translate' "$qkv" compare -t translate -v standard,mqa --seeds 1 $small \
    --encoder-variant identity --cross-variant mla,full-rank -o mixed \
    --no-figures
[ "$(ls -d mixed/*encoder-variantidentity*cross-variantmla* | wc -l)" -eq 2 ] &&
    [ "$(wc -l <out)" -eq 5 ] && ok || complain "a cast of three variants"
"$qkv" train -t translate --cross-variant identity $small -o mixed >out 2>err
"$qkv" inspect "$(ls -d mixed/*cross-variantidentity*)" --spectrum -q \
    --format svg >out 2>err || complain "spectrum of a cast"
grep -q "heads = 'encoder0.1 .* encoder0.4 0.1 .* 0.4 0.cross.1'" \
    mixed/*cross-variantidentity*/figures/spectrum.gp && ok ||
    complain "heads of a cast"
"$qkv" train -t translate --cross-variant two-step-tanh $small -o mixed \
    >out 2>err
run=$(ls -d mixed/*two-step-tanh*)
refuses 1 'block0.cross: two-step-tanh has no canonical form' \
    "$qkv" inspect "$run" --spectrum
[ ! -e "$run/figures" ] && ok || complain "half a spectrum"
run=$(ls -d mixed/translate.mqa*full-rank*)
[ -e "$run/weights/block0.cross.W.npy" ] &&
    [ ! -e "$run/weights/encoder0.attention.W_Q.npy" ] && ok ||
    complain "the cast's weights"
works '0.cross' "$qkv" inspect "$run"
works exact "$qkv" equiv "$run" --to full-rank --d-v 32 -o mixed -q
refuses 2 'there is no encoder' "$qkv" train -t cross-recall \
    --encoder-variant mqa
refuses 2 'there is no cross-attention' "$qkv" train --cross-variant mqa
refuses 2 'unknown variant "mqaa"' "$qkv" train -t translate \
    --encoder-variant mqaa
refuses 1 'in one sequence, and task translate has two' "$qkv" trace 1 "$run"
refuses 2 'leaves it unread' "$qkv" train -t translate --cross none
refuses 2 'and sort has one' "$qkv" train -t sort --encoder 1
refuses 2 'and sort has one' "$qkv" compare -t sort --cross none,only
refuses 2 'as many at most' "$qkv" train -t cross-recall --queries 9
refuses 2 'positions of its own' "$qkv" train --embed onehot \
    --positions sinusoidal
refuses 2 'rope needs an even d-k, not 3' "$qkv" train --positions rope --d-k 3
refuses 2 'with cross only there is none' "$qkv" train -t cross-recall \
    --positions alibi
"$qkv" train -t recall --residual no $small -o folded >out 2>err
run=$(ls -d folded/recall*)
works exact "$qkv" equiv "$run" --to two-step --embed onehot -o folded -q
refuses 1 'one-hot already' "$qkv" equiv "$(ls -d folded/*onehot*)" \
    --to standard --embed learned
refuses 1 'cannot be folded: a residual' "$qkv" equiv \
    "$(ls -d drawn/reverse.standard*seed1*)" --to standard --embed onehot

# --- fair comparisons
works 'the baseline' "$qkv" compare -t reverse --seeds 2 --same-start auto \
    -v standard,two-step,mla,symmetric,two-step-tanh --steps 0 --test 64 \
    --validate 32 -o alike --no-figures --tsv
grep -q 'all start as mla+heads=4+d-k=8+d-v=8+latent=16' err &&
    grep -q 'two-step-tanh cannot start as' err && ok || complain "same-start"
# the same loss before any step, but for the one that cannot
awk -F'\t' 'NR == 2 { loss = $10 } NR > 1 { print $2, ($10 == loss) }' out |
    sort | tr '\n' ' ' >losses
[ "$(cat losses)" = \
    "mla 1 standard 1 symmetric 1 two-step 1 two-step-tanh 0 " ] && ok ||
    complain "same-start: $(cat losses)"
# of two that both can start from the other, the one with fewer parameters
"$qkv" compare -t reverse --seeds 1 --same-start auto -v two-step,standard \
    --steps 0 --test 8 --validate 8 -o alike --no-figures >out 2>err
grep -q 'all start as standard+' err && ok || complain "same-start: not the least"
works 'the baseline' "$qkv" compare -t reverse -v standard --by lr --lr 0.01,0.003 --seeds 1 $small --no-figures -o by-rate --tsv
"$qkv" report by-rate --baseline 0.003 -q -o by-rate-report >out 2>err && ok || complain "report of rates: $(cat err)"
works "$(printf '\t2.')" "$qkv" train -t reverse -v full-rank --match params --d-k 4 $small -o budgets
refuses 2 '--baseline gqa: none' "$qkv" compare -t reverse -v standard,mqa --baseline gqa --lr auto -o never
works 'the baseline' "$qkv" compare -t reverse --seeds 2 --steps 0 --tsv \
    -v standard,two-step --same-start standard+d-k=2 -o alike --no-figures
refuses 2 'no such setting' "$qkv" compare --same-start standard+d=2 \
    -v standard,fused -t reverse -o alike
refuses 2 'no two of the variants' "$qkv" compare -t reverse --seeds 1 \
    -v standard,identity --same-start auto -o alike --d-v 5 --steps 0
for budget in params flops cache; do
    "$qkv" compare -t reverse --seeds 1 --match $budget --steps 0 --test 32 \
        -v standard,two-step,shared-qk,mla,mqa,identity -o matched \
        --no-figures >out 2>err || complain "--match $budget"
    [ "$(grep -c -- "--match $budget" err)" -eq 5 ] && ok ||
        complain "--match $budget"
done
grep -q 'identity has no width to change' err && ok || complain "--match"
"$qkv" compare -t reverse --seeds 1 --match params --lr 0.01,0.02 --steps 0 --test 32 \
    -v standard,mqa,identity -o matched --no-figures >out 2>err
[ "$(grep -c -- "--match params" err)" -eq 2 ] && ok || complain "--match says it for each rate"
"$qkv" compare -t reverse --seeds 1 --match real --d-model 8 --steps 0 --test 32 \
    -v standard,two-step,mla -o really --no-figures >out 2>err ||
    complain "--match real"
grep -q 'two-step takes d-k and d-v 2: 224 for the 224 of standard' err && ok ||
    complain "--match real: $(cat err)"
grep -q '^match	real:standard+heads=4+d-k=2+d-v=2' really/*mla*/config.tsv && ok ||
    complain "--match real is not recorded"
# a block of translate has two attentions
"$qkv" compare -t translate --seeds 1 --match real --d-model 8 --steps 0 --test 32 \
    --validate 32 -v standard,mqa -o really --no-figures >out 2>err
grep -q 'mqa takes d-k and d-v 3: 444 for the 448 of standard' err && ok ||
    complain "--match real of two attentions: $(cat err)"
"$qkv" compare -t reverse --seeds 1 -v standard,two-step,identity $small --d-model 8 \
    -o counted -q --format svg >out 2>err && [ "$(cat counted/*/real.tsv | sort -u)" = \
    "$(printf 'key\tvalue\nreal\t0\nreal\t224')" ] && ok ||
    complain "real.tsv: $(cat counted/*/real.tsv err)"
[ "$(awk -F'\t' 'NR == 3 { print $2, $NF }' out)" = "identity 0" ] && ok ||
    complain "compare shows no real parameters: $(cat out)"
grep -q '^reverse	two-step	448	.*	224$' counted/figures/parameters.tsv && ok ||
    complain "parameters.tsv: $(cat counted/figures/parameters.tsv)"
works '| standard | 1024 | 896 |' "$qkv" compare -v standard -t reverse --seeds 1 --steps 0 --d-model 16 \
    --test 8 -o counted-one -q --format svg --markdown
works "Blue and the first number: the parameters of attention that are really there" \
    cat counted/figures/parameters.txt
printf 'key\tvalue\nreal\t200\n' | tee counted/*two-step*/real.tsv >/dev/null # read, not counted
"$qkv" plot counted --y loss -q --format svg >/dev/null 2>&1
grep -q '	448	.*	200$' counted/figures/parameters.tsv && ok ||
    complain "plot does not read real.tsv"
rm counted/*/real.tsv && "$qkv" plot counted --y loss -q --format svg >/dev/null 2>&1
works "really there was not counted" cat counted/figures/parameters.txt
grep -q '	448	.*	NA$' counted/figures/parameters.tsv && ok ||
    complain "plot knows what nobody counted"
printf 'variant=mla\nd-model=16\n\nvariant=value-residual\nlayers=2\nd-model=16\n\n' |
    "$qkv" count --real=- | tr '\n' ' ' | grep -q '^896 704 2048 1856 $' && ok ||
    complain "count --real=- does not answer"
works "layers are measured as one function" sh -c \
    "'$qkv' count --real -v value-residual --d-model 8 --layers 2 2>&1"
mkdir -p alone && cp "$qkv" alone/qkv &&
    QKV_PATH=$build/variants alone/qkv compare -t reverse --seeds 1 -v standard,fused \
    --steps 0 --test 8 -o noted --no-figures >out 2>err && ok ||
    complain "compare without qkv-double: $(cat err)"
refuses 2 'not one of: params real flops cache' "$qkv" compare --match size
refuses 2 'none of the runs is of it' "$qkv" compare -t reverse --seeds 1 \
    -v standard $small -o judged --baseline mqa --no-figures
for judged in '--judge speed' '--judge status' '--judge lr' '--margin tset_loss=1' '--margin lr=1'; do
    refuses 2 'no run has such a number' "$qkv" compare -t reverse --seeds 1 -v standard \
        $small -o misjudged $judged --no-figures
done
[ ! -e misjudged ] && ok || complain "trained before the judge was looked at"
works 'undecided at 2 seeds' "$qkv" compare -t reverse --seeds 2 \
    -v standard,fused,mqa $small -o judged --no-figures
works 'worse by' "$qkv" compare -t reverse --seeds 2 \
    -v standard,fused,mqa $small -o judged --no-figures --judge test_loss
works '| fused | 1024 | 1600 |' "$qkv" compare -t reverse --seeds 2 \
    -v standard,fused,mqa $small -o judged --no-figures --markdown
works '%   fused: identical at 2 seeds in test accuracy' "$qkv" compare -t reverse --seeds 2 \
    -v standard,fused,mqa $small -o judged --no-figures --latex
for margin in test_accuracy 0.01 test_accuracy=0 solved_at=5x =1% test_loss=nan; do
    refuses 2 "--margin \"$margin\": give a quantity" "$qkv" compare -t reverse \
        --seeds 2 -v standard,fused $small -o judged --no-figures --margin $margin
done
works 'the same within 5' "$qkv" compare -t reverse --seeds 2 -v standard,mqa \
    $small -o judged --no-figures --judge test_loss --margin test_loss=5
grep -q '^margin.test_loss=5$' judged/experiment.tsv && ok || complain "--margin is recorded"
works 'the same within 5' "$qkv" compare -t reverse --seeds 2 -v standard,mqa \
    $small -o judged --no-figures --judge test_loss --margin test_loss=5
refuses 2 'contradict' "$qkv" compare --markdown --latex -v standard \
    -t reverse --seeds 1 $small -o judged --no-figures
# a caption says at which value of the grid
works 'caption{recall, $d_k$ 2: ' "$qkv" compare -v standard -t recall --d-k 2,4 --seeds 2 $small \
    -o captions --no-figures --latex
# the best rate is chosen where there are several
"$qkv" compare -t reverse --seeds 2 -v standard,fused $small --lr 0.00001,0.01 \
    -o rated --no-figures --tsv >out 2>err
[ "$(cut -f11 out | sort -u | tr '\n' ' ')" = "0.01 rate " ] && ok ||
    complain "the best rate"

# --- how a run starts and ends
works '	5248	NA	NA	' "$qkv" train -t reverse --steps 0 -o start --test 32 -q --tsv
refuses 1 'nothing to draw over steps' "$qkv" plot start --y validation_loss
works '/1' "$qkv" train -t reverse --init W_Q=0.1+W_K=2 $small -o start
# fails WORDS COMMAND ...: a run fails, for that reason.
fails() {
    words=$1
    shift
    "$@" >out 2>err
    [ $? -eq 1 ] && [ "$(wc -l <err)" -eq 2 ] && grep -qF -- "$words" err &&
        ok || complain "$*: does not say \"$words\""
}
refuses 2 'none of these weights' "$qkv" train --init W_R=2 $small -o start
refuses 2 'not NAME=FACTOR' "$qkv" train --init W_Q=2+ $small -o start
fails 'took more than 1 seconds; --timeout gives more' "$qkv" train --steps 1000000 --timeout 1 \
    -q -o start
"$qkv" train -t reverse --lr 0 --steps 1000 --patience 3 -q -o start --test 8 \
    >out 2>err
[ "$(wc -l <"$(ls -d start/*patience*)/log.tsv")" -eq 5 ] && ok ||
    complain "--patience does not stop"
works 'subset' "$qkv" train -t subset $small -o start

fails 'split: (64 x 16) does not divide into 3 heads' \
    "$qkv" train -v no-wq --heads 3 --d-v 4 --d-model 16 -o shapes
# Scores of 0: entropy ln 16, weights of 1/16, and no distance gone.
"$qkv" train --init W_Q=0 --steps 0 -q -o zero --test 8 --validate 8 \
    --log attention+distance+gradients+rank >out 2>err
awk -F'\t' '$1 == "entropy" && ($2 - 2.772589)^2 < 1e-10 { n++ }
    $1 == "largest_weight" && $2 == 0.0625 { n++ }
    $1 == "saturated" && $2 == 0 { n++ }
    $1 == "score_deviation" && $2 == 0 { n++ }
    $1 == "distance_n" && $2 == 0 { n++ }
    $1 == "rank_m" && $2 == 0 { n++ }
    $1 == "gradient.block0.attention.W_K" && $2 == 0 { n++ }
    $1 == "gradient.block0.attention.W_V" && $2 + 0 > 0 { n++ }
    END { exit n != 8 }' zero/*/result.tsv && ok || complain "--log"
refuses 2 'not one of: attention scores' "$qkv" train --log rank+speed $small -o zero

# --- what a figure may not be asked for, and what is judged
has drawn
refuses 2 'no place for a mean' "$qkv" plot drawn --x test_loss --y test_accuracy
refuses 2 'are means over it' "$qkv" plot drawn --y loss --facet seed
for judge in steps parameters attention_parameters flops cache chance trivial chance_loss; do
    refuses 2 'training does not decide it' "$qkv" compare -t reverse --seeds 1 \
        -v standard $small -o judged --judge $judge --no-figures
done
# the baseline and twelve others, six of them in each figure
"$qkv" compare -t reverse --seeds 1 $small -o many -q \
    -v standard,two-step,fused,full-rank,shared-qk,mla,mqa,gqa,identity,no-wq,no-wv-wo,biased,gated >out 2>err
[ "$(ls many/figures | grep -c 'curves-reverse-[0-9]*\.tsv$')" -eq 2 ] && ok ||
    complain "thirteen variants: $(ls many/figures; cat err)"
refuses 2 'contradict' "$qkv" compare -v standard,mla --match params \
    --same-start auto -o alike
# a matched variant stands beside the baseline at each point of a grid
"$qkv" compare -t reverse --seeds 2 --match params -v standard,mla,two-step \
    --d-k 4,8 $small -o met --format svg >out 2>err
[ "$(cut -f1 out | sort -u | wc -l)" -eq 3 ] &&
    ! grep -q 'no baseline' out && ok || complain "--match over a grid"
[ "$(cut -f2,3 met/figures/test_accuracy-d-k-reverse.tsv | sort -u | wc -l)" -eq 7 ] &&
    ok || complain "--match along a grid"
# two of four seeds solve it: no median
mkdir censored
for seed in 1 2 3 4; do
    "$qkv" train -t reverse --steps 100 --seed $seed -q -o censored >/dev/null
done
for run in censored/*seed[34]*; do
    sed 's/^solved_at.*/solved_at\t0/' "$run/result.tsv" >x && mv x "$run/result.tsv"
done
for run in censored/*seed[12]*; do
    sed 's/^solved_at.*/solved_at\t50/' "$run/result.tsv" >x && mv x "$run/result.tsv"
done
"$qkv" plot censored --x attention_parameters --y solved_at -o censored -q \
    --format svg && grep -q '	100	50	100$' \
    censored/figures/solved_at-attention_parameters-reverse.tsv && ok ||
    complain "a censored median"

# --- tasks of a file
printf 'input\ttarget\n' >pairs.tsv
for i in 1 2 3 4 5 6 7 8 9 10; do
    printf 'a b c\t- B C\nb a\tB A\n'
done >>pairs.tsv
works 'pairs' "$qkv" train -t pairs --file pairs.tsv $small -o pairs
refuses 2 'needs a file' "$qkv" train -t pairs
printf 'input\ttarget\na b\tc\n' >odd.tsv
refuses 1 'odd.tsv:2: 2 tokens and 1 answers' "$qkv" train -t pairs \
    --file odd.tsv -o pairs
printf 'input\ttarget\na b\tc d\n' >odd.tsv
refuses 1 '10 are the least' "$qkv" train -t pairs --file odd.tsv -o pairs
printf 'input\ttarget\r\na b\tc\n' >odd.tsv
refuses 1 'odd.tsv:2: 2 tokens and 1' "$qkv" train -t pairs --file odd.tsv -o pairs
printf 'input\ttarget\n\n' >odd.tsv
refuses 1 'odd.tsv:2: not two columns' "$qkv" train -t pairs --file odd.tsv -o pairs
: >odd.tsv
refuses 1 '10 are the least' "$qkv" train -t pairs --file odd.tsv -o pairs
printf 'a\tb\n' >odd.tsv
refuses 1 'odd.tsv:1: not "input"' "$qkv" train -t pairs --file odd.tsv -o pairs
sed 's/B C/- -/; s/B A/- -/' pairs.tsv >odd.tsv
refuses 1 'nothing is asked' "$qkv" train -t pairs --file odd.tsv -o pairs
refuses 2 'has no attention' "$qkv" train -t linear -v mqa
refuses 2 'not 6 numbers above 0' "$qkv" train -t linear --spectrum 3+2
refuses 2 'not 6 numbers above 0' "$qkv" train -t linear --spectrum 6+5+4+3+2+1x
refuses 2 'not 2 numbers above 0' "$qkv" train -t linear --length 2 --spectrum 3+2+1
"$qkv" compare -t linear -v standard --depth 1,2 --steps 3 --seeds 1 -q -o depths >out 2>err
[ "$(tail -n 2 out | cut -f 26 | tr '\n' ' ')" = "0 0 " ] && ok || complain "what is real without attention"
works "$(printf 'chance_loss\t5004.5')" sh -c "'$qkv' train -t linear --length 2 --spectrum 1e+2+3 \
    --steps 0 -q -o powers >err && cat powers/*/result.tsv"
printf 'a b\tc d\n\0x\ty\n' >nul.tsv
refuses 1 'byte 0x00 at offset 8' "$qkv" train -t pairs --file nul.tsv -o nul
refuses 2 '`qkv list --tasks` lists them' "$qkv" train --task "$(printf 'z%.0s' $(seq 130))"
! grep -q 'did you mean' err && ok || complain "130 letters: $(cat err)"
refuses 2 'not 6 numbers above 0' "$qkv" train -t linear --spectrum 6+5+4+3+2x+1
refuses 2 'leave it at 1' "$qkv" train -t linear --batch 2
refuses 2 'are for the task linear' "$qkv" train -t sort --depth 2
# one matrix learns every mode at the same rate, 1 - (1 - lr)^step
"$qkv" train -t linear --depth 1 --steps 50 --init W_1=0 --lr 0.1 -q \
    -o linear >out 2>err
awk -F'\t' 'END { for (i = 6; i <= 11; i++)
    if (($i - 1 + 0.9^50)^2 > 1e-10) exit 1 }' linear/*/log.tsv && ok ||
    complain "linear"

# --- every run as one row
has rated
has drawn
"$qkv" table rated >out 2>err && [ "$(wc -l <out)" -eq 9 ] && [ ! -s err ] && ok || complain "table"
head -1 out | grep -q '^run	task	variant	seed	lr	status	steps	' && ok || complain "table: columns"
# programs read it: the best mean of the table is what compare says
best=$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["variant"] == "fused" && $at["lr"] == 0.01 { sum += $at["test_accuracy"]; n++ }
    END { printf "%.3f", sum / n }' out)
"$qkv" compare -t reverse --seeds 2 -v standard,fused $small --lr 0.00001,0.01 -o rated --no-figures \
    --tsv 2>err | grep -q "	fused	.*	$best	" && ok || complain "table: another mean than compare's: $best"
works '"variant": "fused", "seed": 1, "lr": 0.01, "status": "finished", "steps": ' "$qkv" table rated --json
works '| reverse | fused | 1 | 0.01 | - | ' "$qkv" table rated --markdown
works 'fused & $1$ & $0.01$ & ' "$qkv" table rated --latex
"$qkv" table rated "$work/drawn" 2>err | grep -c '^reverse' >out
[ "$(cat out)" -gt 8 ] && ok || complain "a table of two experiments"
"$qkv" train -t reverse --steps 5 -o stepped --test 16 --validate 16 -q >/dev/null 2>err
"$qkv" train -t reverse --steps 6 -o stepped --test 16 --validate 16 -q >/dev/null 2>err
works 'steps_setting	status	steps	' "$qkv" table stepped
refuses 2 'takes EXPERIMENT' "$qkv" table
refuses 1 'give the directory of an experiment' "$qkv" table nowhere
cp -r stepped spoilt-table
sed -i '2s/^status/other/' spoilt-table/*/result.tsv
refuses 1 'result.tsv:2: "other" is not the name' "$qkv" table spoilt-table
sed -i '2s/^other/status/' spoilt-table/*/result.tsv
sed -i 's/^seconds\t.*/seconds\tfew/' spoilt-table/*/timing.tsv
refuses 1 'timing.tsv, line 2: "few" is not a number' "$qkv" table spoilt-table
sed -i 's/^test_loss\t.*/test_loss\tlow/' spoilt-table/*/result.tsv
refuses 1 'result.tsv, line 13: "low" is not a number' "$qkv" table spoilt-table
# --- trivial baselines are those of the data that is drawn
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "ab"; for (i = 0; i < 200; i++) printf "b" }' >parts.txt
"$qkv" compare --file parts.txt -v standard --length 8 --steps 4 --seeds 2 --test 20 --validate 20 --batch 4 \
    --lr 0.001,0.003 -q --no-figures --markdown -o parts >out 2>err &&
    "$qkv" plot parts --x lr --y test_loss,validation_loss,loss --facet quantity -q 2>>err || complain "a text of two parts"
level() { sed -n "s/^$1	//p" parts/*seed1*/result.tsv | head -n 1 | awk -v f="$2" '{ printf f, $1 }'; }
[ "$(level bigram_loss %.2f)" != "$(level test_bigram_loss %.2f)" ] &&
    grep -q "pairs of them $(level test_bigram_loss %.2f)$" out &&
    sed -n '/^$panels/{n;p;}' parts/figures/quantities-lr-text.gp | grep -q " $(level test_bigram_loss %.6g) bigram$" &&
    sed -n '/^$panels/{n;n;p;}' parts/figures/quantities-lr-text.gp | grep -q " $(level bigram_loss %.6g) bigram$" &&
    ! sed -n '/^$panels/{n;n;n;p;}' parts/figures/quantities-lr-text.gp | grep bigram && ok ||
    complain "baselines of another part of the text"

# --- values in the order in which they were asked for, figures by size
"$qkv" compare -v window -t reverse --window 24,2,8,4 --lr 0.00001,0.0001 --steps 4 --test 4 --seeds 1 \
    --no-figures -q -o windows >/dev/null 2>err && "$qkv" report windows -o windows-report -q 2>>err &&
    "$qkv" plot windows --y loss --facet window --format svg -q 2>>err || complain "windows"
[ "$(sed -n 's/^reverse.window\([0-9]*\): guessing.*/\1/p' windows-report/report.md | tr '\n' ' ')" = '24 2 8 4 ' ] &&
    [ "$(sed -n '/^$titles/,/^END/s/^|learning rate \([^,]*\), window \([0-9]*\).*/\1:\2/p' \
        windows-report/figures/validation_loss-step-reverse.gp | tr '\n' ' ')" = \
        '1e-05:2 1e-05:4 1e-05:8 1e-05:24 0.0001:2 0.0001:4 0.0001:8 0.0001:24 ' ] &&
    [ "$(sed -n '/^$titles/,/^END/s/.*window \([0-9]*\).*/\1/p' windows/figures/loss-step-by-window-reverse.lr1e-05.gp | tr '\n' ' ')" = '24 2 8 4 ' ] &&
    ok || complain "the order of values"

# --- verdicts between positions; the report says what was trained
"$qkv" compare -v standard -t reverse --positions learned,rope,none --seeds 3 --steps 20 --test 32 \
    --d-model 16 --heads 2 --no-figures -q -o between >out 2>err &&
    [ "$(cut -f 2,14 out | sed 's/ .*//; 1d' | tr '\n\t' ' :')" = 'learned:the none:undecided rope:undecided ' ] &&
    "$qkv" report between -o between-report -q 2>err && grep -q '^against learned' between-report/report.md &&
    grep -q '^Trained: d-model 16; layers 1; heads 2; d-k 8; positions learned, none, rope; length 16; steps 20; batch 32; optimizer adam; lr 0.003\.$' between-report/report.md &&
    "$qkv" plot between --x positions --y test_accuracy -q && ok || complain "verdicts between positions"
"$qkv" compare -v standard,mqa -t reverse --positions learned,rope --by positions --baseline rope --seeds 2 --steps 4 \
    --test 8 --no-figures -q --markdown -o between2 >out 2>err && grep -q '^Compared with rope' out && ok ||
    complain "verdicts between positions of two variants"
refuses 2 'not a setting of several values' "$qkv" compare -v standard --by positions -o between3
refuses 2 'contradict' "$qkv" compare -v standard --positions rope,none --by positions --match params -o between3
refuses 2 'none of the runs is of it' "$qkv" compare -v standard --positions rope,none --baseline alibi -o between3
refuses 2 'in which these runs differ' "$qkv" report between --by heads -o between3

# --- recipes and reports
cat >small.txt <<'END'
# Is it small?
# A recipe of two lines.
compare -t reverse -v standard,fused --seeds 2 --steps 20 --test 32 --d-model 16 --lr 0.003,0.01
plot --x lr --y test_accuracy --labels 'the rate,how well'
END
"$qkv" compare --recipe ./small.txt -o small -q >out 2>err &&
    [ -s small/figures/test_accuracy-lr-reverse.svg ] &&
    cmp -s small.txt small/recipe.txt && ok || complain "a recipe"
sed 's/$/\r/' small.txt >crlf.txt # as Windows writes it, and named without a slash
"$qkv" compare --recipe ./small.txt --plan -q -o lines >planned.txt &&
    "$qkv" compare --recipe crlf.txt --plan -q -o lines | cmp -s - planned.txt && ok ||
    complain "a recipe with carriage returns"
printf '%s\n' '# Is it there?' 'compare --file {plots}/recipes/lessons.text -v standard --seeds 1' >placed.txt
works '/plots/recipes/lessons.text' "$qkv" compare --recipe ./placed.txt --plan -q -o placed
"$qkv" report small -o paper -q 2>err && grep -q 'Is it small?' paper/report.md &&
    grep -q '^\\toprule' paper/tables/reverse.tex &&
    grep -q '^\\input{figures/test_accuracy-lr-reverse}' paper/report.tex &&
    grep -q 'else.CurrentFilePath/.fi test_accuracy-lr-reverse.pdf' \
        paper/figures/test_accuracy-lr-reverse.tex &&
    [ -s paper/figures/test_accuracy-lr-reverse.pdf ] && ok || complain "a report"
if command -v pandoc >/dev/null; then
    # one file that can be sent, with its figures in it
    ! grep -q '<script\|src="[^d]\|href="[^#]' paper/report.html && ok || complain "a report in HTML"
    sed -n 's/.*src="data:image\/svg+xml;base64,\([^"]*\)" alt="test_accuracy-lr-reverse".*/\1/p' \
        paper/report.html | base64 -d | cmp -s - paper/figures/test_accuracy-lr-reverse.svg &&
        ok || complain "a report's figure is another"
fi
cp -r paper again
"$qkv" report small -o again -q && diff -r -x '*.pdf' paper again >/dev/null &&
    ok || complain "a report twice, differs"
# a pandoc that reads no other file; one that fails; none
mkdir old only
printf '#!/bin/sh\ncase "$*" in *--sandbox*) ;; *) exit 6 ;; esac\n%s\n' \
    'while [ "$1" != -o ]; do shift; done; cp "$3" "$2"' >old/pandoc
chmod +x old/pandoc && ln -s "$(command -v gnuplot)" only/gnuplot
PATH="$work/old:$PATH" "$qkv" report small -o again -q 2>err && [ ! -s err ] &&
    cmp -s again/report.md again/report.html && ok || complain "pandoc in a sandbox: $(cat err)"
printf '#!/bin/sh\necho no such font >&2; exit 3\n' >old/pandoc
PATH="$work/old:$PATH" refuses 1 'report.html: pandoc failed on it: no such font' \
    "$qkv" report small -o again -q
PATH="$work/only" "$qkv" report small -o again 2>err && grep -q 'with pandoc there would be' err &&
    [ ! -e again/report.html ] && cmp -s paper/report.tex again/report.tex &&
    cmp -s paper/report.md again/report.md && ok || complain "a report without pandoc"
refuses 2 'there are: ' "$qkv" compare --recipe nothing -o small
refuses 2 'contradict' "$qkv" compare --recipe rank --d-k 3 -o small
refuses 2 'contradict' "$qkv" compare --recipe rank --lr 0.1 -o small
# with other seeds, variants, judge and margin; the recipe as it was run is kept
sed 's/^compare.*/compare -t reverse --steps 20 --test 32 --d-model 16 --lr 0.003,0.01 --variant standard,mqa --seed 11,12,13 --baseline mqa --judge test_loss --margin test_loss=2%/' \
    small.txt >wanted.txt
"$qkv" compare --recipe ./small.txt -o other -q -v standard,mqa --seed 11..13 \
    --judge test_loss --margin test_loss=2% --baseline mqa >out 2>err &&
    [ "$(ls -d other/reverse.* | sed 's/.*seed//; s/[.].*//' | sort -u | tr '\n' ' ')" = '11 12 13 ' ] &&
    cut -f 2,18 out | grep -q "^standard.test_loss" && cmp -s wanted.txt other/recipe.txt && ok ||
    complain "a recipe with other seeds: $(cat err)"
printf '%s\n' 'compare -v standard -t reverse --steps 4 --test 4 --d-model 16 --seeds=3 --no-figures' \
    'equiv --variant=standard,fused -t reverse --steps 4 --d-model 16' >equal.txt
"$qkv" compare --recipe ./equal.txt -o equal -q --seeds 2 -v standard,two-step >out 2>err &&
    [ "$(ls -d equal/reverse.* | wc -l)" -eq 6 ] && ok || complain "a recipe with equiv and other variants: $(cat err)"
refuses 2 'is not a number' "$qkv" compare --seed 3..1 -o small
echo 'train -t sort' >small.txt
refuses 2 'small.txt:1: "train" is not one of' "$qkv" compare --recipe ./small.txt -o s
# a command that fails ends the recipe
printf '%s\n' 'compare --file nowhere.txt -v standard --seeds 1' \
    'compare -t sort -v standard --seeds 1 --steps 1 --test 4' >failing.txt
"$qkv" compare --recipe ./failing.txt -o failing -q >out 2>err
[ $? -eq 1 ] && grep -q 'failing.txt:1: the command failed' err && [ ! -e failing/experiment.tsv ] &&
    ok || complain "a recipe goes on after a command that failed: $(cat err)"
echo '# nothing' >small.txt
refuses 2 'no command in it' "$qkv" compare --recipe ./small.txt -o s
refuses 2 'takes EXPERIMENT' "$qkv" report -o paper
mkdir -p none
refuses 1 'no finished run' "$qkv" report none -o paper
for recipe in "$top"/plots/recipes/*.txt; do
    # every line of every recipe is understood: its plan can be made
    grep -v '^#\|^plot\|equiv' "$recipe" |
        sed "s|^compare|$qkv compare --plan|; s|{plots}|$build/plots|" >lines
    sh lines >out 2>err && ok || complain "$recipe"
done

# --- claims
# Each of the four verdicts, of a claim that is planted for it.
claim() { # FILE VERDICT RECIPE-LINE ...: is that what comes out?
    file=$1 verdict=$2
    shift 2
    printf '%s\n' '# Is it so?' 'claim it' 'claim is' 'source somebody' 'published large' \
        'ours small' 'hypothesis so' "$@" >"planted/$file.txt"
    "$qkv" compare --claim "./planted/$file.txt" -o "claims/$file" -q >out 2>err
    grep -qF -- "- **Verdict.** **$verdict**" out && ok || complain "a claim that is $verdict: $(cat out err)"
}
mkdir planted claims
runs='compare -t reverse -v standard,fused,linear --length 6 --seeds 3 --steps 60 --test 64 --judge test_accuracy --no-figures --no-weights'
claim yes 'reproduced' "$runs" 'expect variant=fused outcome is same' 'expect variant=linear test_accuracy < 1.1' \
    'count -v standard,shared-kv --d-model 8 --real' 'expect variant=shared-kv gauge < 50'
grep -q '^- \*\*Claim\.\*\* it is$' out && grep -q '| 2 | variant=shared-kv gauge \\< 50 | 16 | yes |' out &&
    grep -q '(3 of 3 met): 9 runs, 20..-..-.., hash [0-9a-f]\{16\}$' out && ok || complain "a claim's section"
cp -r claims/yes/claim was
cp out section
"$qkv" compare --claim ./planted/yes.txt -o claims/yes -q >out && diff -r claims/yes/claim was >out2 &&
    cmp -s out section && ok || complain "a claim twice, differs"
grep -q '| 1 | variant=fused outcome is same | identical at 3 seeds \[0, 0\] | yes |' out && ok ||
    complain "a claim's difference: $(grep fused out)"
claim no 'not reproduced' "$runs" 'expect variant=fused outcome is better' 'expect variant=fused outcome is same'
claim none 'not reproduced' "$runs" 'expect variant=fuse outcome is same' 'expect variant=fused outcome is same' &&
    grep -q '^| 1 | variant=fuse outcome is same | no such row | no |$' out && grep -q '(1 of 2 met)' out && ok ||
    complain "an expectation that no row has: $(cat out err)"
claim edge 'not reproduced' "$runs" 'expect variant=fused attention_parameters > 4095' \
    'expect variant=fused attention_parameters > 4096' 'expect variant=fused attention_parameters < 4096' &&
    grep -q '(1 of 3 met)' out && ok || complain "neither more nor less: $(cat out err)"
claim half 'not reproduced' "$(echo "$runs" | sed 's/seeds 3/seeds 8/') --margin test_accuracy=0.0001" \
    'expect variant=linear outcome is better' 'expect variant=fused outcome is better'
claim worse 'not reproduced' "$(echo "$runs" | sed 's/seeds 3/seeds 8/') --margin test_accuracy=0.0001" \
    'expect variant=linear outcome is better,same'
claim opposite 'the opposite' "$(echo "$runs" | sed 's/seeds 3/seeds 8/') --margin test_accuracy=0.0001" \
    'expect variant=linear outcome is better'
claim mixed 'not reproduced' "$(echo "$runs" | sed 's/seeds 3/seeds 8/') --margin test_accuracy=0.0001" \
    'expect variant=linear outcome is better' 'expect variant=linear outcome is worse'
claim open 'undecided' \
    "$(echo "$runs" | sed 's/seeds 3 --steps 60/seeds 2 --steps 20/') --margin test_accuracy=0.0001" \
    'expect variant=linear outcome is same,better,worse' 'expect variant=linear outcome is worse'
claim neutral 'the opposite' \
    'compare -t reverse -v standard,full-rank --length 6 --d-k 2 --seeds 3 --steps 20 --log rank --judge rank_m --no-figures --no-weights' \
    'expect variant=full-rank outcome is less'
"$qkv" compare -t reverse -v standard,full-rank --length 6 --d-k 2 --seeds 3 --steps 20 --log rank --judge rank_m \
    --no-figures --no-weights -o claims/neutral -q --markdown >out && grep -q '^Compared with standard: 1 more (full' out &&
    ok || complain "the headline of what is neither good nor bad: $(head -3 out)"
claim never 'not testable here' 'untestable there is no such thing' && [ ! -e claims/never/claim/line8.tsv ] &&
    ok || complain "a claim that is not tested"
# With other seeds its verdict is that of what was run; a count has none.
"$qkv" compare --claim ./planted/yes.txt -o claims/seeds --seed 4..5 -q >out 2>err &&
    grep -q '^## yes: ' out && grep -q ' met): 6 runs, ' out && ok || complain "a claim of other seeds: $(cat out err)"
# What a stranger put among its results does not act.
hostile() { # FILE TEXT: is that text, in that file, refused or left out?
    rm -rf claims/hostile && cp -r claims/yes claims/hostile && mkdir -p claims/hostile/figures
    printf '%b' "$2" >"claims/hostile/$1"
    [ "${1%.gp}" = "$1" ] || echo 'What it shows.' >"claims/hostile/${1%.gp}.txt"
    cp planted/yes.txt book/plots/recipes/claims/hostile.txt
    book/bin/qkv report claims --claims >out 2>err
    ! grep -q '[^\\]<\|](' out && ok || complain "a claim's page has what a stranger wrote to $1"
    rm book/plots/recipes/claims/hostile.txt
}
# A cluster gets the runs; what cannot be understood is refused, with its line.
"$qkv" compare --claim ./planted/no.txt -o elsewhere --plan 2>err >out &&
    [ "$(grep -c '^qkv train .*--out elsewhere' out)" -eq 9 ] && [ ! -e elsewhere ] && ok || complain "a claim's plan"
wrong() { # MESSAGE SED-SCRIPT: the claim `yes`, changed so, is refused
    sed "$2" planted/yes.txt >planted/wrong.txt
    refuses 2 "$1" "$qkv" compare --claim ./planted/wrong.txt -o claims/wrong
    [ ! -e claims/wrong ] && ok || complain "a claim that is wrong is run"
}
wrong 'no line "source"' '/^source/d'
wrong 'no line "hypothesis"' '/^hypothesis/d'
wrong 'wrong.txt:9: expect "variant=fused": give' '9s/ outcome is same//'
wrong 'wrong.txt:10: expect "variant=linear test_accuracy < low": give' '10s/1.1/low/'
wrong 'outcome is same": give' "9s/outcome/$(printf 'a=1 %.0s' $(seq 16))outcome/"
wrong 'wrong.txt:1: expect: no command is above' '1s/.*/expect outcome is same/'
wrong 'wrong.txt:8: "comparing" is not one of' '8s/compare/comparing/'
wrong 'wrong.txt:4: source: it is empty' '4s/ .*//'
wrong 'begins with expect or untestable' '/^expect/d'
unlike() { # MESSAGE SED-SCRIPT: the table is not what the claim expects
    sed "$2" planted/yes.txt >planted/unlike.txt
    refuses 1 "$1" "$qkv" compare --claim ./planted/unlike.txt -o claims/unlike -q
}
unlike 'unlike.txt:9: expect: the table of line 8 has no column "end"' '9s/outcome/end/'
refuses 2 'is not a number' "$qkv" compare --plan --seed 9223372036854775806..9223372036854775807
refuses 2 '--lr is given twice: give its values as one list' "$qkv" compare --lr 0.1 --lr 0.2
refuses 1 'nosuch: No such file' "$qkv" report nosuch
refuses 2 'there are: additions' "$qkv" compare --claim nothing
refuses 2 'contradict' "$qkv" compare --claim kv-shared --recipe rank
refuses 2 'contradict' "$qkv" compare --claim kv-shared --d-k 2
# The page: what is not run, or was run as another recipe, is not run yet.
mkdir -p book/plots/recipes/claims book/bin ledger
cp planted/yes.txt planted/no.txt planted/opposite.txt planted/never.txt book/plots/recipes/claims
cp planted/open.txt book/plots/recipes/claims/later.txt
cp "$qkv" book/bin/qkv && ln -s ../plots book/bin/plots
for name in yes no opposite; do cp -r "claims/$name" ledger/; done
QKV_PATH=$build/variants book/bin/qkv report ledger --claims >page && cp page page-before &&
    grep -q '^| yes | Is it so? | reproduced | 3 of 3 | 9 | 20' page &&
    grep -q '^| no | Is it so? | not reproduced | 1 of 2 | ' page &&
    grep -q '^| opposite | Is it so? | the opposite | 0 of 1 | ' page &&
    grep -q '^| never | Is it so? | not testable here | - | - | - | - |' page &&
    grep -q '^Of 5 claims, 1 reproduced, 1 not reproduced, 1 the opposite, 1 not testable here, 1 not run yet\.$' page &&
    grep -q '^| later | Is it so? | not run yet | - | - | - | - |' page && ok || complain "the page of claims"
hostile claim/claim.tsv 'key\tvalue\ndate\t<b>\nruns\t[a](b)\nhash\t<i>\n'
hostile claim/line8.md '| a |\n|---|\n| <b> |\n'
hostile claim/line8.md '| a |\n|---|\n| [a](b) |\n'
hostile 'figures/a](b) <i>.gp' ''
echo 'expect variant=fused outcome is worse' >>book/plots/recipes/claims/yes.txt
book/bin/qkv report ledger --claims | grep -q '^| yes | .* | not run yet |' && ok || complain "another recipe's runs"
cp planted/yes.txt book/plots/recipes/claims && book/bin/qkv report ledger --claims | cmp -s - page-before && ok ||
    complain "the page of claims twice, differs"
for recipe in "$top"/plots/recipes/claims/*.txt; do
    # of every claim a plan can be made
    grep '^compare' "$recipe" | sed "s|^compare|$qkv compare --plan|; s|{plots}|$build/plots|" >lines
    sh lines >out 2>err && grep -q "^## $(basename "$recipe" .txt): " "$top/lessons/claims.md" && ok ||
        complain "$recipe"
done

[ "$(cksum <"$top/plots/recipes/lessons.text")" = '2010159696 100056' ] && ok ||
    complain "plots/recipes/lessons.text is another text: make claims runs all claims about text again, and" \
        "sh tests/same.sh -u build the recipe; then the new checksum goes here"

# --- export
has drawn
has cross
run=$(ls -d cross/cross-recall*)
"$qkv" export "$run" --batch batch -q && [ -s batch/source.npy ] &&
    [ "$(ls batch/gradients | sort)" = "$(ls "$run/weights" | sort)" ] && ok ||
    complain "export"
refuses 1 'is there already' "$qkv" export "$run" --batch batch
refuses 1 'No such file' "$qkv" export "$run" --batch no/where
refuses 1 'qkv: .: is there already' "$qkv" export "$run" --batch .
refuses 2 'needs --batch' "$qkv" export "$run"
[ -z "$(ls -d ./*partial* 2>/dev/null)" ] && ok || complain "export: half a batch"

# Without gnuplot: training succeeds, data and scripts are there.
mkdir bin
PATH=$work/bin "$qkv" compare -v standard -t reverse --seeds 1 ${small% -q} \
    -o undrawn >out 2>err
[ $? -eq 0 ] && grep -q 'gnuplot is not installed' err &&
    [ -s undrawn/figures/curves-reverse.gp ] &&
    [ ! -e undrawn/figures/curves-reverse.svg ] && ok ||
    complain "without gnuplot"

# What it said last is what is told.
printf '#!/bin/sh\necho first >&2; echo last >&2; exit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
refuses 1 'gnuplot could not draw it: last' env PATH="$work/bin:$PATH" "$qkv" plot undrawn -o undrawn --format svg
# An empty picture, as on a full disk, does not stay; what was there does.
cat >bin/gnuplot <<'END'
#!/bin/sh
: >"${4%.gp}.svg"
END
chmod +x bin/gnuplot
refuses 1 'curves-reverse.svg: gnuplot did not write all of it' \
    env PATH="$work/bin:$PATH" "$qkv" plot undrawn -o undrawn --format svg
[ -s undrawn/figures/curves-reverse.gp ] &&
    [ -z "$(ls -A undrawn/figures | grep svg)" ] && ok ||
    complain "an empty picture"

# Without a path it is the experiment in qkv-out.
mkdir -p by-itself && cp -r undrawn by-itself/qkv-out && rm -rf by-itself/qkv-out/figures
(cd by-itself && "$qkv" plot -q --format dumb >out 2>err) && [ -s by-itself/qkv-out/figures/curves-reverse.txt ] && ok ||
    complain "plot without a path"

# A copy of a run is no other seed, and a changed one no run.
cp -r drawn copied
run=$(ls -d copied/reverse.standard.*seed1.*)
cp -r "$run" copied/once-more
refuses 1 'once-more: its name does not end in' "$qkv" plot copied -o copied
rm -r copied/once-more
cp "$run/log.tsv" log.tsv
sed -i '3,$d' "$run/log.tsv"
refuses 1 'does not go to step 20' "$qkv" plot copied -o copied
cp log.tsv "$run/log.tsv"
sed -i 's/^heads.*/heads	2/' "$run/config.tsv"
refuses 1 'or config.tsv was changed' "$qkv" plot copied -o copied
rm -r "$run" && cp -r "drawn/${run#copied/}" copied
sed -i 's/^batch.*/batch	8/' "$run/config.tsv"
refuses 1 'or config.tsv was changed' "$qkv" compare -v standard -t reverse \
    --seeds 1 $small --no-figures -o copied
[ "$(sed -n 's/^steps\t//p' "$run/result.tsv")" ] && ok || complain "a changed run went"

# Only what a run left half-written is swept away; what is written to nobody is
# a failure.
"$qkv" train $small --steps 1 -q -o swept >out 2>err
mkdir swept/.notes@2026 && echo mine >swept/.notes@home && mkfifo swept/.x@qkv-abcdef
timeout 20 "$qkv" train $small --steps 2 -q -o swept >out 2>err
[ $? -eq 0 ] && [ -s swept/.notes@home ] && [ -d swept/.notes@2026 ] && ok ||
    complain "somebody's hidden files"
"$qkv" compare -v standard -t reverse --seeds 1 $small -q -o swept >&- 2>err
[ $? -eq 1 ] && grep -q 'stdout: cannot' err && ok || complain "a closed stdout"

# Configurations that share a place along a result are points of their own, and
# panels stand in the order that was asked for.
"$qkv" compare -t reverse -v standard --d-k 2,4 --heads 4,1,2 --seeds 2 $small \
    --d-model 8 --steps 2 --no-figures -o pool >out 2>err
"$qkv" plot pool --x attention_parameters --y test_loss -q --format svg 2>err
[ "$(grep -c '^1.standard.192' pool/figures/test_loss-attention_parameters-reverse.tsv)" -eq 2 ] &&
    [ "$(wc -l <pool/figures/test_loss-attention_parameters-reverse.tsv)" -eq 7 ] && ok ||
    complain "configurations are averaged"
"$qkv" plot pool --x attention_parameters --y test_loss --facet heads -q --format svg 2>err
sed -n '/titles <</,/END/p' pool/figures/test_loss-attention_parameters-by-heads-reverse.gp |
    tr -cd '0-9' >out
[ "$(cat out)" = 412 ] && ok || complain "facets are not as asked: $(cat out)"

# A variant without the setting of the grid is shown at each value, and tested once.
works "p after Holm over 3 comparisons" "$qkv" compare -v standard,full-rank,wide \
    --baseline full-rank -t reverse --d-k 2,4 --seeds 2 $small --no-figures -o once --markdown

# --lr auto: a rate for each variant, found on other seeds, which are not averaged
# with those that are judged; the same command finds it again.
auto="compare -t reverse -v standard,two-step --length 6 --lr auto --seeds 2 $small --steps 40 --no-figures -o found"
"$qkv" $auto >out 2>err && [ "$(grep -c 'reverse' out)" -eq 2 ] &&
    ! grep -q "is an end of" err && ok || complain "--lr auto"
[ "$(ls -d found/reverse.* | wc -l)" -eq 4 ] && ls -d found/rates/*.seed1003.* >/dev/null &&
    grep -q '^lr.auto$' found/experiment.tsv && ok || complain "--lr auto: seeds of its own"
# Around 0.003 half powers of ten first; in the end both neighbours of what was found.
for variant in standard two-step; do
    sed -n 's/^lr	//p' found/rates/reverse.$variant.*/config.tsv | sort -u >tried
    its=$(sed -n 's/^lr	//p' found/reverse.$variant.*/config.tsv | sort -u)
    for rate in 0.001 0.003 0.01 $(printf '%s\n' 0.0001 0.00018 0.0003 0.00056 0.001 0.0018 \
        0.003 0.0056 0.01 0.018 0.03 0.056 0.1 0.18 0.3 0.56 1 | grep -x -B1 -A1 "$its"); do
        grep -qx "$rate" tried && ok || complain "--lr auto: $variant found $its without $rate"
    done
done
"$qkv" table found --tsv | head -n 1 | grep -q '	lr	' && ok || complain "--lr auto: the table has no rate"
mv out auto.tsv && "$qkv" $auto >out 2>err && cmp auto.tsv out && ok || complain "--lr auto again"
"$qkv" report found -q -o found-report 2>err && grep -q 'that --lr auto found' found-report/report.md &&
    ok || complain "--lr auto in a report"
refuses 2 'contradict' "$qkv" $auto --plan
refuses 2 'lr' "$qkv" train --lr auto

# Only seeds that both have are compared.
"$qkv" compare -v standard,mqa,fused -t reverse --seeds 3 $small --no-figures -q -o paired \
    >out 2>err
rm -r paired/reverse.standard.*seed1.* paired/reverse.mqa.*seed3.* paired/reverse.fused.*seed3.*
"$qkv" report paired -q -o paired-report >out 2>err
! grep -q 'detected at' paired-report/report.md &&
    grep -q '; 3 seeds, each with the same data' paired-report/report.md && ok ||
    complain "seeds that only one has"
if [ -x "$build/qkv-double" ]; then
    "$build/qkv-double" compare -v standard -t reverse --seeds 1 $small --no-figures -q -o precise \
        >out 2>err
    "$qkv" report paired precise -q -o paired-report 2>err &&
        grep -q 'Single and double precision' paired-report/report.md && ok ||
        complain "a report of two precisions"
fi

# The command in a report makes the same runs: none is a value, a plugin has its
# path, and a converted run is nobody's seed.
cp "$top/variants/full-rank.c" own.c
plugin own
"$qkv" compare -v standard,./own.so -t reverse --positions none --seeds 2 \
    --no-figures $small -q -o 'again 1' >out 2>err
"$qkv" equiv 'again 1'/reverse.standard*seed1* --to fused -q -o 'again 1' >out 2>err
"$qkv" report 'again 1' -q -o again-report >out 2>err
line=$(sed -n 's/^    qkv compare/"$qkv" compare/p' again-report/report.md)
mv 'again 1' before && eval "$line -q --no-figures" >out 2>err
[ "$(ls 'again 1' | grep seed | tr -d '\n')" = \
    "$(ls before | grep seed | grep -v from | tr -d '\n')" ] &&
    ! grep -q fused again-report/report.md && ok || complain "report: run again by"

# What does not fit together is said, and crashes nothing.
"$qkv" train -t linear --steps 3 -q -o no-attention >out 2>err || complain "linear"
run=$(ls -d no-attention/linear*)
refuses 1 'task linear has no attention' "$qkv" trace 0 "$run"
for what in --attention --range --spectrum --distances=1 -q; do
    refuses 1 'has no attention to inspect' "$qkv" inspect "$run" $what
done
refuses 1 'task linear has no attention' "$qkv" equiv "$run" --to mqa -o no-attention
refuses 2 'are for the task linear' "$qkv" compare -t reverse --loss l2,l4 -o grid
refuses 2 'needs --out DIR' "$qkv" report drawn
refuses 2 'the ledger of one experiment' "$qkv" report drawn --claims -o no-attention
{ printf 'input\ttarget\n' && for a in a b c; do for b in a b c; do for c in a b c; do for d in a b c; do
    printf '%s %s %s %s\t- - - %s\n' $a $b $c $d $a$b$c$d; done; done; done; done; } >answers.tsv
"$qkv" train -t pairs --file answers.tsv --residual no --steps 1 -q -o answers >out 2>err &&
    refuses 1 'more answers than one-hot tokens are wide' \
        "$qkv" equiv "$(ls -d answers/pairs*)" --to standard --embed onehot -o answers -q
"$qkv" train --init W_Q=0.1 --steps 2 -q -o begun >out 2>err &&
    "$qkv" equiv begun/reverse* --to full-rank -q -o begun >out 2>err && ok ||
    complain "equiv of a run with --init"
"$qkv" train -v symmetric-data --mask causal --steps 0 --log attention -q -o masked \
    >out 2>err
[ "$(sed -n 2p masked/*/log.tsv | cut -f8)" = 0 ] && ok ||
    complain "a row that sees one token counts as saturated"
"$qkv" train --symbols 1 --positions none --heads 1 --steps 10 --log attention -q \
    -o flat >out 2>err
! grep -q nan flat/*/log.tsv && ok || complain "scores that are alike have no deviation"

sed 's|= "softmax|= "\\033[2Jsoftmax|' "$top/variants/standard.c" >clears.c
plugin clears
refuses 1 'has a control character' "$qkv" train -v ./clears.so

# Whoever reads no further leaves nothing behind.
mkdir tmp
TMPDIR=$work/tmp "$qkv" check "$top/variants/identity.c" --tsv 2>err | head -n 1 >out
[ -z "$(ls tmp)" ] && ok || complain "check | head leaves its folder"

# A last, smaller part of a batch: weights that are multiplied need more there.
${CC:-cc} -fPIC -shared -I "$top/core" -o once.so \
    "$top/lessons/exercises/solutions/03-once.c" &&
    "$qkv" train -v ./once.so --heads 4 --d-k 16 --d-v 16 --length 2 --batch 63 \
        --steps 2 -q -o once >out 2>err && ok || complain "a smaller part"

# A report.md of one's own, and the figures beside it, are nobody's older report.
mkdir -p own/figures
echo mine | tee own/report.md >own/figures/photo.png
refuses 1 'no report of qkv' "$qkv" report drawn -q -o own
[ "$(cat own/report.md own/figures/photo.png | sort -u)" = mine ] && ok ||
    complain "report wrote over somebody's own"

# auto has no shape, and a likeness that was found was asked for.
refuses 2 'unknown variant "auto"' "$qkv" compare -v standard,two-step -t reverse \
    --same-start auto+d-k=2 --seeds 1 $small -o likeness
refuses 2 'nothing before the colon' "$qkv" train -t reverse --same-start :standard -o likeness

# A plugin that was built again stands beside the same baseline, in a figure each.
sed 's/equation = "/&an older /' "$top/variants/standard.c" >built.c
for steps in 2 3; do
    plugin built
    "$qkv" compare -v standard,./built.so -t reverse --seeds 1 --steps $steps --test 8 \
        --validate 8 --no-figures -q -o built >out 2>err || complain "a plugin that is built"
    sed -i 's/an older/a newer/' built.c
done
"$qkv" plot built --format svg -q -o built >out 2>err
for figure in built/figures/curves-*.tsv; do
    grep -qw standard "$figure" && grep -qw built "$figure" && ok ||
        complain "$figure: a build without its baseline"
done
[ "$(ls built/figures/curves-*.tsv | wc -l)" -eq 2 ] && ok || complain "two builds"

# A damaged run is named.
run=$(ls -d drawn/reverse.standard.*seed1.* | head -1)
: >"$run/log.tsv"
refuses 1 "$run/log.tsv" "$qkv" plot drawn -o drawn

echo "command: $passed passed, $failed failed"
[ $failed -eq 0 ]
