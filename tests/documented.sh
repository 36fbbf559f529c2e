#!/bin/sh
# documented.sh BUILD - every command that a document shows works: README, the reference,
# --help and the manual, the heads of scripts and of the heart's main. They are found here,
# so that a new one is tested as soon as it is written, and typed one after the other in a
# copy of the tree. Not typed are those of documented.tsv, for the reason given there
# ("needs TOOL": only where it is), and those that `make check-long` or .ci/run run in the
# same words. Console blocks are left to lessons/check.sh. Nothing else types what a
# document shows.

build=$1
. tests/lib.sh
companion gnuplot "what documents show" || { finish; exit; }
tab=$(printf '\t')
listed=$top/tests/documented.tsv

# --- the copy, with what was built, so that make has nothing to compile
mkdir -p tree/build
cd "$top" || exit 1
cp -a Makefile README.md LICENSE core lessons plots tests variants .ci "$work/tree/"
for part in flags qkv qkv-double heart heart-double one-file variants float double; do
    cp -a "$build/$part" "$work/tree/build/"
done
cd "$work/tree" || exit 1
export WERROR=-Werror # the flags of the checkout from which this is copied
make -s all heart build/qkv.1 >../out 2>../err || complain "the copy is not built"

# --- what documents show: lines of PLACE, tab, COMMAND
# Of a page: the lines of blocks that are indented or say sh, and words in backquotes.
in_page() {
    awk -v place="$1" '
    function show(line, command) {
        sub(/ *$/, "", command)
        print place ":" line "\t" command
    }
    function show_words(    n, words, i) {
        n = split(text, words, "`")
        for (i = 2; i <= n; i += 2)
            if (words[i] ~ /^(make|sh|cc|pkg-config|python3|pip|qkv|qkv-double) /)
                show(NR, "`" words[i])
        text = ""
    }
    /^```/ { fence = fence ? "" : $0; next }
    fence ? fence == "```sh" : /^    / {
        command = command $0
        if (sub(/\\$/, "", command))
            next
        gsub(/^ +|  +#.*/, "", command)
        show(NR, command)
        command = ""
        next
    }
    fence { next }
    /^$/ { show_words() }
    { text = text " " $0 }
    END { show_words() }' "$1"
}
# Of --help, or of the manual: its examples, which are indented by two or four blanks.
in_help() { sed -n "s|^ \{2,4\}\([a-z].*\)|$1$tab\1|p" | sed 's/  *#.*//; s/   *.*//'; }
# Of the head of a script: how it is called without options, and the examples below that.
in_head() {
    awk -v place="$1" '
    /^[^#]/ || /^$/ { exit }
    { sub(/^# ?/, "") }
    /^[a-z-]+[.]sh [-[A-Z].* - / {
        $0 = substr($0, index($0, " "), index($0, " - ") - index($0, " "))
        while (sub(/ \[[^][]*\]/, ""))
            ;
        print place "\tsh " place $0
    }
    /^    [a-z]+ / { sub(/^ +/, ""); sub(/  .*/, ""); print place "\t" $0 }' "$1"
}
{
    for page in README.md lessons/reference.md; do
        in_page $page
    done
    for command in $(build/qkv help | sed -n 's/^  qkv \([a-z]*\) .*/\1/p'); do
        build/qkv "$command" --help | in_help "qkv $command --help"
    done
    sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' build/qkv.1 | in_help 'the manual'
    for file in plots/*.sh plots/*.gp plots/*.awk plots/*/*.sh lessons/*.sh lessons/*.awk tests/*.sh .ci/*.sh; do
        in_head "$file"
    done
    sed -n "s|^       \(heart .*\)|core/heart/main.c$tab\1|p" core/heart/main.c
} >../shown
for command in $(build/qkv help | sed -n 's/^  qkv \([a-z]*\) .*/\1/p'); do
    expect "qkv $command --help shows no example" grep -q "^qkv $command --help$tab" ../shown
done

# --- what make and .ci/run run in the same words
make -n check-long check-torch check-hf coverage claims book exercise >../printed 2>../err
targets=$({ sed -n 's/^check[a-z-]*: *\([^#]*\).*/\1/p' tests/rules.mk; grep -o 'make .*' .ci/run; } | tr '\n' ' ')
runs_elsewhere() { # COMMAND
    case $1 in
    'make '*) echo " $targets " | grep -qF -- " ${1#make } " ;;
    'sh '*) grep -qF -- "$1" ../printed .ci/run ;;
    *) return 1 ;;
    esac
}

# --- what is typed
# is_command COMMAND: is it one? Words in backquotes are one if they are those of make or of
# a script, or more than the name of a command of qkv, without a gap to be filled.
is_command() {
    case $1 in
    '`qkv '*[A-Z][A-Z]*) return 1 ;;
    '`qkv '*' '*) ;;
    '`qkv '*) return 1 ;;
    '`'* | export\ *) ;;
    *) command -v -- "${1%% *}" | grep -q / || grep -q "$tab${1%% *} " "$listed" ;;
    esac
}
# filled COMMAND: with what a word in capitals stands for; other gaps are files of that name.
filled() {
    printf '%s\n' "$1" | sed 's/^`//; s/ \[\(-[^]]*\)\]/ \1/g; s/ \.\.\.$//; s/ N\>/ 4/g; s/\<VARIANT\>/standard/; s/\<TASK\>/recall/
        s/\<BUILD\>/build/; s/\<NN\>/21/; s/\<TOOL\>/gcc/'
}
few="--steps 4 --test 8 --validate 8"
# qkv as it is typed, but what it trains takes a few steps, and is not measured to be drawn
# (plot draws it); in a pipe its status counts, too.
qkv() {
    case "$*" in
    compare*) command qkv "$@" $few --no-figures ;;
    'equiv qkv-out'*) command qkv "$@" ;;
    train* | equiv* | 'recipe '* | 'claim '*) command qkv "$@" $few ;;
    *) command qkv "$@" ;;
    esac
    status=$?
    [ $status -eq 0 ] || echo $status >failed
    return $status
}
# prepare COMMAND: what the page has told the reader to do, or to have, before it.
prepare() {
    case $1 in
    *'generate text/'*) ln -s ../text-run text/text.standard.seed1.short ;;
    *--prompt*license*) ln -sfn ../text-run qkv-out/RUN ;;
    *"-p '3 1"*) ln -sfn ../induction-run qkv-out/RUN ;;
    *tables.sh*) mkdir DIR ;;
    heart*) rm -r DIR ;; # it must not be there yet
    *RUN*) ln -sfn ../recall-run qkv-out/RUN ;;
    *--window*)
        sed -i 's|sqrt(a->d_k)|& + 0 * setting(a, "window")|; s|    .weights = weights|    .settings = "window=4",\n&|' mine.c
        rm -r qkv-out # it has runs of mine.c without the setting
        ;;
    esac
}
# typed PLACE COMMAND: works, and so does each qkv in it. (TELL=1 says when it begins.)
typed() {
    rm -f failed
    [ -z "${TELL:-}" ] || echo "$(date +%T) $2" >&2
    prepare "$2"
    eval "$2" >out 2>err </dev/null && [ ! -e failed ] && ok || complain "$1: $2"
}

