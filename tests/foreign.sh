#!/bin/sh
# foreign.sh BUILD - other people's runs: what README says of them, sentence by
# sentence. Each test spoils a copy of a small experiment and lets the commands
# that read it come near.

set -u
export ASAN_OPTIONS=detect_leaks=0
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
    echo "foreign: $*" >&2
    [ -f err ] && sed 's/^/    /' err >&2
    [ -z "${STOP:-}" ] || exit 1
}
qkv() { timeout 20 "$qkv" "$@" </dev/null >out 2>err; }
# refused STATUS WORDS COMMAND: one line that has the words, perhaps a second one
# by the command that had asked.
refused() {
    wanted=$1 words=$2
    shift 2
    "$@"
    status=$?
    [ $status -eq "$wanted" ] && grep -qF -- "$words" err && [ "$(wc -l <err)" -le 2 ] &&
        ok || complain "$*: status $status, not \"$words\""
}
draws() { command -v gnuplot >/dev/null; }

small='--steps 4 --seeds 1 --test 4 --validate 4 --d-model 8 --no-figures -q'
qkv compare -v standard,two-step -t reverse $small -o sound || complain "an experiment"
qkv compare -v standard -t translate --encoder 1 --cross after --encoder-variant two-step \
    --cross-variant two-step $small -o pair || complain "an encoder-decoder"
qkv compare -v standard,two-step -t reverse --same-start standard $small -o alike ||
    complain "a same start"
fresh() { # [EXPERIMENT]: a copy of it, and its run of two-step or its only one
    rm -rf foreign outside made
    mkdir outside
    cp -r "${1:-sound}" foreign
    run=$(ls -d foreign/*.two-step.*seed1* 2>/dev/null || ls -d foreign/*.seed1*)
}
reads() { # FILE: a command that reads it, of a run
    case $1 in
    weights*) command="inspect $run" ;;
    *) command='report foreign -o told' ;;
    esac
}
setting() { sed -i "s|^$1	.*|$1	$2|" "$run/config.tsv"; }
fitting_name() { # a run's settings changed on purpose have another digest
    qkv plot foreign -o made
    digest=$(sed -n 's/.*of its settings, \.\([0-9a-f]*\):.*/\1/p' err)
    [ -z "$digest" ] || { mv "$run" "${run%.*}.$digest" && run=${run%.*}.$digest; }
}

# "Reading a run executes no code that comes with it: a plugin that its config names by a
# path is not opened, but looked for by its name where yours are ($QKV_PATH)."
mkdir evil
cat >evil.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
__attribute__((constructor)) static void
sing(void)
{
    open(getenv("CANARY"), O_CREAT | O_WRONLY, 0600);
}
END
export CANARY="$work/canary"
${CC:-cc} -shared -fPIC evil.c -o evil/two-step.so || complain "evil.c does not compile"
cp evil/two-step.so evil/standard.so
qkv count -v ./evil/two-step.so
[ -e canary ] && ok || complain "the canary cannot sing"
rm -f canary
silent() {
    [ ! -e canary ] && ok || complain "$*: a plugin was opened"
    rm -f canary
}
every_command() { # WHERE: all that read runs; the experiment is written to as well
    for options in '' --attention --spectrum --range; do
        qkv inspect "$run" $options -o made
        silent "$1: inspect $options"
    done
    qkv export "$run" --batch batch
    rm -rf batch
    silent "$1: export"
    qkv trace '1 2 3' "$run"
    silent "$1: trace"
    qkv equiv "$run" --to standard -o converted -q
    silent "$1: equiv --to"
    qkv train --from "$run" --steps 1 -o further -q
    silent "$1: train --from"
    qkv plot foreign -o made --format svg
    silent "$1: plot"
    qkv report foreign -o told
    silent "$1: report"
    qkv compare -v standard,two-step -t reverse $small -o foreign
    silent "$1: compare"
    qkv equiv -v standard,two-step -t reverse --steps 4 --test 4 --validate 4 --d-model 8 -o foreign -q
    silent "$1: equiv"
    rm -rf batch converted further told made
}
for place in "$work/evil" ./evil ../evil RUN foreign/figures; do
    fresh
    mkdir -p foreign/figures
    cp evil/*.so "$run" && cp evil/*.so foreign/figures
    [ $place = RUN ] && place=$run
    setting variant "$place/two-step.so"
    every_command "variant $place"
done
for name in encoder-variant cross-variant; do
    fresh pair
    setting $name "$work/evil/two-step.so"
    every_command $name
done
fresh alike
setting same-start "standard:$work/evil/standard.so+heads=4+d-k=8+d-v=8"
fitting_name
every_command same-start
fresh
setting from "$work/evil/two-step.so"
fitting_name
every_command from
fresh
setting variant "$work/evil/gone.so"
refused 1 'only a path that you typed' qkv inspect "$run"
setting variant "$work/evil/two-step.so"
qkv inspect "$run" && grep -q 'rank' out && ok || complain "a plugin of that name is not found"

# "Only a path that you typed is opened."
qkv equiv "$run" --to ./evil/two-step.so -o converted
[ -e canary ] && ok || complain "a path on the command line is not opened"
rm -f canary
[ "$(cat "$top"/core/*/*.c "$top"/core/driver/*/*.c | grep -c 'dlopen(')" -eq 1 ] && ok ||
    complain "more than one dlopen"

# "A directory or a file to which anybody may write is refused."
mkdir -p mine/double
cp "$build/variants/standard.so" mine/plain.so
cp "$build/variants/standard.so" mine/double/broad.so
named() { env QKV_PATH="$work/mine" timeout 20 "$@" >out 2>err; }
named "$qkv" count -v plain && ok || complain "a plugin of one's own"
chmod o+w mine/plain.so
refused 1 'mine/plain.so: anybody may write' named "$qkv" count -v plain
refused 1 'plain is left out: ' named "$qkv" list --variants
qkv count -v ./mine/plain.so && ok || complain "a path that was typed"
chmod o-w mine/plain.so
named "$qkv-double" count -v broad && ok || complain "a plugin for doubles"
chmod o+w mine/double/broad.so
refused 1 'mine/double/broad.so: anybody may write' named "$qkv-double" count -v broad
chmod o-w mine/double/broad.so && chmod o+w mine/double
refused 1 'mine/double: anybody may write' named "$qkv-double" count -v broad
refused 1 'mine/double: anybody may write' named "$qkv-double" list --variants
chmod o-w mine/double && chmod o+w mine
refused 1 'mine: anybody may write' named "$qkv" count -v plain
refused 1 'mine: anybody may write' named "$qkv" list --variants

# "In an experiment no link is followed, to read or to write."
untouched() {
    [ -z "$(ls -A outside)" ] && ok || complain "$*: writes outside: $(ls outside)"
}
fresh
ln -s ../outside foreign/figures
refused 1 'figures: a link' qkv plot foreign
untouched plot
refused 1 'figures: a link' qkv equiv -v standard,two-step -t reverse --steps 4 --test 4 --d-model 8 \
    --validate 4 -q -o foreign
untouched equiv
rm foreign/figures
ln -s ../../outside "$run/figures"
refused 1 'figures: a link' qkv inspect "$run" --attention
refused 1 'figures: a link' qkv inspect "$run" --spectrum
untouched inspect
fresh
mkdir foreign/figures
echo mine >precious
for file in curves-reverse-tikz.tex curves-reverse.tsv; do
    ln -s ../../precious foreign/figures/$file
    refused 1 "$file: a link" qkv plot foreign --format tikz
    rm -f foreign/figures/*
done
printf '%s\n' 'compare -v standard -t reverse --steps 4 --seeds 1 --test 4 --d-model 8' >recipe
ln -s ../precious foreign/recipe.txt
refused 1 'recipe.txt: a link' qkv compare --recipe ./recipe -o foreign -q
refused 1 'recipe.txt: a link' qkv report foreign -o made
rm foreign/recipe.txt
mkdir claimed
ln -s ../claimed foreign/claim
printf '%s\n' '# so?' 'claim a' 'source b' 'published c' 'ours d' 'hypothesis e' \
    'compare -v standard -t reverse --steps 4 --seeds 1 --test 4 --d-model 8' 'expect variant=standard seeds is 1' >a-claim.txt
refused 1 'claim: a link' qkv compare --claim ./a-claim.txt -o foreign -q
[ -z "$(ls claimed)" ] && ok || complain "a claim was written through a link"
echo mine | cmp -s - precious && ok || complain "a file of the user's was overwritten"
fresh
mv "$run" outside && ln -s "../outside/${run#*/}" foreign
for command in "inspect $run" "export $run --batch batch" "train --from $run -o further" \
    'plot foreign -o made' 'report foreign -o made' \
    "trace 1 $run" "plot $run" "equiv $run --to standard -o further" \
    "compare -v standard,two-step -t reverse $small -o foreign"; do
    refused 1 "$run: a link" qkv $command