# --- what the documents speak of as if it were there
export PATH="$PWD/build:$PATH" PREFIX=$work/prefix PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
{
    for task in recall induction; do
        command qkv train -t $task $few -o short && mv short/$task.* $task-run
    done
    command qkv train --file LICENSE --steps 4 -o short && mv short/text.* text-run
    mkdir qkv-out
    command qkv compare -v standard,mqa -t recall,sort --d-k 2,8 --log rank --seeds 1 $few -o EXPERIMENT
    command qkv train -v standard -t induction -o build/demo
    command qkv train -v full-rank -t sort -o build/demo
    cp -r EXPERIMENT here && cp -r EXPERIMENT there
    cp plots/recipes/start.sh mine.sh
    cp EXPERIMENT/figures/parameters.* . && cp parameters.gp NAME.gp
    cp lessons/02-many-heads.md LESSON.md && cp core/heart/tape.c FILE.c && : >STRETCHES
    awk -F '\t' 'NR == 3 { print $3 }' core/models/published.tsv >config.json
    printf 'name,seed,loss,score\nours,1,3,1\nours,2,2,2\ntheirs,1,4,1\ntheirs,2,3,3\n' >mine.csv
    tr , '\t' <mine.csv >mine.tsv
} >out 2>err || complain "what commands need"

: >typed
while IFS=$tab read -r place command; do
    is_command "$command" || continue
    command=$(filled "$command")
    ! grep -qxF -- "$command" typed || continue
    printf '%s\n' "$command" >>typed
    ! runs_elsewhere "$command" || continue
    reason=$(command=$command awk -F '\t' '$2 == ENVIRON["command"] { print $1 }' "$listed")
    case $reason in
    '') typed "$place" "$command" ;;
    'needs '*) ! companion "${reason#needs }" "$command" || typed "$place" "$command" ;;
    esac
done <../shown
cut -f 2 "$listed" | grep -vxF -f typed >gone
expect "documented.tsv: no document shows $(cat gone)" [ ! -s gone ]
finish