done
for file in config.tsv result.tsv log.tsv timing.tsv weights weights/unembedding.npy; do
    fresh
    mv "$run/$file" outside
    ln -s "$work/outside/$(basename $file)" "$run/$file"
    reads "$file"
    refused 1 "$file: a link" qkv $command
done
fresh # the experiment's own place is the user's, who may say it by a link
ln -sfn foreign linked
qkv inspect "linked/${run#*/}" && qkv report linked -o told && ok ||
    complain "an experiment that the user calls by a link"
rm -rf told

# "... pipes and devices are not opened."
for file in config.tsv result.tsv log.tsv timing.tsv weights weights/unembedding.npy; do
    fresh
    rm -r "$run/$file" && mkfifo "$run/$file"
    reads "$file"
    refused 1 "$file: not a plain file" qkv $command
done
fresh # a matrix of a terabyte, with nothing in it
truncate -s 1T "$run/weights/embedding.npy"
refused 1 'embedding.npy' qkv inspect "$run"
fresh
rm -r "$run" && mkfifo "$run"
refused 1 "$run: not a plain file" qkv plot foreign -o made
fresh
rm foreign/experiment.tsv && mkfifo foreign/experiment.tsv
refused 1 'not a plain file' qkv compare -v standard -t reverse $small -o foreign
fresh
mkdir foreign/figures && mkfifo foreign/figures/curves-reverse-tikz.tex
refused 1 'not a plain file' qkv plot foreign --format tikz

# What is recorded of it is refused, with its line, unless a command would write it.
record() { # LINE WORDS
    fresh
    printf '%b\n' "$1" >>foreign/experiment.tsv
    refused 1 "experiment.tsv:$(wc -l <foreign/experiment.tsv):" \
        qkv plot foreign -o made
    refused 1 'is not what qkv writes' qkv compare -v standard -t reverse $small -o foreign
}
record 'command\trm'
record 'exec\tPWNED'
record 'lr'
record 'lr\t'
record 'lr\t0.1,x'
record 'lr\t0.1\t0.2'
record 'd-k\t-1'
record 'baseline\t\033[2J'
record 'seed\t2'
record 'plugin-hash\t0'
fresh
printf 'from\t$(touch PWNED)\n' >>foreign/experiment.tsv
qkv report foreign -o told -q && grep -q "from '\$(touch PWNED)'" told/report.md && ok ||
    complain "a word of the record is quoted"
fresh
head -c -1 foreign/experiment.tsv >cut && cp cut foreign/experiment.tsv
refused 1 'cut short or not text; empty the file' qkv plot foreign -o made
fresh
printf 'key\tvalue\nformat\t2\n' >foreign/experiment.tsv # of an older qkv
refused 1 'experiment.tsv:2: is not what qkv writes' qkv plot foreign -o made
: >foreign/experiment.tsv
qkv plot foreign -o made --format svg && ok || complain "an empty record"
fresh
printf 'key\tvalue\nreal\tx\n' >"$run/real.tsv"
refused 1 'real.tsv, line 2: "x" is not a number' qkv plot foreign -o made
printf 'key\tvalue\nloss\t1\n' >"$run/real.tsv"
refused 1 'real.tsv: not a line "real"; remove it' qkv plot foreign -o made
rm "$run/real.tsv" && mkfifo "$run/real.tsv"
refused 1 'not a plain file' qkv plot foreign -o made

# "A size that a file states is checked against the file before memory is allocated for it."
fresh
setting d-model 900000
(failed=0; ulimit -v 1000000 2>/dev/null; refused 1 'its shape is' qkv inspect "$run"; exit $failed)
[ $? -eq 0 ] && ok || complain "a size was believed"

# "Columns, results and settings have the names that the program writes, and text
# without control characters: others are refused with their line."
column() { # NAME: one more column of the log, and its result
    sed -i "1s|\$|	$1|; 2,\$s|\$|	1|" "$run/log.tsv"
    printf '%s\t1\n' "$1" >>"$run/result.tsv"
}
for name in "tx';system(\"id>PWNED\");'" '<touch${IFS}PWNED;' ''; do
    fresh
    for run in foreign/*seed1*; do
        column "$name"
    done
    printf "plot --y '%s'\n" "$name" >foreign/recipe.txt
    refused 1 'log.tsv:1: "' qkv report foreign -o told
    qkv plot foreign -o made --y "$name"
    [ -z "$(find . -name PWNED)" ] && ok || complain "a column was run: $name"
    rm -rf told
done
fresh
printf 'a b\t1\n' >>"$run/result.tsv"
refused 1 'result.tsv:20: "a b"' qkv plot foreign -o made
fresh
sed -i 4d "$run/result.tsv"
refused 1 'result.tsv:4: "attention_parameters"' qkv plot foreign -o made
fresh
for run in foreign/*seed1*; do
    column gradient.block0.attention.W_Q
done
qkv plot foreign -o made --y gradient.block0.attention.W_Q --format svg && ok ||
    complain "an observer's column"
bad=$(printf 'W_Q=1\033[31m') bytes=$(printf 'W_Q\377=1') c1=$(printf 'W_Q\302\233=1')
for value in "$bad" "$bytes" "$c1"; do
    fresh
    setting init "$value"
    refused 1 'config.tsv:33: init: ' qkv inspect "$run"
    refused 2 '--init: ' qkv train --init "$value" -o made
    refused 2 '--file: ' qkv train --file "$value" -o made
done

# "A text file is read from the path in the config, and must still be the file that the run was trained on."
seq 300 >numbers.txt
qkv train --file numbers.txt --length 8 --steps 4 --test 4 --validate 4 --d-model 8 -q -o text ||
    complain "a run on a text"
sed -i "s|^file	.*|file	$work/secret.txt|" text/text.*/config.tsv
seq 400 >secret.txt
refused 1 'has changed since' qkv inspect text/text.*
refused 1 'has changed since' qkv train --from text/text.* -q -o further

# "Figures are drawn by our own scripts, which treat a name as text and nothing else;
# from an experiment's figures/, only the table that equiv writes is read."
if draws; then
    fresh
    qkv equiv -v standard,two-step -t reverse --steps 4 --test 4 --validate 4 --d-model 8 -q -o foreign \
        --format svg || complain "equiv"
    for file in foreign/figures/equivalence.gp foreign/figures/curves-reverse.gp; do
        echo 'system("touch PWNED")' >>$file
    done
    rm -f foreign/figures/parameters.tsv && mkfifo foreign/figures/parameters.tsv
    hostile="foreign/reverse'; system(\"touch PWNED\"); a='.${run##*.}"
    mv "$run" "$hostile"
    qkv report foreign -o told -q && [ -s told/figures/equivalence.svg ] && ok ||
        complain "report of a stranger's experiment"
    rm foreign/figures/parameters.tsv
    qkv inspect "$hostile" --attention -q -o made && qkv inspect "$hostile" --spectrum -q -o made &&
        ok || complain "a run's name in gnuplot"
    [ -z "$(find . -name PWNED)" ] && ok || complain "a stranger's experiment ran a command"
fi

# "An experiment's recipe can only set options of `plot`; it cannot name a path or another
# experiment."
cp -r sound other
rm -rf told
for line in "plot $work/other" 'plot --out elsewhere' 'plot --ou=elsewhere' 'plot -o elsewhere' \
    'plot -- ../other' 'plot --from other' 'plot --file other'; do
    fresh
    printf '%s\n' '# one' "$line" >foreign/recipe.txt
    qkv report foreign -o told -q
    status=$?
    [ $status -ne 0 ] && grep -q 'foreign/recipe.txt:2' err && [ ! -e elsewhere ] &&
        [ -z "$(ls other/figures 2>/dev/null)" ] && [ ! -e told/report.html ] && ok ||
        complain "report of a recipe with \"$line\""
    rm -rf told
done
fresh
printf '%s\n' 'train -v standard -o elsewhere' 'compare -v standard --out elsewhere' \
    'plot --y loss --title {plots}' >foreign/recipe.txt
qkv report foreign -o told -q
[ ! -e elsewhere ] && ! grep -rqF "$build" told/figures && ok || complain "a recipe's other lines"
rm -rf told

# "A recipe that you run yourself writes only into --out, and finds plugins only
# by name."
for line in 'compare --out elsewhere' 'compare --recipe ./recipe' 'compare --claim ./recipe' \
    'count --baseline standard' \
    "compare -v standard,$work/evil/two-step.so" "compare --baseline $work/evil/standard.so" \
    "compare --encoder-variant $work/evil/standard.so" \
    "compare --same-start $work/evil/standard.so" 'plot ../other' 'train -o elsewhere'; do
    echo "$line" >recipe
    refused "$(case $line in train*) echo 2 ;; *) echo 1 ;; esac)" './recipe:1: ' \
        qkv compare --recipe ./recipe -o made -q
    [ ! -e elsewhere ] && [ ! -e canary ] && ok || complain "a recipe with \"$line\""
done

echo "foreign: $passed passed, $failed failed"
[ $failed -eq 0 ]
